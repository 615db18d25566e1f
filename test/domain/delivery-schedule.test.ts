// The schedule of a delivery: its exact times, its jitter, Retry-After, and its end after three days.
// It must never compute an expected time with the code under test: times are literal.
import fc from "fast-check";
import {
  attemptsMax,
  type FailedTry,
  isWindowOver,
  jitterOf,
  nextAttemptAtMs,
} from "../../functions/domain/delivery-schedule.ts";

const startMs = Date.parse("2026-03-01T00:00:00Z");
const window = { startedAtMs: startMs, redriveId: null };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const failed = (number: number, change: Partial<FailedTry> = {}): FailedTry => ({
  number,
  endedAtMs: startMs,
  retryAfter: null,
  overloaded: false,
  jitter: 0,
  ...change,
});

/** Times of all attempts after the start, when each one fails after `tookMs`. */
function timesOf(change: Partial<FailedTry>, tookMs = 0): number[] {
  const times = [startMs];
  for (let number = 1; ; number += 1) {
    const next = nextAttemptAtMs(window, failed(number, { ...change, endedAtMs: (times.at(-1) ?? 0) + tookMs }));
    if (next === null) return times.map((atMs) => atMs - startMs);
    times.push(next);
  }
}

const regularTimesMs = [
  0,
  5_000,
  5 * minuteMs + 5_000,
  35 * minuteMs + 5_000,
  2 * hourMs + 35 * minuteMs + 5_000,
  7 * hourMs + 35 * minuteMs + 5_000,
  17 * hourMs + 35 * minuteMs + 5_000,
  31 * hourMs + 35 * minuteMs + 5_000,
  51 * hourMs + 35 * minuteMs + 5_000,
  71 * hourMs + 35 * minuteMs + 5_000,
];

describe("the schedule without jitter", () => {
  test("has ten attempts, the last one 71 h 35 min 5 s after the first", () => {
    expect(timesOf({})).toEqual(regularTimesMs);
  });

  test("does not drift when each attempt takes 2 seconds", () => {
    expect(timesOf({}, 2_000)).toEqual(regularTimesMs);
  });

  test("gives a receiver that hangs or is overloaded a minute, and then goes on at its places", () => {
    const [first, , ...others] = regularTimesMs;

    expect(timesOf({ overloaded: true })).toEqual([first, 60_000, ...others]);
  });

  test("leaves half of the regular wait between two attempts after an outage of ours", () => {
    const afterOutageMs = startMs + 40 * hourMs;

    expect(nextAttemptAtMs(window, failed(4, { endedAtMs: afterOutageMs }))).toBe(afterOutageMs + hourMs);
  });

  test.each([0, 11, 1.5, Number.NaN])("knows no attempt %s", (number) => {
    expect(() => nextAttemptAtMs(window, failed(number))).toThrow("numbered from 1 to 10");
  });
});

describe("the window", () => {
  test.each([
    ["2026-03-03T23:59:59.999Z", false],
    ["2026-03-04T00:00:00.000Z", false],
    ["2026-03-04T00:00:00.001Z", true],
  ])("at %s is over: %s", (at, over) => {
    expect(isWindowOver(window, Date.parse(at))).toBe(over);
  });

  test("moves what would come too late to five minutes before its end, once", () => {
    const lateMs = startMs + 65 * hourMs;
    const latestMs = Date.parse("2026-03-03T23:55:00Z");

    expect(nextAttemptAtMs(window, failed(8, { endedAtMs: lateMs }))).toBe(latestMs);
    expect(nextAttemptAtMs(window, failed(9, { endedAtMs: latestMs }))).toBeNull();
  });

  test("of a redrive counts from the redrive", () => {
    const redrive = { startedAtMs: startMs + 100 * hourMs, redriveId: "rd_1" };

    expect(nextAttemptAtMs(redrive, failed(1, { endedAtMs: redrive.startedAtMs }))).toBe(redrive.startedAtMs + 5_000);
  });
});

describe("Retry-After", () => {
  const secondAt = (retryAfter: string) => nextAttemptAtMs(window, failed(1, { retryAfter }));

  test.each([
    ["in seconds, later than the place", "600", "2026-03-01T00:10:00Z"],
    ["as a date, later than the place", "Sun, 01 Mar 2026 03:00:00 GMT", "2026-03-01T03:00:00Z"],
    ["sooner than the place", "1", "2026-03-01T00:00:05Z"],
    ["a date that has passed", "Sat, 28 Feb 2026 00:00:00 GMT", "2026-03-01T00:00:05Z"],
    ["beyond the window: its end", "999999999", "2026-03-03T23:55:00Z"],
    ["no wish at all", "soon", "2026-03-01T00:00:05Z"],
  ])("%s", (_title, header, at) => {
    expect(secondAt(header)).toBe(Date.parse(at));
  });

  test("counts from the end of the attempt", () => {
    const endedAtMs = startMs + 10_000;

    expect(nextAttemptAtMs(window, failed(1, { retryAfter: "600", endedAtMs }))).toBe(startMs + 610_000);
  });
});

describe("jitter", () => {
  test("only delays, by a tenth of the wait and 15 minutes at most", () => {
    const delays = timesOf({ jitter: 0.999_999 }).map((atMs, index) => atMs - (regularTimesMs[index] ?? 0));

    const quarterMs = 15 * minuteMs - 1;
    expect(delays).toEqual([0, 499, 29_999, 179_999, 12 * minuteMs - 1, ...Array(5).fill(quarterMs)]);
  });

  test.each([-0.1, 1, Number.NaN])("is no %s", (jitter) => {
    expect(() => nextAttemptAtMs(window, failed(1, { jitter }))).toThrow("Jitter");
  });

  test("follows from its seed and fills the range", () => {
    const drawn = Array.from({ length: 1000 }, (_, index) => jitterOf(`whd_${index}:1`));

    expect(jitterOf("whd_1:1")).toBe(jitterOf("whd_1:1"));
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
    const tenths = Array.from({ length: 10 }, (_, tenth) => drawn.filter((value) => Math.floor(value * 10) === tenth));
    expect(Math.min(...tenths.map(({ length }) => length))).toBeGreaterThan(60);
  });

  test("whatever a receiver does, attempts ascend, are at most ten and start inside the window", () => {
    const attempt = fc.record({
      tookMs: fc.integer({ min: 0, max: 40 * hourMs }),
      retryAfter: fc.option(fc.nat({ max: 400_000 }).map(String)),
      overloaded: fc.boolean(),
      jitter: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(attempt, { minLength: 10, maxLength: 10 }), (attempts) => {
        let atMs: number | null = startMs;
        let made = 0;
        for (const { tookMs, ...change } of attempts) {
          if (atMs === null) break;
          made += 1;
          const endedAtMs: number = atMs + tookMs;
          atMs = nextAttemptAtMs(window, failed(made, { ...change, endedAtMs }));
          if (atMs === null) break;
          expect(atMs).toBeGreaterThan(endedAtMs);
          expect(isWindowOver(window, atMs)).toBe(false);
        }
        expect(made === attemptsMax ? atMs : null).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
