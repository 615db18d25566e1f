// `npm run verify-ledger`: verifies the ledger of the running laptop, or of a deployed stage, and names the first bad row.
// Roots that stand outside the database, in the logs, are given to it: only those tell that the end of a chain is gone.
// It must never change a row, nor exit with 0 unless every row was read and is sound.

import { parseArgs } from "node:util";
import { systemClock } from "../functions/adapters/system.ts";
import { parseAnchor, type SealAnchor } from "../functions/domain/seal.ts";
import { type Verification, verifyLedger } from "../functions/flows/verify-ledger.ts";
import { laptopCall, openStageLedger } from "./doors.ts";

const USAGE = `npm run verify-ledger -- [--root SHARD:NUMBER:HASH]... [--stage]

  Reads the books and what they are about at one moment, sums balances up again, and hashes the sealed chains again. Exits
  with 0 when all is sound, with 1 when a row is bad, which it names, and with 2 when it could not read to the end.
  --root   a root that must still be in its chain, as the log line "ledger sealed" has it in its field anchor;
           may be given for each of the shards 0 to 7
  --stage  verifies the deployed stage that STAGE, PROJECT_ID and PREFIX name, with your application-default
           credentials, instead of the laptop that \`npm start\` runs`;

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (asked === undefined) return complain(USAGE, 2);
  const wrong = asked.roots.find((root) => parseAnchor(root) === undefined);
  if (wrong !== undefined) return complain(`verify-ledger: --root ${wrong} is not SHARD:NUMBER:HASH`, 2);
  const anchors = asked.roots.flatMap((root) => parseAnchor(root) ?? []);
  try {
    const { rows, fault } = await (asked.stage ? verifyStage(anchors) : verifyLaptop(anchors));
    const looked = Object.entries(rows).map(([table, count]) => `${count} ${table.replaceAll("_", " ")}`);
    if (fault !== null) return complain(`bad row: ${fault.table} ${fault.key}: ${fault.problem}`, 1);
    process.stdout.write(`the ledger is sound: ${looked.join(", ")}\n`);
    return 0;
  } catch (error) {
    return complain(`verify-ledger: ${error instanceof Error ? error.message : String(error)}`, 2);
  }
}

async function verifyLaptop(anchors: readonly SealAnchor[]): Promise<Verification> {
  return await laptopCall(process.env)<Verification>("/verify-ledger", { anchors });
}

async function verifyStage(anchors: readonly SealAnchor[]): Promise<Verification> {
  const opened = await openStageLedger(process.env);
  try {
    const { spannerLedger } = await import("../functions/adapters/spanner-ledger.ts");
    const { spannerSeals } = await import("../functions/adapters/spanner-seals.ts");
    const { spannerBalances } = await import("../functions/adapters/spanner-balances.ts");
    const stores = { ledger: spannerLedger(opened), balances: spannerBalances(opened), seals: spannerSeals(opened) };
    const deps = { ...stores, clock: systemClock, log: () => {} };
    // A person waits for it, so it may take as long as it takes.
    return await verifyLedger(deps, { msMax: Number.POSITIVE_INFINITY, anchors });
  } finally {
    await opened.close();
  }
}

/** Undefined for a command line that is not understood whole. */
function read(args: string[]): { stage: boolean; roots: readonly string[] } | undefined {
  const options = { stage: { type: "boolean" }, root: { type: "string", multiple: true } } as const;
  try {
    const { values } = parseArgs({ args, options });
    return { stage: values.stage ?? false, roots: values.root ?? [] };
  } catch {
    return undefined;
  }
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
