// What every store of observations must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { Observations } from "../../functions/flows/risk-ports.ts";

/** A store for one suite. */
export type ObservationsUnderTest = { readonly observations: Observations; close(): Promise<void> };

/** Registers the suite. */
export function observationsContract(open: () => Promise<ObservationsUnderTest>): void {
  let subject: ObservationsUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const newSubject = () => randomBytes(32).toString("hex");
  const between = async (of: string, fromMs: number, untilMs: number, limit = 100) =>
    (await subject.observations.between(of, fromMs, untilMs, limit)).map(({ chargeId }) => chargeId);

  test("gives those of one subject inside the bounds, oldest first, whatever order they came in", async () => {
    const mine = newSubject();
    await subject.observations.record([
      { subject: mine, chargeId: "ch_3", atMs: 1_772_366_400_003 },
      { subject: mine, chargeId: "ch_1", atMs: 1_772_366_400_001 },
      { subject: newSubject(), chargeId: "ch_other", atMs: 1_772_366_400_002 },
    ]);
    await subject.observations.record([{ subject: mine, chargeId: "ch_2", atMs: 1_772_366_400_002 }]);

    expect(await between(mine, 1_772_366_400_000, 1_772_366_400_004)).toEqual(["ch_1", "ch_2", "ch_3"]);
    expect(await between(mine, 1_772_366_400_001, 1_772_366_400_003)).toEqual(["ch_2"]);
    expect(await between(mine, 1_772_366_400_000, 1_772_366_400_004, 2)).toEqual(["ch_1", "ch_2"]);
    expect(await between(newSubject(), 0, 9_999_999_999_999)).toEqual([]);
  });

  test("keeps one that comes again once, and two charges of the same moment both", async () => {
    const mine = newSubject();
    const atMs = 1_772_366_400_000;
    for (const chargeId of ["ch_1", "ch_1", "ch_2"]) {
      await subject.observations.record([{ subject: mine, chargeId, atMs }]);
    }

    expect((await between(mine, atMs - 1, atMs + 1)).sort()).toEqual(["ch_1", "ch_2"]);
  });

  test("takes an empty list, and bounds before the epoch", async () => {
    await subject.observations.record([]);

    expect(await between(newSubject(), -600_000, 600_000)).toEqual([]);
  });
}
