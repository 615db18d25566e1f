// The plan of stage dev for tests of the laptop, with whatever a test takes out of the stacks or puts into them.
// It must never be a plan made by hand: it is read from really synthesized stacks.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Plan, readPlan } from "../../local/plan.ts";
import { writtenStacks } from "../infra/written-stacks.ts";

/** Resources of one stack by type and id. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes whatever was synthesized.
export type Resources = Record<string, Record<string, any>>;

/** Resources of every stack by its name. */
export type Stacks = Record<string, Resources>;

/** The plan as synthesized with these variables, after `change` has had the resources in its hands. */
export function planned(
  change: (services: Resources, stacks: Stacks) => void = () => {},
  variables: Record<string, string> = {},
): Plan {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const templates = new Map<string, any>(
    [...synthesized(variables)].map(([name, text]) => [name, JSON.parse(text)] as const),
  );
  const stacks: Stacks = Object.fromEntries([...templates].map(([name, template]) => [name, template.resource]));
  change(stacks["services"] ?? {}, stacks);
  const folder = mkdtempSync(path.join(tmpdir(), "planned-"));
  try {
    for (const [name, template] of templates) {
      mkdirSync(path.join(folder, "stacks", name), { recursive: true });
      writeFileSync(path.join(folder, "stacks", name, "cdk.tf.json"), JSON.stringify(template));
    }
    return readPlan(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Takes one grant out of the stack: the one of this type whose id begins with the function's name. Each function may also
 * write traces, which no test of its work is about.
 */
export function withoutGrant(type: string, functionName: string, about = ""): (services: Resources) => void {
  return (services) => {
    const own = Object.keys(services[type] ?? {}).filter((id) => id.startsWith(`${functionName}_`));
    const ids = own.filter((id) => (about === "" ? !id.includes("writes-traces") : id.includes(about)));
    expect(ids).toHaveLength(1);
    for (const id of ids) delete services[type]?.[id];
  };
}

/** Text of each stack by its name; stacks are synthesized once for the same variables. */
const synthesizedOnce = new Map<string, ReadonlyMap<string, string>>();

function synthesized(variables: Record<string, string>): ReadonlyMap<string, string> {
  const key = JSON.stringify(variables);
  const known = synthesizedOnce.get(key);
  if (known !== undefined) return known;
  const outdir = mkdtempSync(path.join(tmpdir(), "planned-"));
  try {
    writtenStacks({ PROJECT_ID: "local-project", PUBLIC: "true", ...variables }, outdir);
    const stacks = path.join(outdir, "stacks");
    const texts = new Map(
      readdirSync(stacks).map((name) => [name, readFileSync(path.join(stacks, name, "cdk.tf.json"), "utf8")] as const),
    );
    synthesizedOnce.set(key, texts);
    return texts;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
