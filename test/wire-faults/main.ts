// `npm run wire-faults`: every call that a payment, a refund, a settlement and a delivery make to Google's products, failing
// in each way, with a caller that asks again and without. It must never end with 0 when a cell was red.
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { type FaultName, faults, type Mode, type Place, runCell, type Sound, soundRun } from "./cells.ts";
import { type Operation, operations } from "./operations.ts";
import { openSystem, type System } from "./system.ts";

const faultNames = Object.keys(faults) as FaultName[];
const modes: readonly Mode[] = ["again", "alone"];

const USAGE = `npm run wire-faults [-- OPERATION...]

  Needs Google's Spanner, Firestore and Pub/Sub emulators, which it finds and starts. Minutes long. Operations:
  ${operations.map(({ name }) => name).join(", ")}; all of them without a name.`;

async function main(names: string[]): Promise<number> {
  const chosen = operations.filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length !== (names.length || operations.length)) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const startedMs = performance.now();
  const red: string[] = [];
  let cells = 0;
  say("Each cell: the caller asks again / nobody asks again. ok, RED.");
  for (const operation of chosen) {
    // The emulator scans where Spanner has keys: a database of its own keeps each operation as fast as the first.
    const system = await openSystem();
    try {
      cells += await runOperation(system, operation, red);
    } finally {
      await system.close();
    }
  }
  for (const line of red) say(line);
  const redCells = new Set(red.map((line) => line.split(": ")[0])).size;
  say(`${Math.round((performance.now() - startedMs) / 1000)} s`);
  say(`${cells} cells, ${cells - redCells} green, ${redCells} red`);
  return red.length === 0 ? 0 : 1;
}

/** Prints the rows of an operation and judges the ledger of all its cells; gives how many cells there were. */
async function runOperation(system: System, operation: Operation, red: string[]): Promise<number> {
  const sound = await soundRun(system, operation);
  let cells = 0;
  say(`\n${operation.name.padEnd(44)}${faultNames.map((name) => name.padEnd(20)).join("")}`.trimEnd());
  for (const place of sound.places) {
    const verdicts: string[] = [];
    for (const fault of faultNames) {
      const pair: string[] = [];
      for (const mode of modes) {
        const problems = await judged(system, operation, sound, place, fault, mode);
        cells += 1;
        pair.push(problems.length === 0 ? "ok" : "RED");
        red.push(...problems.map((problem) => `${operation.name}, ${nameOf(place)}, ${fault}, ${mode}: ${problem}`));
      }
      verdicts.push(pair.join(" / ").padEnd(20));
    }
    say(`  ${nameOf(place).padEnd(42)}${verdicts.join("")}`.trimEnd());
  }
  const { fault } = await verifyLedger({ ...system, ledger: system.ledger, log: () => {} });
  say(`  ledger of all cells: ${fault === null ? "sound" : `BAD ROW ${fault.table} ${fault.key}: ${fault.problem}`}`);
  if (fault !== null) red.push(`${operation.name}, its ledger: not sound`);
  return cells;
}

/** A cell that breaks off is red like one that ends badly. */
async function judged(
  system: System,
  operation: Operation,
  sound: Sound,
  place: Place,
  fault: FaultName,
  mode: Mode,
): Promise<readonly string[]> {
  try {
    return await runCell(system, { operation, sound, place, fault, mode });
  } catch (error) {
    return [error instanceof Error ? `broke off: ${error.message.slice(0, 300)}` : "broke off"];
  }
}

function nameOf({ product, method, nth }: Place): string {
  return `${product} ${method} ${nth}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main(process.argv.slice(2));
// Google's clients keep timers and sockets that would hold the process for a while.
setTimeout(() => process.exit(), 2_000).unref();
