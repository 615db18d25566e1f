// The bucket of tokens: what it grants, how it fills, and that nothing gets lost or made by rounding.
import fc from "fast-check";
import { type Bucket, isFull, takeToken } from "../../functions/domain/rate-limit.ts";

const limit = { perSecond: 3, burst: 5 };
const startMs = 1_000_000;

/** Takes as often as asked at one time; gives the bucket and how many were granted. */
function takeMany(bucket: Bucket | undefined, times: number, nowMs: number, of = limit) {
  let state = bucket;
  let granted = 0;
  for (let count = 0; count < times; count += 1) {
    const taken = takeToken(state, of, nowMs);
    state = taken.bucket;
    granted += taken.granted ? 1 : 0;
  }
  return { bucket: state, granted };
}

describe("a bucket of tokens", () => {
  test("grants its burst at once and then nothing", () => {
    expect(takeMany(undefined, 20, startMs).granted).toBe(5);
  });

  test("has the next token exactly when its share of a second has passed, and not a millisecond before", () => {
    const { bucket } = takeMany(undefined, 5, startMs);

    expect(takeToken(bucket, limit, startMs + 333).granted).toBe(false);
    expect(takeToken(bucket, limit, startMs + 334).granted).toBe(true);
  });

  test("loses nothing to rounding: three a second are three each second, however often it is asked", () => {
    let { bucket } = takeMany(undefined, 5, startMs);
    let granted = 0;
    for (let nowMs = startMs + 1; nowMs <= startMs + 10_000; nowMs += 1) {
      const taken = takeToken(bucket, limit, nowMs);
      bucket = taken.bucket;
      granted += taken.granted ? 1 : 0;
    }

    expect(granted).toBe(30);
  });

  test("does not fill beyond its burst, however long it rests", () => {
    const { bucket } = takeMany(undefined, 5, startMs);

    expect(takeMany(bucket, 20, startMs + 3_600_000).granted).toBe(5);
  });

  test("a refused request costs nothing", () => {
    const { bucket } = takeMany(undefined, 1_000, startMs);

    expect(takeMany(bucket, 20, startMs + 1_000).granted).toBe(3);
  });

  test("fills no span twice when the clock goes backwards", () => {
    const { bucket } = takeMany(undefined, 5, startMs);
    const back = takeToken(bucket, limit, startMs - 10_000).bucket;

    expect(takeMany(back, 20, startMs + 1_000).granted).toBe(3);
  });

  test("is full again when all it gave has come back", () => {
    const { bucket } = takeMany(undefined, 1, startMs);

    expect([isFull(bucket as Bucket, limit, startMs + 333), isFull(bucket as Bucket, limit, startMs + 334)]).toEqual([
      false,
      true,
    ]);
  });

  test("never grants more than its burst and its rate over the time that passed", () => {
    const asks = fc.array(fc.record({ pauseMs: fc.nat(2_000), times: fc.nat(20) }), { maxLength: 30 });
    const limits = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(asks, limits, (series, of) => {
        let bucket: Bucket | undefined;
        let [nowMs, granted] = [startMs, 0];
        for (const { pauseMs, times } of series) {
          nowMs += pauseMs;
          const taken = takeMany(bucket, times, nowMs, of);
          bucket = taken.bucket;
          granted += taken.granted;
        }
        expect(granted).toBeLessThanOrEqual(of.burst + ((nowMs - startMs) * of.perSecond) / 1000);
      }),
    );
  });
});
