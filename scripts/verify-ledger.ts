// `npm run verify-ledger`: verifies the ledger of the running laptop, or of a deployed stage, and names the first bad row.
// It must never change a row, nor exit with 0 unless every row was read and is sound.

import { parseArgs } from "node:util";
import { systemClock } from "../functions/adapters/system.ts";
import { type Verification, verifyLedger } from "../functions/flows/verify-ledger.ts";
import { laptopCall, openStageLedger } from "./doors.ts";

const USAGE = `npm run verify-ledger -- [--stage]

  Reads the books and what they are about at one moment. Exits with 0 when all is sound, with 1 when a row is bad,
  which it names, and with 2 when it could not read to the end.
  --stage  verifies the deployed stage that STAGE, PROJECT_ID and PREFIX name, with your application-default
           credentials, instead of the laptop that \`npm start\` runs`;

async function main(args: string[]): Promise<number> {
  const where = read(args);
  if (where === undefined) return complain(USAGE, 2);
  try {
    const { rows, fault } = await (where.stage ? verifyStage() : verifyLaptop());
    const looked = Object.entries(rows).map(([table, count]) => `${count} ${table.replaceAll("_", " ")}`);
    if (fault !== null) return complain(`bad row: ${fault.table} ${fault.key}: ${fault.problem}`, 1);
    process.stdout.write(`the ledger is sound: ${looked.join(", ")}\n`);
    return 0;
  } catch (error) {
    return complain(`verify-ledger: ${error instanceof Error ? error.message : String(error)}`, 2);
  }
}

async function verifyLaptop(): Promise<Verification> {
  return await laptopCall(process.env)<Verification>("/verify-ledger", {});
}

async function verifyStage(): Promise<Verification> {
  const opened = await openStageLedger(process.env);
  try {
    const { spannerLedger } = await import("../functions/adapters/spanner-ledger.ts");
    // A person waits for it, so it may take as long as it takes.
    const deps = { ledger: spannerLedger(opened), clock: systemClock, log: () => {} };
    return await verifyLedger(deps, Number.POSITIVE_INFINITY);
  } finally {
    await opened.close();
  }
}

/** Undefined for a command line that is not understood whole. */
function read(args: string[]): { stage: boolean } | undefined {
  try {
    const { values } = parseArgs({ args, options: { stage: { type: "boolean" } } });
    return { stage: values.stage ?? false };
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
