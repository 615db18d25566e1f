// Shows when a payment is one too many, and that neither the order of events nor their repetition changes which are flagged.
// It must never be tested with the shipped numbers alone: the rule is a parameter.
import fc from "fast-check";
import { flaggedSince, type Observation, velocityRule } from "../../functions/domain/velocity.ts";

const seen = (...times: number[]): Observation[] =>
  times.map((atMs, index) => ({ subject: "card", chargeId: `ch_${index}`, atMs }));
const rule = { paymentsMax: 2, windowMs: 100 };
const times = (flagged: readonly Observation[]) => flagged.map(({ atMs }) => atMs);

describe("the velocity rule", () => {
  test("flags the first payment above the limit, and each one after it within the window", () => {
    expect(times(flaggedSince(seen(0, 10, 20, 30), 20, rule))).toEqual([20, 30]);
    expect(times(flaggedSince(seen(0, 10), 0, rule))).toEqual([]);
  });

  test("forgets a payment when the window is over, to the millisecond", () => {
    expect(times(flaggedSince(seen(0, 10, 99), 99, rule))).toEqual([99]);
    expect(times(flaggedSince(seen(0, 10, 100), 100, rule))).toEqual([]);
  });

  test("flags a later payment when an earlier one is heard of late", () => {
    expect(times(flaggedSince(seen(10, 0, 20), 0, rule))).toEqual([20]);
  });

  test("flags only the surplus of payments of one moment", () => {
    expect(flaggedSince(seen(5, 5, 5), 5, rule).map(({ chargeId }) => chargeId)).toEqual(["ch_2"]);
  });

  test("ships with five in ten minutes", () => {
    expect(velocityRule).toEqual({ paymentsMax: 5, windowMs: 600_000 });
  });

  test("flags the same payments in the end, whatever order they are heard of in, and however often", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { minLength: 1, maxLength: 12 }).chain((at) => {
          const all = seen(...at);
          const heard = fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 });
          return fc.record({ all: fc.constant(all), heard });
        }),
        ({ all, heard }) => {
          const known = new Map<string, Observation>();
          const flagged = new Set<string>();
          for (const one of heard) {
            known.set(one.chargeId, one);
            const near = [...known.values()].filter(({ atMs }) => Math.abs(atMs - one.atMs) < rule.windowMs);
            for (const { chargeId } of flaggedSince(near, one.atMs, rule)) flagged.add(chargeId);
          }

          expect([...flagged].sort()).toEqual(
            flaggedSince(all, 0, rule)
              .map(({ chargeId }) => chargeId)
              .sort(),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
