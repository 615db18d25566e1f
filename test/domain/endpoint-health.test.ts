// The breaker of an endpoint: opened by days of failure, closed by one success, and cheap to keep.
// It must never need a counter.
import {
  afterFailure,
  afterSuccess,
  type EndpointHealth,
  freshHealth,
  opensBreaker,
} from "../../functions/domain/endpoint-health.ts";

const startMs = 1_800_000_000_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Fails each `everyMs` from the start, so often. */
function failing(times: number, everyMs: number, health: EndpointHealth = freshHealth): EndpointHealth {
  return Array.from({ length: times }).reduce<EndpointHealth>(
    (before, _, index) => afterFailure(before, startMs + index * everyMs),
    health,
  );
}

describe("the breaker", () => {
  test("opens when fifteen attempts failed and nothing succeeded for five days", () => {
    const health = failing(20, hourMs);

    expect(opensBreaker(health, startMs + 120 * hourMs - 1)).toBe(false);
    expect(opensBreaker(health, startMs + 120 * hourMs)).toBe(true);
  });

  test("stays closed with fewer failures, however long ago they began", () => {
    expect(opensBreaker(failing(14, hourMs), startMs + 1000 * hourMs)).toBe(false);
  });

  test("counts a storm of failures in one minute once", () => {
    expect(opensBreaker(failing(10_000, 5), startMs + 1000 * hourMs)).toBe(false);
  });

  test("starts anew after one success", () => {
    const recovered = afterSuccess(failing(20, hourMs), startMs + 100 * hourMs);
    const failingAgain = afterFailure(recovered, startMs + 101 * hourMs);

    expect(failingAgain.failedAtMs).toEqual([startMs + 101 * hourMs]);
    expect(opensBreaker(failingAgain, startMs + 120 * hourMs)).toBe(false);
  });

  test("is closed for a fresh endpoint", () => {
    expect(opensBreaker(freshHealth, startMs)).toBe(false);
  });
});

describe("the record", () => {
  test("is written at most once a minute while attempts fail", () => {
    const once = afterFailure(freshHealth, startMs);

    expect(afterFailure(once, startMs + minuteMs - 1)).toBe(once);
    expect(afterFailure(once, startMs + minuteMs)).not.toBe(once);
  });

  test("is no longer written once the breaker knows enough", () => {
    const full = failing(15, hourMs);

    expect(full.failedAtMs).toHaveLength(15);
    expect(afterFailure(full, startMs + 50 * hourMs)).toBe(full);
  });

  test("is written at most once a minute while attempts succeed, but at once after a failure", () => {
    const well = afterSuccess(freshHealth, startMs);
    const failedOnce = afterFailure(well, startMs + 1);

    expect(afterSuccess(well, startMs + minuteMs - 1)).toBe(well);
    expect(afterSuccess(well, startMs + minuteMs)).toEqual({ succeededAtMs: startMs + minuteMs, failedAtMs: [] });
    expect(afterSuccess(failedOnce, startMs + 2)).toEqual({ succeededAtMs: startMs + 2, failedAtMs: [] });
  });

  test("does not go back with a clock that does", () => {
    const well = afterFailure(afterSuccess(freshHealth, startMs), startMs);

    expect(afterSuccess(well, startMs - hourMs)).toEqual({ succeededAtMs: startMs, failedAtMs: [] });
  });
});
