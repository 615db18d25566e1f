/**
 * Rows of the history's views as the flows know them: column by column, each read as what it must be.
 * It must never let a wrong type through: what is no whole number where one belongs is an error, not a NaN on a chart.
 */
import { refuse } from "../domain/errors.ts";
import type {
  ConsumerLag,
  DeclineReason,
  DeliveryDay,
  KeyLine,
  LedgerRun,
  PaymentDay,
  RefundDay,
  ReplayDay,
} from "../flows/history-ports.ts";

/** A row by column; whole numbers come as numbers, bigints or decimal text. */
export type HistoryRow = Readonly<Record<string, unknown>>;

/**
 * A whole number that fits into one of JavaScript.
 * @throws DomainError `internal` for anything else
 */
export function whole(value: unknown): number {
  const number = Number(exact(value));
  if (Number.isSafeInteger(number)) return number;
  throw refuse("internal", "The history answered with a number that is too large.");
}

/** How each row is read; each throws DomainError `internal` for a column of another type. */
export const readers = {
  paymentDay: (row: HistoryRow): PaymentDay => ({
    dayMs: whole(row["day_ms"]),
    currency: text(row["currency"]),
    payments: whole(row["payments"]),
    succeeded: whole(row["succeeded"]),
    canceled: whole(row["canceled"]),
    declined: whole(row["declined"]),
    receivedMinor: exact(row["received_minor"]),
  }),
  declineReason: (row: HistoryRow): DeclineReason => ({
    code: text(row["error_code"]),
    declineCode: textOrNull(row["decline_code"]),
    declines: whole(row["declines"]),
  }),
  refundDay: (row: HistoryRow): RefundDay => ({
    dayMs: whole(row["day_ms"]),
    currency: text(row["currency"]),
    charges: whole(row["charges"]),
    refunded: whole(row["refunded"]),
    capturedMinor: exact(row["captured_minor"]),
    refundedMinor: exact(row["refunded_minor"]),
  }),
  deliveryDay: (row: HistoryRow): DeliveryDay => ({
    dayMs: whole(row["day_ms"]),
    endpointId: text(row["endpoint_id"]),
    attempts: whole(row["attempts"]),
    succeeded: whole(row["succeeded"]),
    durationAverageMs: whole(row["duration_average_ms"]),
    durationMaxMs: whole(row["duration_max_ms"]),
    within100Ms: whole(row["within_100_ms"]),
    within500Ms: whole(row["within_500_ms"]),
    within1000Ms: whole(row["within_1000_ms"]),
    within5000Ms: whole(row["within_5000_ms"]),
  }),
  consumerLag: (row: HistoryRow): ConsumerLag => ({
    dayMs: whole(row["day_ms"]),
    consumer: text(row["consumer"]),
    events: whole(row["events"]),
    lagAverageMs: whole(row["lag_average_ms"]),
    lagMaxMs: whole(row["lag_max_ms"]),
  }),
  replayDay: (row: HistoryRow): ReplayDay => ({
    dayMs: whole(row["day_ms"]),
    executed: whole(row["executed"]),
    replayed: whole(row["replayed"]),
    waited: whole(row["waited"]),
    inUse: whole(row["in_use"]),
    mismatch: whole(row["mismatch"]),
    adopted: whole(row["adopted"]),
    released: whole(row["released"]),
  }),
  keyLine: (row: HistoryRow): KeyLine => ({
    lineId: text(row["line_id"]),
    atMs: Math.floor(whole(row["at_micros"]) / 1000),
    severity: textOrNull(row["severity"]) ?? "DEFAULT",
    message: text(row["message"]),
    service: textOrNull(row["service"]) ?? "",
    requestId: textOrNull(row["request_id"]),
    originalRequestId: textOrNull(row["original_request_id"]),
    keyOutcome: textOrNull(row["key_outcome"]),
    generation: wholeOrNull(row["generation"]),
    method: textOrNull(row["method"]),
    path: textOrNull(row["path"]),
    status: wholeOrNull(row["status"]),
    code: textOrNull(row["code"]),
    durationMs: wholeOrNull(row["duration_ms"]),
    attemptId: textOrNull(row["attempt_id"]),
    paymentIntentId: textOrNull(row["payment_intent_id"]),
    eventId: textOrNull(row["event_id"]),
    deliveryId: textOrNull(row["delivery_id"]),
    traceId: textOrNull(row["trace_id"]),
    spanId: textOrNull(row["span_id"]),
  }),
  ledgerRun: (row: HistoryRow): LedgerRun => ({
    job: jobIn(row["job"]),
    atMs: whole(row["at_ms"]),
    hasEnded: whole(row["has_ended"]) === 1,
    faults: wholeOrNull(row["faults"]),
    items: wholeOrNull(row["items"]),
  }),
} as const;

function exact(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^-?[0-9]{1,19}$/.test(value)) return BigInt(value);
  throw refuse("internal", "The history answered with something that is no whole number.");
}

function wholeOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : whole(value);
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw refuse("internal", "The history answered with something that is no text.");
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : text(value);
}

function jobIn(value: unknown): LedgerRun["job"] {
  if (value === "verify" || value === "seal" || value === "reconcile") return value;
  throw refuse("internal", "The history answered with a job that there is not.");
}
