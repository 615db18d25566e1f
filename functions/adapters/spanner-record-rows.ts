/**
 * What stands around a payment as rows: the idempotency key, the booking with its entries, the event, the outbox.
 * It must never write a booking whose debits and credits differ, nor hand one out but to whoever looks for it.
 */
import type { OutboxRow, PaymentEvent } from "../domain/events.ts";
import { imbalanceMinor, type LedgerEntry, type LedgerTransaction } from "../domain/ledger.ts";
import type { KeyRow } from "../domain/rows.ts";
import { type FoundColumns, reader, type SentColumns, sendBytes, sendJson, sendTime } from "./spanner-columns.ts";

/** The row of an idempotency key; `delete_after` is computed by the schema. */
export function sendKey(row: KeyRow): SentColumns {
  const body = row.outcome?.body ?? null;
  return {
    key_hash: row.keyHash,
    account_id: row.accountId,
    idempotency_key: row.idempotencyKey,
    method: row.method,
    path: row.path,
    fingerprint: row.fingerprint,
    request_id: row.requestId,
    expand: row.expand,
    attempt_id: row.attemptId,
    resource_id: row.resourceId,
    intention: sendJson(row.intention),
    owner: row.owner,
    generation: String(row.generation),
    lease_until: sendTime(row.leaseUntilMs),
    created_at: sendTime(row.createdAtMs),
    outcome_status: row.outcome === null ? null : String(row.outcome.status),
    outcome_body: body === null ? null : sendBytes(body),
    expires_at: sendTime(row.expiresAtMs),
  };
}

/** The key of a found row. */
export function readKey(columns: FoundColumns): KeyRow {
  const read = reader(columns);
  const status = read.countOrNull("outcome_status");
  const intention = read.textOrNull("intention");
  return {
    keyHash: read.text("key_hash"),
    accountId: read.text("account_id"),
    idempotencyKey: read.textOrNull("idempotency_key"),
    method: read.text("method"),
    path: read.text("path"),
    fingerprint: read.text("fingerprint"),
    requestId: read.text("request_id"),
    expand: read.json("expand"),
    attemptId: read.textOrNull("attempt_id"),
    resourceId: read.textOrNull("resource_id"),
    intention: intention === null ? null : JSON.parse(intention),
    owner: read.text("owner"),
    generation: read.count("generation"),
    leaseUntilMs: read.time("lease_until"),
    createdAtMs: read.time("created_at"),
    outcome: status === null ? null : { status, body: read.bytesOrNull("outcome_body") },
    expiresAtMs: read.timeOrNull("expires_at"),
  };
}

/** The row of a booking, and the rows of its entries in `ledger_entries`, numbered from 1. */
export function sendBooking(booking: LedgerTransaction): { row: SentColumns; entries: readonly SentColumns[] } {
  assertBalanced(booking);
  const key = { kind: booking.kind, source_id: booking.sourceId };
  return {
    row: {
      ...key,
      account_id: booking.accountId,
      intent_id: booking.intentId,
      currency: booking.currency,
      created_at: sendTime(booking.createdAtMs),
      available_on: sendTime(booking.availableOnMs),
      payable_minor: String(booking.payableMinor),
      fee_minor: String(booking.feeMinor),
    },
    entries: booking.entries.map((entry, index) => ({
      ...key,
      entry_number: String(index + 1),
      ledger_account: entry.ledgerAccount,
      direction: entry.direction,
      amount_minor: String(entry.amountMinor),
    })),
  };
}

/** The booking of a found row, with its entries as a nested column `entries`. */
export function readBooking(columns: FoundColumns): LedgerTransaction {
  const booking = readBookingAsItIs(columns);
  assertBalanced(booking);
  return booking;
}

/** The same for whoever looks for bookings out of balance. */
export function readBookingAsItIs(columns: FoundColumns): LedgerTransaction {
  const read = reader(columns);
  return {
    kind: read.text("kind"),
    sourceId: read.text("source_id"),
    accountId: read.text("account_id"),
    intentId: read.text("intent_id"),
    currency: read.text("currency"),
    createdAtMs: read.time("created_at"),
    availableOnMs: read.time("available_on"),
    payableMinor: read.amount("payable_minor"),
    feeMinor: read.amount("fee_minor"),
    entries: read.json<readonly FoundColumns[]>("entries").map(readEntry),
  };
}

/** The row of an event. */
export function sendEvent(event: PaymentEvent): SentColumns {
  return {
    event_id: event.id,
    account_id: event.accountId,
    type: event.type,
    object_id: event.objectId,
    object_version: String(event.objectVersion),
    created_at: sendTime(event.createdAtMs),
    request_id: event.requestId,
    idempotency_key: event.idempotencyKey,
    data: sendBytes(event.data),
    traceparent: event.traceparent ?? null,
  };
}

/** The event of a found row. */
export function readEvent(columns: FoundColumns): PaymentEvent {
  const read = reader(columns);
  const traceparent = read.textOrNull("traceparent");
  return {
    id: read.text("event_id"),
    accountId: read.text("account_id"),
    type: read.text("type"),
    objectId: read.text("object_id"),
    objectVersion: read.count("object_version"),
    createdAtMs: read.time("created_at"),
    requestId: read.text("request_id"),
    idempotencyKey: read.textOrNull("idempotency_key"),
    data: read.bytes("data"),
    ...(traceparent === null ? {} : { traceparent }),
  };
}

/** The row that says that an event still has to be published. */
export function sendOutbox(row: OutboxRow): SentColumns {
  return { event_id: row.eventId, created_at: sendTime(row.createdAtMs), lease_until: sendTime(row.leaseUntilMs) };
}

/** The outbox row of a found row. */
export function readOutbox(columns: FoundColumns): OutboxRow {
  const read = reader(columns);
  return {
    eventId: read.text("event_id"),
    createdAtMs: read.time("created_at"),
    leaseUntilMs: read.timeOrNull("lease_until"),
  };
}

function readEntry(columns: FoundColumns): LedgerEntry {
  const read = reader(columns);
  return {
    ledgerAccount: read.text("ledger_account"),
    direction: read.text("direction"),
    amountMinor: read.amount("amount_minor"),
  };
}

/** Debits equal credits, asserted before writing and after reading; a difference is a bug, and no flow may go on. */
function assertBalanced(booking: LedgerTransaction): void {
  const difference = imbalanceMinor(booking.entries);
  if (difference === 0n) return;
  throw new Error(`Booking ${booking.kind} ${booking.sourceId} is out of balance by ${difference}.`);
}
