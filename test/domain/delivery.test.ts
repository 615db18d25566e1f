// What an attempt comes to and what follows from it, from its answer to the next attempt or the dead letter.
// It must never send anything: answers are values.
import {
  complete,
  type EndpointState,
  isOverload,
  judge,
  nextStep,
  type PendingAttempt,
  stepInsteadOf,
} from "../../functions/domain/delivery.ts";
import type { Answered, Exchange, TransportFailure } from "../../functions/domain/exchange.ts";

const startMs = Date.parse("2026-03-01T00:00:00Z");
const hourMs = 3_600_000;
const window = { startedAtMs: startMs, redriveId: null };
const scheduled = (number: number, startedAtMs = startMs): PendingAttempt => ({
  deliveryId: "whd_1",
  trigger: { kind: "schedule", number },
  startedAtMs,
});
const resend: PendingAttempt = {
  deliveryId: "whd_1",
  trigger: { kind: "resend", resendId: "rs_1" },
  startedAtMs: startMs,
};
const answered = (status: number, change: Partial<Answered> = {}): Exchange => ({
  kind: "answered",
  status,
  retryAfter: null,
  excerpt: "",
  bodyEnd: "complete",
  durationMs: 5,
  ...change,
});
const silent = (failure: TransportFailure): Exchange => ({
  kind: "not_answered",
  failure,
  reason: "for a test",
  durationMs: 5,
});
const judged = (attempt: PendingAttempt, exchange: Exchange) => judge(complete(attempt, exchange, attempt.startedAtMs));

describe("an answer", () => {
  test.each([200, 201, 202, 204, 226, 299])("of %s is success", (status) => {
    expect(judged(scheduled(1), answered(status)).outcome).toBe("succeeded");
  });

  test.each(["cut", "broken"] as const)("of 200 with a body that was %s is success", (bodyEnd) => {
    expect(judged(scheduled(1), answered(200, { bodyEnd })).outcome).toBe("succeeded");
  });

  test.each([
    [300, "redirect"],
    [301, "redirect"],
    [302, "redirect"],
    [304, "redirect"],
    [307, "redirect"],
    [308, "redirect"],
    [400, "status"],
    [401, "status"],
    [404, "status"],
    [409, "status"],
    [410, "gone"],
    [429, "status"],
    [500, "status"],
    [503, "status"],
    [599, "status"],
  ])("of %s is a failure of class %s", (status, failure) => {
    expect(judged(scheduled(1), answered(status))).toMatchObject({ outcome: "failed", failure });
  });

  test("that ends before it began, by a clock that went back, took no time", () => {
    expect(complete(scheduled(1), answered(200), startMs - 1).endedAtMs).toBe(startMs);
  });
});

describe("after a scheduled attempt", () => {
  test("that succeeded the delivery is done", () => {
    expect(nextStep(judged(scheduled(3), answered(204)), window)).toEqual({ kind: "delivered" });
  });

  test.each(["dns_error", "connection_error", "tls_error", "timeout", "protocol_error"] as const)(
    "F43: that failed with %s comes the next one, like after a bad status",
    (failure) => {
      const step = nextStep(judged(scheduled(3, startMs + 305_000), silent(failure)), window);

      expect(step).toEqual({ kind: "retry", number: 4, atMs: expect.any(Number) });
      const { atMs } = step as { atMs: number };
      expect(atMs).toBeGreaterThanOrEqual(startMs + 2_105_000);
      expect(atMs).toBeLessThan(startMs + 2_105_000 + 180_000);
    },
  );

  test("F36: that met a blocked destination comes a dead letter at once", () => {
    expect(nextStep(judged(scheduled(1), silent("blocked_destination")), window)).toEqual({
      kind: "dead_letter",
      reason: "blocked_destination",
      disablesEndpoint: false,
    });
  });

  test("that was answered 410 comes a dead letter, and the endpoint is disabled", () => {
    expect(nextStep(judged(scheduled(1), answered(410)), window)).toEqual({
      kind: "dead_letter",
      reason: "endpoint_gone",
      disablesEndpoint: true,
    });
  });

  test("F44: that was the tenth comes a dead letter: exhausted", () => {
    const tenth = scheduled(10, startMs + 71.6 * hourMs);

    expect(nextStep(judged(tenth, answered(403)), window)).toMatchObject({ kind: "dead_letter", reason: "exhausted" });
  });

  test("that was late and leaves no time for another comes a dead letter: window over", () => {
    const eighth = scheduled(8, startMs + 71.95 * hourMs);

    expect(nextStep(judged(eighth, answered(500)), window)).toMatchObject({ reason: "window_over" });
  });

  test("the wish of the receiver is heard", () => {
    const step = nextStep(judged(scheduled(1), answered(503, { retryAfter: "7200" })), window);

    expect(step).toEqual({ kind: "retry", number: 2, atMs: startMs + 2 * hourMs });
  });

  test("two deliveries of one outage come back at different times, and each always at the same", () => {
    const fourthOf = (deliveryId: string) =>
      nextStep(judged({ ...scheduled(4), deliveryId }, answered(500)), window) as { atMs: number };

    expect(fourthOf("whd_1").atMs).toBe(fourthOf("whd_1").atMs);
    expect(fourthOf("whd_1").atMs).not.toBe(fourthOf("whd_2").atMs);
  });
});

describe("after a resend", () => {
  test("that succeeded the delivery is done", () => {
    expect(nextStep(judged(resend, answered(200)), window)).toEqual({ kind: "delivered" });
  });

  test.each([answered(500), silent("timeout"), silent("blocked_destination")])(
    "that failed nothing changes (%#)",
    (exchange) => {
      expect(nextStep(judged(resend, exchange), window)).toEqual({ kind: "unchanged" });
    },
  );

  test("that was answered 410 the endpoint is disabled", () => {
    expect(nextStep(judged(resend, answered(410)), window)).toMatchObject({ disablesEndpoint: true });
  });
});

describe("before an attempt", () => {
  test("to an enabled endpoint inside the window nothing stands in its way", () => {
    expect(stepInsteadOf(scheduled(10, startMs + 72 * hourMs), "enabled", window)).toBeNull();
  });

  test("past the window it is a dead letter and is not sent", () => {
    const late = scheduled(10, startMs + 72 * hourMs + 1);

    expect(stepInsteadOf(late, "enabled", window)).toMatchObject({ kind: "dead_letter", reason: "window_over" });
  });

  test.each([
    ["disabled", "endpoint_disabled"],
    ["deleted", "endpoint_deleted"],
  ] satisfies [EndpointState, string][])("to a %s endpoint it is a dead letter: %s", (state, reason) => {
    expect(stepInsteadOf(scheduled(1), state, window)).toMatchObject({ kind: "dead_letter", reason });
  });

  test("a resend is not bound to the window, but needs an enabled endpoint", () => {
    const late = { ...resend, startedAtMs: startMs + 500 * hourMs };

    expect(stepInsteadOf(late, "enabled", window)).toBeNull();
    expect(stepInsteadOf(late, "disabled", window)).toEqual({ kind: "unchanged" });
  });
});

test.each([
  [answered(429), true],
  [answered(502), true],
  [answered(503), true],
  [answered(504), true],
  [silent("timeout"), true],
  [answered(500), false],
  [silent("connection_error"), false],
])("an overloaded receiver is told from one that is wrong (%#)", (exchange, overloaded) => {
  const attempt = judged(scheduled(1), exchange);

  expect(attempt.outcome === "failed" && isOverload(attempt)).toBe(overloaded);
});
