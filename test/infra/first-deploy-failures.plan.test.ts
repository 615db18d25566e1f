// The known failures of a first deploy and of a destroy, each kept away by something that stands in the plan; those of
// messages are in messaging-failures.ts.
// It must never hold a row that cannot fail: each one also runs on a plan from which its cure was taken out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { functionNames } from "../../functions/config.ts";
import type { Synthesis } from "./failures/failure-row.ts";
import { functionRows } from "./failures/functions.ts";
import { orderingRows } from "./failures/ordering.ts";
import { storeRows } from "./failures/stores.ts";
import { messagingFailures } from "./messaging-failures.ts";
import { planGraph } from "./plan-graph.ts";
import type { SynthesizedPlan } from "./synthesized.ts";
import { synthesizedBuilt } from "./synthesized-built.ts";

const rows = [...orderingRows, ...functionRows, ...storeRows];

/** Failures that no plan can show, with the place that deals with each. */
const elsewhere: Readonly<Record<string, string>> = {
  "8": "bytes of the zips: sources.test.ts",
  "15": "a queue that was just made answers late: the client's retry, with the queue's name from its environment",
  "18": "Firestore's name is reserved for five minutes after a deletion: docs/gotchas.md",
  "30": "two deployments at once: deploy-workflow.test.ts",
};

const stages = plans();

/** All stages, with something built, so that objects carry a hash. */
function plans(): Record<"dev" | "public" | "prod", SynthesizedPlan> {
  const built = mkdtempSync(path.join(tmpdir(), "built-"));
  try {
    for (const name of functionNames) {
      mkdirSync(path.join(built, name));
      writeFileSync(path.join(built, name, "index.js"), `exports.name = "${name}";`);
    }
    return {
      dev: synthesizedBuilt({ STAGE: "dev" }, built),
      public: synthesizedBuilt({ STAGE: "dev", PUBLIC: "true" }, built),
      prod: synthesizedBuilt({ STAGE: "prod" }, built),
    };
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

const synthesisOf = (plan: SynthesizedPlan): Synthesis => ({ plan, graph: planGraph(plan) });

describe("a first deploy", () => {
  test.each(rows)("failure $failure: $title", (row) => {
    const plan = stages[row.stage];
    expect(row.complaints(synthesisOf(plan))).toEqual([]);

    // When the cure is taken out, then the check must see it.
    const broken = structuredClone(plan);
    row.takeOut(synthesisOf(broken));
    expect(row.complaints(synthesisOf(broken))).not.toEqual([]);
  });

  test("is looked at for every failure on the list, here or elsewhere", () => {
    const ofMessages = messagingFailures.flatMap(({ title }) => /^(F?\d+):/.exec(title)?.[1] ?? []);
    const numbers = new Set([...rows.map(({ failure }) => failure), ...ofMessages, ...Object.keys(elsewhere)]);
    const known = [...Array.from({ length: 34 }, (_one, index) => String(index + 1)), "F52", "F53", "F54"];

    expect([...numbers].sort()).toEqual(known.sort());
  });

  test("failure F54: plans nothing when nothing changed: two syntheses are the same to the byte", () => {
    const texts = (plan: SynthesizedPlan) => Object.values(plan.stacks).map(({ text }) => text);

    expect(texts(synthesizedBuilt({ STAGE: "prod" }, null))).toEqual(texts(synthesizedBuilt({ STAGE: "prod" }, null)));
  }, 30_000);
});
