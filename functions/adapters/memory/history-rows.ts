/**
 * One row of each answer of the history, counted from the facts of its group: the memory twin of the aggregations in SQL.
 * It must never read more of a fact than the views do.
 */
import type {
  ConsumerLag,
  DeliveryDay,
  KeyLine,
  LedgerRun,
  PaymentDay,
  RefundDay,
  ReplayDay,
} from "../../flows/history-ports.ts";
import { type EventFact, type LineFact, numberIn, type ObjectFact, objectOf, textIn } from "./history-facts.ts";

/** Payments of one day and currency. */
export function paymentDayOf(dayMs: number, currency: string, payments: readonly ObjectFact[]): PaymentDay {
  const withStatus = (status: string) => payments.filter(({ object }) => object["status"] === status).length;
  return {
    ...{ dayMs, currency, payments: payments.length },
    succeeded: withStatus("succeeded"),
    canceled: withStatus("canceled"),
    declined: payments.filter(({ types }) => types.includes("payment_intent.payment_failed")).length,
    receivedMinor: sum(payments, "amount_received"),
  };
}

/** Captured charges of one day and currency. */
export function refundDayOf(dayMs: number, currency: string, charges: readonly ObjectFact[]): RefundDay {
  return {
    ...{ dayMs, currency, charges: charges.length },
    refunded: charges.filter(({ object }) => (numberIn(object, "amount_refunded") ?? 0) > 0).length,
    capturedMinor: sum(charges, "amount_captured"),
    refundedMinor: sum(charges, "amount_refunded"),
  };
}

/** Attempts of one day to one endpoint. */
export function deliveryDayOf(dayMs: number, endpointId: string, attempts: readonly LineFact[]): DeliveryDay {
  const durations = attempts.map(({ payload }) => Math.floor(numberIn(payload, "durationMs") ?? 0));
  const within = (limitMs: number) => durations.filter((durationMs) => durationMs <= limitMs).length;
  return {
    ...{ dayMs, endpointId, attempts: attempts.length },
    succeeded: attempts.filter(({ payload }) => payload["outcome"] === "succeeded").length,
    ...{ durationAverageMs: average(durations), durationMaxMs: Math.max(...durations) },
    ...{ within100Ms: within(100), within500Ms: within(500), within1000Ms: within(1_000), within5000Ms: within(5_000) },
  };
}

/** What one consumer dealt with on one day. */
export function consumerLagOf(
  dayMs: number,
  consumer: string,
  dealt: readonly { readonly event: EventFact; readonly atMs: number }[],
): ConsumerLag {
  const lags = dealt.map(({ event, atMs }) => Math.max(0, atMs - event.firstPublishedAtMs));
  return { dayMs, consumer, events: dealt.length, lagAverageMs: average(lags), lagMaxMs: Math.max(...lags) };
}

/** Keyed requests of one day. */
export function replayDayOf(dayMs: number, _name: string, requests: readonly LineFact[]): ReplayDay {
  const ended = (outcome: string) => requests.filter(({ payload }) => payload["keyOutcome"] === outcome).length;
  return {
    ...{ dayMs, executed: ended("executed"), replayed: ended("replayed"), waited: ended("waited") },
    ...{ inUse: ended("in_use"), mismatch: ended("mismatch"), adopted: ended("adopted"), released: ended("released") },
  };
}

/** One line about a key. */
export function keyLineOf({ lineId, atMicros, entry, payload }: LineFact): KeyLine {
  const text = (name: string) => textIn(payload, name);
  const whole = (name: string) => wholeIn(numberIn(payload, name));
  return {
    ...{ lineId, atMs: Math.floor(atMicros / 1000), severity: textIn(entry, "severity") ?? "DEFAULT" },
    ...{ message: text("message") ?? "", service: serviceOf(entry) },
    ...{ requestId: text("requestId"), originalRequestId: text("originalRequestId"), keyOutcome: text("keyOutcome") },
    ...{ generation: whole("generation"), method: text("method"), path: text("path"), status: whole("status") },
    ...{ code: text("code"), durationMs: whole("durationMs"), attemptId: text("attemptId") },
    ...{ paymentIntentId: text("paymentIntentId"), eventId: text("eventId"), deliveryId: text("deliveryId") },
    traceId: /([0-9a-f]{32})$/.exec(textIn(entry, "trace") ?? "")?.[1] ?? null,
    spanId: textIn(entry, "spanId"),
  };
}

/** The run of a job that a line tells of; undefined for every other line. */
export function ledgerRunOf({ atMicros, payload }: LineFact): LedgerRun | undefined {
  const atMs = Math.floor(atMicros / 1000);
  const whole = (name: string) => wholeIn(numberIn(payload, name));
  switch (payload["message"]) {
    case "ledger verification ended": {
      const isSound = textIn(objectOf(payload["fault"]), "table") === null;
      return { job: "verify", atMs, hasEnded: true, faults: isSound ? 0 : 1, items: null };
    }
    case "ledger sealing ended":
      return { job: "seal", atMs, hasEnded: true, faults: 0, items: whole("bookings") };
    case "reconciliation ended":
      return { job: "reconcile", atMs, hasEnded: true, faults: whole("open"), items: whole("attempts") };
    case "job failed": {
      const job = (["verify", "seal", "reconcile"] as const).find((name) => payload["path"] === `/${name}`);
      return job && { job, atMs, hasEnded: false, faults: null, items: null };
    }
    default:
      return undefined;
  }
}

function serviceOf(entry: LineFact["entry"]): string {
  return textIn(objectOf(objectOf(entry["resource"])["labels"]), "service_name") ?? "";
}

function sum(facts: readonly ObjectFact[], name: string): bigint {
  return facts.reduce((total, { object }) => total + BigInt(numberIn(object, name) ?? 0), 0n);
}

/** Whole, as integer division in SQL. */
function average(numbers: readonly number[]): number {
  return Math.floor(numbers.reduce((total, one) => total + one, 0) / numbers.length);
}

function wholeIn(value: number | null): number | null {
  return value === null ? null : Math.floor(value);
}
