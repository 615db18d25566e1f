// Runs the demonstration as a person does, and checks that its verdict can fail.
// It must never depend on how fast the machine is, but for the 20 s that the demonstration promises.
import { execFile } from "node:child_process";
import path from "node:path";
import { type Books, judge } from "../../scripts/demo/books.ts";

const script = path.join(import.meta.dirname, "../../scripts/demo.ts");

describe("npm run demo", () => {
  test("plays four acts within 20 s and ends with one payment", async () => {
    const startMs = performance.now();
    const { code, output } = await run();
    expect(performance.now() - startMs).toBeLessThan(20_000);
    expect(code).toBe(0);
    expect(output.trimEnd().split("\n").at(-1)).toBe("1 payment, debits = credits");
    expect(output.match(/^1 payment, debits = credits$/gm)).toHaveLength(5);
    expect(output.match(/^ {2}acquirer +1 effect in its journal$/gm)).toHaveLength(4);
  }, 30_000);
});

describe("the verdict", () => {
  const sound: Books = {
    rows: { "key row": 1, intent: 1, attempt: 1, charge: 1, booking: 1, event: 3 },
    entries: [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 2000n },
      { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: 2000n },
    ],
    effects: 1,
  };

  test("of one payment with balanced entries has no faults", () => {
    expect(judge(sound)).toEqual({ line: "1 payment, debits = credits", faults: [] });
  });

  test("counts what the acquirer did, not what the ledger says", () => {
    expect(judge({ ...sound, effects: 2 })).toEqual({ line: "2 payments, debits = credits", faults: ["2 effects"] });
  });

  test("names every row that is not there exactly once", () => {
    const rows = { ...sound.rows, charge: 2, "key row": 0 };
    expect(judge({ ...sound, rows }).faults).toEqual(["0 key rows", "2 charges"]);
  });

  test("does not call entries balanced that are not, or that are missing", () => {
    expect(judge({ ...sound, entries: sound.entries.slice(1) })).toEqual({
      line: "1 payment, debits are not credits",
      faults: ["debits 0, credits 2000"],
    });
    expect(judge({ ...sound, entries: [] }).faults).toEqual(["debits 0, credits 0"]);
  });
});

async function run() {
  return await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [script], (error, stdout) => {
      resolve({ code: error === null ? 0 : 1, output: stdout });
    });
  });
}
