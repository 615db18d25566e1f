// What the scripts of reconciliation and of stuck attempts say and how they exit, against a control door of this test.
// It must never reach a running laptop or a project.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";

let folder: string;
let control: Server | undefined;
/** What the script sent, by path. */
let asked: unknown[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "operations-"));
  asked = [];
});
afterEach(() => {
  control?.closeAllConnections();
  control?.close();
  control = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function run(script: string, args: string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const file = path.join(import.meta.dirname, "..", "..", "scripts", script);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, LAPTOP_FOLDER: folder, STAGE_FILE: "none", ...environment };
  return new Promise<{ code: unknown; said: string; complaint: string }>((ended) => {
    execFile(process.execPath, [file, ...args], { env }, (error, said, complaint) =>
      ended({ code: error?.code ?? 0, said, complaint }),
    );
  });
}

async function laptopThatAnswers(answer: unknown): Promise<void> {
  control = createServer(async (request, response) => {
    asked.push([request.url, await json(request)]);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((listening) => control?.listen(0, "127.0.0.1", listening));
  const { port } = control.address() as AddressInfo;
  writeFileSync(path.join(folder, "control.json"), JSON.stringify({ url: `http://127.0.0.1:${port}`, token: "t" }));
}

describe("npm run reconcile", () => {
  const went = { orders: 7, attempts: 6, examined: 1, opened: 1, closed: 0, open: 1 };

  test("exits with 1 and prints the breaks that stand", async () => {
    const about = { subject: "att_1", intentId: "pi_1", kind: "not_booked", detail: "its capture succeeded unbooked" };
    await laptopThatAnswers({ went, breaks: [about, { ...about, subject: "x_1", intentId: null }] });
    expect(await run("reconcile.ts")).toEqual({
      code: 1,
      said: "not_booked att_1 of pi_1: its capture succeeded unbooked\nnot_booked x_1: its capture succeeded unbooked\n",
      complaint: "matched 7 orders and 6 attempts: 1 breaks stand, 1 of them new, 0 are gone\n",
    });
  });

  test("exits with 0 when none stands", async () => {
    await laptopThatAnswers({ went: { ...went, opened: 0, open: 0, closed: 2 }, breaks: [] });
    expect(await run("reconcile.ts")).toEqual({
      code: 0,
      said: "matched 7 orders and 6 attempts: 0 breaks stand, 0 of them new, 2 are gone\n",
      complaint: "",
    });
  });

  test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
    ["no laptop runs", [], {}, /^reconcile: no laptop is running here/],
    ["a stage has no acquirer", ["--stage"], {}, /^reconcile: --stage needs ACQUIRER_URL and ACQUIRER_SECRET/],
    [
      "a stage has no project",
      ["--stage"],
      { ACQUIRER_URL: "https://a.example", ACQUIRER_SECRET: "s" },
      /^reconcile: --stage needs PROJECT_ID/,
    ],
    ["days are asked of the laptop", ["--days", "7"], {}, /^npm run reconcile/],
    ["there are too many days", ["--stage", "--days", "91"], {}, /^npm run reconcile/],
  ])("exits with 2, which is no verdict, when %s", async (_title, args, environment, complaint) => {
    const ended = await run("reconcile.ts", args, environment);
    expect([ended.code, ended.said]).toEqual([2, ""]);
    expect(ended.complaint).toMatch(complaint);
  });
});

describe("npm run attempt", () => {
  const action = {
    id: "op_1",
    attemptId: "att_1",
    verdict: "happened",
    reference: "auth_1",
    reason: "ticket 4711 of the acquirer's support",
    state: "proposed",
    proposedBy: "ada",
    proposedAtMs: Date.UTC(2026, 0, 15, 12),
    confirmedBy: null,
    confirmedAtMs: null,
    result: null,
    endedAtMs: null,
  };
  const proposal = ["propose", "att_1", "--happened", "auth_1", "--reason", action.reason, "--by", "ada"];

  test("says that a dry run wrote nothing, and writes when it is told to", async () => {
    await laptopThatAnswers({ actions: [action] });
    const said = `op_1  about att_1, proposed\n  ada at 2026-01-15T12:00:00.000Z: it happened, as auth_1, because: ${action.reason}\n`;
    const dry = "nothing was written: this was a dry run, --run writes it\n";
    expect(await run("attempt.ts", proposal)).toEqual({ code: 0, said: said + dry, complaint: "" });
    expect(await run("attempt.ts", [...proposal, "--run"])).toEqual({ code: 0, said, complaint: "" });

    const sent = { verb: "propose", attempt: "att_1", verdict: "happened", reference: "auth_1" };
    expect(asked).toEqual([false, true].map((isRun) => ["/attempt", { ...sent, ...wordsOf(action), run: isRun }]));
  });

  test("exits with 1 and says why it was refused", async () => {
    await laptopThatAnswers({ refused: "A second person must confirm: this one proposed it." });
    const confirmed = await run("attempt.ts", ["confirm", "op_1", "--by", "ada", "--run"]);
    expect([confirmed.code, confirmed.complaint]).toEqual([
      1,
      "attempt: A second person must confirm: this one proposed it.\n",
    ]);
    expect(asked).toEqual([["/attempt", { verb: "confirm", action: "op_1", by: "ada", run: true }]]);
  });

  test("takes an acceptance of a break", async () => {
    const accepted = { acceptedBy: "ada", acceptedReason: "ticket 4712", acceptanceConfirmedBy: "bob" };
    await laptopThatAnswers({ breaks: [{ subject: "att_1", kind: "amount_differs", detail: "d", ...accepted }] });
    expect(
      await run("attempt.ts", ["accept-break", "att_1", "--kind", "amount_differs", "--by", "bob", "--run"]),
    ).toEqual({
      code: 0,
      said: "amount_differs of att_1: d\n  accepted by ada, because: ticket 4712; bob agreed\n",
      complaint: "",
    });
    const sent = { verb: "accept-break", subject: "att_1", kind: "amount_differs", by: "bob", run: true };
    expect(asked).toEqual([["/attempt", sent]]);
  });

  test.each([
    ["no verb", []],
    ["a break without a kind", ["accept-break", "att_1", "--by", "ada"]],
    ["a verb that there is not", ["constructor", "att_1"]],
    ["no attempt", ["show"]],
    ["no verdict", ["propose", "att_1", "--reason", "because I say so", "--by", "ada"]],
    ["two verdicts", [...proposal, "--not-happened"]],
    ["more than it takes", ["show", "att_1", "att_2"]],
  ])("exits with 2 and its usage for %s", async (_title, args) => {
    const ended = await run("attempt.ts", args);
    expect([ended.code, ended.said]).toEqual([2, ""]);
    expect(ended.complaint).toMatch(/^npm run attempt -- list/);
  });
});

function wordsOf({ reason, proposedBy }: { reason: string; proposedBy: string }) {
  return { reason, by: proposedBy };
}
