// A cut of the wire faults that `.ci/run` has time for: the calls whose lost reply would be a second payment.
// It must never stand for the whole matrix: `npm run wire-faults` runs that, in minutes.
import { type FaultName, type Mode, runCell, type Sound, soundRun } from "./cells.ts";
import { operations } from "./operations.ts";
import { openSystem, type Product, type System } from "./system.ts";

let system: System;
beforeAll(async () => {
  if (process.env["PUBSUB_EMULATOR_HOST"] !== undefined) system = await openSystem();
});
afterAll(async () => await system?.close());

/** Product, method and n-th call, how it fails, and whether the caller asks again. */
type Cell = readonly [product: Product, method: string, nth: number, fault: FaultName, mode: Mode];
const cells: Readonly<Record<string, readonly Cell[]>> = {
  payment: [
    ["firestore", "Commit", 1, "reply lost", "again"],
    ["spanner", "Commit", 1, "reply lost", "again"],
    ["spanner", "Commit", 1, "deadline after", "alone"],
    ["spanner", "Commit", 1, "connection reset", "again"],
    ["spanner", "Commit", 2, "deadline after", "again"],
    ["spanner", "Commit", 2, "aborted", "alone"],
    ["spanner", "ExecuteStreamingSql", 2, "deadline after", "alone"],
    ["pubsub", "Publish", 2, "reply lost", "alone"],
  ],
  "payment that settles later": [["tasks", "CreateTask", 1, "reply lost", "alone"]],
  refund: [
    ["spanner", "Commit", 1, "deadline after", "alone"],
    ["spanner", "Commit", 2, "connection reset", "again"],
  ],
  settlement: [["spanner", "Commit", 2, "deadline after", "alone"]],
  "fan-out": [["firestore", "Commit", 1, "reply lost", "again"]],
  delivery: [
    ["firestore", "Commit", 1, "reply lost", "alone"],
    ["firestore", "Commit", 3, "deadline after", "again"],
  ],
};

if (process.env["PUBSUB_EMULATOR_HOST"] === undefined) {
  test("Google's Pub/Sub emulator is not installed here: NO WIRE FAULT WAS TRIED", () => {});
} else {
  describe.each(operations)("a $name", (operation) => {
    let sound: Sound;
    beforeAll(async () => {
      sound = await soundRun(system, operation);
    });

    test.each(cells[operation.name] ?? [])(
      "whose call %s %s %i ends with: %s, has one effect and one answer (%s)",
      async (product, method, nth, fault, mode) => {
        expect(await runCell(system, { operation, sound, place: { product, method, nth }, fault, mode })).toEqual([]);
      },
    );
  });
}
