// One valid row of every table of the ledger, with awkward values where the type allows them.
// It must never give two rows the same id: the tests of one file share a store.
import type { Attempt } from "../../functions/domain/attempt.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import type { PaymentEvent } from "../../functions/domain/events.ts";
import { type LedgerEntry, type LedgerTransaction, raisedMinor } from "../../functions/domain/ledger.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import type { Refund } from "../../functions/domain/refund.ts";
import type { Change, KeyRow, Tables } from "../../functions/domain/rows.ts";

/** 2026-01-15 12:00:00.007 UTC: milliseconds that a rounding would lose. */
export const atMs = Date.UTC(2026, 0, 15, 12, 0, 0, 7);

let made = 0;

/** A new id, the same in every run of one file. */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_${String(made).padStart(6, "0")}`;
}

/** A client's text that breaks careless code: emoji, controls, quotes, a template of the client library. */
export const awkwardText = "Zoë 💶 \u0000\u001f\u2028 \"quoted\" 'single' \\back {{projectId}} -- ; \u{10ffff}";

/** Metadata whose keys are names of an object's own machinery. */
export const awkwardMetadata: Readonly<Record<string, string>> = JSON.parse(
  JSON.stringify({ order: awkwardText, constructor: "c", toString: "t", "": "empty key" }).replace(
    "{",
    '{"__proto__":"not a prototype",',
  ),
);

/** An intent that is not confirmed yet. */
export function intentRow(changes: Partial<PaymentIntent> = {}): PaymentIntent {
  const id = newId("pi");
  return {
    id,
    accountId: "acct_rows",
    version: 1,
    status: "requires_confirmation",
    amountMinor: 2_000n,
    captureBeforeMs: null,
    amountCapturableMinor: 0n,
    amountReceivedMinor: 0n,
    currency: "usd",
    captureMethod: "automatic",
    confirmationMethod: "automatic",
    clientSecret: `${id}_secret_x`,
    createdAtMs: atMs,
    canceledAtMs: null,
    cancellationReason: null,
    paymentMethod: { id: "pm_1", token: "pm_card_visa" },
    latestChargeId: null,
    lastPaymentError: null,
    nextAction: null,
    authentication: null,
    activeAttemptId: null,
    customer: null,
    description: null,
    receiptEmail: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    transferGroup: null,
    setupFutureUsage: null,
    shipping: null,
    metadata: {},
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: null,
    ...changes,
  };
}

/** An open attempt. */
export function attemptRow(changes: Partial<Attempt> = {}): Attempt {
  return {
    id: newId("att"),
    accountId: "acct_rows",
    intentId: "pi_x",
    kind: "authorize",
    state: "open",
    amountMinor: 2_000n,
    currency: "usd",
    paymentMethodToken: "pm_card_visa",
    paymentMethodId: "pm_1",
    captureLater: false,
    acquirerReference: null,
    chargeId: "ch_x",
    refundId: null,
    cancellationReason: null,
    challenge: null,
    authentication: null,
    reversesAttemptId: null,
    keyHash: "hash_x",
    leaseUntilMs: atMs + 30_000,
    createdAtMs: atMs,
    closedAtMs: null,
    ...changes,
  };
}

/** A successful charge. */
export function chargeRow(changes: Partial<Charge> = {}): Charge {
  return {
    id: newId("ch"),
    accountId: "acct_rows",
    intentId: "pi_x",
    attemptId: "att_x",
    version: 1,
    status: "succeeded",
    amountMinor: 2_000n,
    capturedMinor: 2_000n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    currency: "usd",
    createdAtMs: atMs,
    paymentMethodId: "pm_1",
    paymentMethodToken: "pm_card_visa",
    acquirerReference: "ref_1",
    failure: null,
    description: null,
    customer: null,
    receiptEmail: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    metadata: {},
    ...changes,
  };
}

/** A refund under way. */
export function refundRow(changes: Partial<Refund> = {}): Refund {
  return {
    id: newId("re"),
    accountId: "acct_rows",
    intentId: "pi_x",
    chargeId: "ch_x",
    version: 1,
    status: "pending",
    amountMinor: 500n,
    currency: "usd",
    reason: null,
    metadata: {},
    createdAtMs: atMs,
    acceptedAtMs: null,
    ...changes,
  };
}

/** A key whose request is running. */
export function keyRow(changes: Partial<KeyRow> = {}): KeyRow {
  return {
    keyHash: newId("hash"),
    accountId: "acct_rows",
    idempotencyKey: "order-17",
    method: "POST",
    path: "/v1/payment_intents",
    fingerprint: "f".repeat(64),
    requestId: "req_1",
    expand: [],
    attemptId: null,
    resourceId: null,
    intention: null,
    owner: "owner_1",
    generation: 1,
    leaseUntilMs: atMs + 30_000,
    createdAtMs: atMs,
    outcome: null,
    expiresAtMs: null,
    ...changes,
  };
}

/** A booking of 20.00, of which 0.88 is the fee of a charge. */
export function bookingRow(changes: Partial<LedgerTransaction> = {}): LedgerTransaction {
  const entries = changes.entries ?? (changes.kind === "refund" ? refundEntries : chargeEntries);
  return {
    kind: "charge",
    sourceId: newId("ch"),
    accountId: "acct_rows",
    intentId: "pi_x",
    currency: "usd",
    createdAtMs: atMs,
    availableOnMs: Date.UTC(2026, 0, 17),
    payableMinor: raisedMinor(entries, "merchant_payable"),
    feeMinor: raisedMinor(entries, "platform_fees"),
    entries,
    ...changes,
  };
}

const chargeEntries: readonly LedgerEntry[] = [
  { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 2_000n },
  { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: 1_912n },
  { ledgerAccount: "platform_fees", direction: "credit", amountMinor: 88n },
];

const refundEntries: readonly LedgerEntry[] = [
  { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 2_000n },
  { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 2_000n },
];

/** An event. */
export function eventRow(changes: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id: newId("evt"),
    accountId: "acct_rows",
    type: "payment_intent.created",
    objectId: "pi_x",
    objectVersion: 1,
    createdAtMs: atMs,
    requestId: "req_1",
    idempotencyKey: null,
    data: Uint8Array.from([0, 255, 123, 125]),
    ...changes,
  };
}

/** The change that inserts a row. */
export function insertOf<T extends keyof Tables>(table: T, row: Tables[T]): Change {
  return { op: "insert", table, row } as Change;
}
