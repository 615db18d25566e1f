/**
 * The life of a key and the timeline of a payment in the words of the API: objects of ours, times in milliseconds.
 * It never shows a stored answer, a client secret, a payment method's token, or more of a lease's owner than its beginning.
 */
import type { Attempt } from "../domain/attempt.ts";
import { balanceTransactionId } from "../domain/balance-transaction.ts";
import type { PaymentEvent } from "../domain/events.ts";
import { isExpired } from "../domain/idempotency.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import { type PaymentRecords, takenOverAtMs } from "../domain/story.ts";
import type { AttemptRecord, WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { KeyLife, PaymentLife } from "../flows/read-life.ts";
import { keySteps, orderedSteps, paymentSteps, statusIn } from "./story-steps.ts";
import { wireAmount } from "./wire-scalars.ts";

/** `GET /v1/idempotency_keys/life`; `leaseMs` is how long this API's leases are. */
export function serializeKeyLife(life: KeyLife, leaseMs: number) {
  const { row, claim, payment, caused } = life;
  const known = typeof claim === "string" ? null : claim;
  return {
    object: "idempotency_key_life",
    key_id: life.keyHash,
    idempotency_key: row?.idempotencyKey ?? null,
    livemode: false,
    read_at_ms: life.readAtMs,
    state: stateOf(life),
    record: row === null ? null : recordOf(row, takenOverAtMs(row, leaseMs)),
    claim_read: typeof claim === "string" ? claim : "found",
    claim: known === null ? null : claimOf(known),
    ...recordsOf(caused, payment, row !== null && takenOverAtMs(row, leaseMs) !== null ? row.attemptId : null),
    deliveries: life.deliveries.map(deliveryOf),
    story: orderedSteps([...keySteps(life, leaseMs), ...paymentSteps({ ...caused, payment }, life.deliveries)]),
  } as const;
}

/** `GET /v1/payment_intents/:id/timeline`. */
export function serializePaymentLife({ payment, deliveries, readAtMs }: PaymentLife) {
  const { intent, refunds } = payment;
  return {
    object: "payment_timeline",
    payment_intent: intent.id,
    amount: wireAmount(intent.amountMinor),
    currency: intent.currency,
    livemode: false,
    read_at_ms: readAtMs,
    status: intent.status,
    version: intent.version,
    ...recordsOf(payment, payment, null),
    refunds: refunds.map(({ id, amountMinor, status, createdAtMs }) => {
      return { id, amount: wireAmount(amountMinor), status, created_at_ms: createdAtMs };
    }),
    deliveries: deliveries.map(deliveryOf),
    story: orderedSteps(paymentSteps({ ...payment, payment }, deliveries)),
  } as const;
}

/** What is happening to the key: `claimed` while only the cache knows it, or knows that it is free again. */
function stateOf({ row, readAtMs }: KeyLife): "claimed" | "in_progress" | "completed" | "expired" {
  if (row === null) return "claimed";
  if (row.outcome === null) return "in_progress";
  return isExpired(row.expiresAtMs, readAtMs) ? "expired" : "completed";
}

function recordOf(row: NonNullable<KeyLife["row"]>, takenOver: number | null) {
  const { outcome } = row;
  return {
    method: row.method,
    path: row.path,
    fingerprint: row.fingerprint,
    request: row.requestId,
    resource: row.resourceId,
    attempt: row.attemptId,
    generation: row.generation,
    owner: shortened(row.owner),
    lease_until_ms: row.leaseUntilMs,
    taken_over_at_ms: takenOver,
    created_at_ms: row.createdAtMs,
    outcome:
      outcome === null
        ? null
        : { status: outcome.status, body_bytes: outcome.bytes, body_encrypted: outcome.encrypted },
    expires_at_ms: row.expiresAtMs,
  };
}

function claimOf(claim: Exclude<KeyLife["claim"], string>) {
  const { outcome } = claim;
  return {
    state: claim.state,
    fingerprint: claim.fingerprint,
    request: claim.requestId,
    generation: claim.generation,
    owner: shortened(claim.owner),
    lease_until_ms: claim.leaseUntilMs,
    created_at_ms: claim.createdAtMs,
    answer: outcome === null ? "none" : outcome === "in_ledger" ? "in_ledger" : "kept",
    expires_at_ms: claim.expiresAtMs,
  } as const;
}

/** Enough to tell two workers apart, too little to be anybody's token. */
function shortened(owner: string): string {
  return owner.slice(0, 8);
}

function recordsOf(
  { attempts, bookings, events }: Pick<PaymentRecords, "attempts" | "bookings" | "events">,
  payment: PaymentRecords | null,
  adopted: string | null,
) {
  return {
    attempts: attempts.map((attempt) => attemptOf(attempt, payment, adopted)),
    ledger_transactions: bookings.map(bookingOf),
    events: events.map(eventOf),
  };
}

function attemptOf(attempt: Attempt, payment: PaymentRecords | null, adopted: string | null) {
  const failure = payment?.charges.find(({ attemptId }) => attemptId === attempt.id)?.failure ?? null;
  return {
    id: attempt.id,
    kind: attempt.kind,
    state: attempt.state,
    amount: wireAmount(attempt.amountMinor),
    currency: attempt.currency,
    payment_method: attempt.paymentMethodId,
    charge: attempt.chargeId,
    refund: attempt.refundId,
    reverses: attempt.reversesAttemptId,
    adopted: attempt.id === adopted,
    failure: failure === null ? null : { code: failure.code, decline_code: failure.declineCode },
    lease_until_ms: attempt.leaseUntilMs,
    created_at_ms: attempt.createdAtMs,
    closed_at_ms: attempt.closedAtMs,
  };
}

function bookingOf(booking: LedgerTransaction) {
  return {
    id: balanceTransactionId(booking),
    kind: booking.kind,
    source: booking.sourceId,
    currency: booking.currency,
    created_at_ms: booking.createdAtMs,
    available_on_ms: booking.availableOnMs,
    entries: booking.entries.map(({ ledgerAccount, direction, amountMinor }) => {
      return { account: ledgerAccount, direction, amount: wireAmount(amountMinor) };
    }),
  };
}

function eventOf(event: PaymentEvent) {
  return {
    id: event.id,
    type: event.type,
    object_id: event.objectId,
    object_version: event.objectVersion,
    status: statusIn(event),
    request: event.requestId === "" ? null : event.requestId,
    created_at_ms: event.createdAtMs,
  };
}

function deliveryOf(delivery: WebhookDelivery) {
  return {
    id: delivery.id,
    event: delivery.eventId,
    event_type: delivery.eventType,
    webhook_endpoint: delivery.endpointId,
    status: delivery.state,
    in_flight: delivery.inFlight !== null,
    next_attempt: delivery.next === null ? null : { number: delivery.next.number, at_ms: delivery.next.atMs },
    dead_letter_reason: delivery.dead?.reason ?? null,
    redrive: delivery.window.redriveId,
    created_at_ms: delivery.createdAtMs,
    attempts: delivery.attempts.map(deliveryAttemptOf),
  };
}

function deliveryAttemptOf({
  id,
  trigger,
  redriveId,
  startedAtMs,
  durationMs,
  failure,
  status,
  excerpt,
}: AttemptRecord) {
  return {
    id,
    number: trigger.kind === "schedule" ? trigger.number : null,
    resend: trigger.kind === "resend" ? trigger.resendId : null,
    redrive: redriveId,
    started_at_ms: startedAtMs,
    duration_ms: durationMs,
    failure,
    http_status: status,
    response_excerpt: excerpt,
  };
}

/** A life as it goes over the wire. */
export type WireKeyLife = ReturnType<typeof serializeKeyLife>;

/** A timeline as it goes over the wire. */
export type WirePaymentTimeline = ReturnType<typeof serializePaymentLife>;
