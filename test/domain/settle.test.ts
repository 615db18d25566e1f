// How an authorization, a capture and a void end, approved and declined: one literal decision for each.
// It must never settle through a flow: what is written of a decision is another test's business.
import type { AcquirerResult, Attempt } from "../../functions/domain/attempt.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import { decide } from "../../functions/domain/decide.ts";
import type { EventDraft } from "../../functions/domain/events.ts";
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import { aCharge, aHeldView, anAttempt, anIntent, aPaidView } from "../support/payment-fixtures.ts";

const nowMs = 1_772_366_460_000;
const visa = { id: "pm_1", token: "pm_card_visa" };
const failure = { code: "card_declined", declineCode: "lost_card", message: "Your card was declined." };
const approved: AcquirerResult = { kind: "approved", reference: "acq_1" };
const declined: AcquirerResult = { kind: "declined", failure };

const processing = anIntent({ status: "processing", version: 2, paymentMethod: visa, activeAttemptId: "att_1" });
const held = aHeldView({ activeAttemptId: "att_1", version: 4 });
const authorize = anAttempt();
const hold = anAttempt({ captureLater: true });
const capture = anAttempt({ kind: "capture", amountMinor: 99n, acquirerReference: "acq_1" });
const release = anAttempt({ kind: "void", cancellationReason: "duplicate", acquirerReference: "acq_1" });

const settle = (intent: PaymentIntent, attempt: Attempt, charge: Charge | null, result: AcquirerResult) =>
  decide(intent, { kind: "settle", attempt, charge, result, terms: standardTerms }, nowMs);
const about = (...types: EventDraft["type"][]): EventDraft[] =>
  types.map((type) => ({ type, about: type.startsWith("charge") ? "charge" : "payment_intent" }));
const closed = (attempt: Attempt, state: Attempt["state"]) => ({ ...attempt, state, closedAtMs: nowMs });
const booked = (amountMinor: bigint, payableMinor: bigint, feeMinor: bigint): LedgerTransaction => ({
  kind: "charge",
  sourceId: "ch_1",
  accountId: "acct_1",
  intentId: "pi_1",
  currency: "eur",
  createdAtMs: nowMs,
  availableOnMs: Date.UTC(2026, 2, 3),
  payableMinor,
  feeMinor,
  entries: [
    { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor },
    { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: payableMinor },
    { ledgerAccount: "platform_fees", direction: "credit", amountMinor: feeMinor },
  ],
});

describe("an authorization", () => {
  test("that was approved takes the money at once", () => {
    expect(settle(processing, authorize, null, approved)).toEqual({
      kind: "changed",
      intent: {
        ...processing,
        version: 3,
        status: "succeeded",
        activeAttemptId: null,
        latestChargeId: "ch_1",
        amountReceivedMinor: 1099n,
      },
      attempt: closed(authorize, "succeeded"),
      charge: aCharge({ createdAtMs: nowMs }),
      booking: booked(1099n, 1042n, 57n),
      events: about("charge.succeeded", "payment_intent.succeeded"),
    });
  });

  test("that was approved for later holds the money, and books nothing", () => {
    expect(settle(processing, hold, null, approved)).toEqual({
      kind: "changed",
      intent: {
        ...processing,
        version: 3,
        status: "requires_capture",
        activeAttemptId: null,
        latestChargeId: "ch_1",
        amountCapturableMinor: 1099n,
        captureBeforeMs: nowMs + 7 * 24 * 60 * 60 * 1000,
      },
      attempt: closed(hold, "succeeded"),
      charge: aCharge({ createdAtMs: nowMs, capturedMinor: 0n }),
      events: about("charge.succeeded", "payment_intent.amount_capturable_updated"),
    });
  });

  test.each([authorize, hold])("that was declined leaves a failed charge and asks for another card (%#)", (attempt) => {
    expect(settle(processing, attempt, null, declined)).toEqual({
      kind: "changed",
      intent: {
        ...processing,
        version: 3,
        status: "requires_payment_method",
        activeAttemptId: null,
        latestChargeId: "ch_1",
        paymentMethod: null,
        lastPaymentError: { ...failure, chargeId: "ch_1", paymentMethod: visa },
      },
      attempt: closed(attempt, "declined"),
      charge: aCharge({ status: "failed", capturedMinor: 0n, acquirerReference: null, failure, createdAtMs: nowMs }),
      events: about("charge.failed", "payment_intent.payment_failed"),
    });
  });
});

describe("a capture", () => {
  test("of a part takes it, gives up the rest, and books what was taken", () => {
    expect(settle(held.intent, capture, held.charge, approved)).toEqual({
      kind: "changed",
      intent: {
        ...held.intent,
        version: 5,
        status: "succeeded",
        activeAttemptId: null,
        amountReceivedMinor: 99n,
        amountCapturableMinor: 0n,
        captureBeforeMs: null,
      },
      attempt: closed(capture, "succeeded"),
      charge: { ...held.charge, version: 2, capturedMinor: 99n },
      booking: booked(99n, 71n, 28n),
      events: about("charge.captured", "payment_intent.succeeded"),
    });
  });
});

describe("a void", () => {
  test("cancels the intent for the reason that was given, and books nothing", () => {
    expect(settle(held.intent, release, held.charge, approved)).toEqual({
      kind: "changed",
      intent: {
        ...held.intent,
        version: 5,
        status: "canceled",
        activeAttemptId: null,
        amountCapturableMinor: 0n,
        captureBeforeMs: null,
        canceledAtMs: nowMs,
        cancellationReason: "duplicate",
      },
      attempt: closed(release, "succeeded"),
      charge: null,
      events: about("payment_intent.canceled"),
    });
  });
});

test.each([capture, release])(
  "a $kind that the acquirer refuses leaves the money held and frees the slot",
  (attempt) => {
    expect(settle(held.intent, attempt, held.charge, declined)).toEqual({
      kind: "changed",
      intent: { ...held.intent, version: 5, activeAttemptId: null },
      attempt: closed(attempt, "declined"),
      charge: null,
      events: [],
      refusal: failure,
    });
  },
);

describe("what must never be settled", () => {
  test.each(["succeeded", "declined"] as const)("an attempt that %s, even while it holds the slot", (state) => {
    expect(() => settle(processing, { ...authorize, state }, null, approved)).toThrow("must not be settled");
  });

  test("another attempt than the one in the slot", () => {
    expect(() => settle(processing, { ...authorize, id: "att_2" }, null, approved)).toThrow("must not be settled");
  });

  test.each([
    ["is not confirmed", anIntent()],
    ["was paid", aPaidView().intent],
    ["is held", aHeldView().intent],
    ["is canceled", anIntent({ status: "canceled" })],
  ])("an attempt of an intent that %s: its slot is free", (_, intent) => {
    expect(() => settle(intent, authorize, null, approved)).toThrow("must not be settled");
  });

  test.each([
    ["no charge", null],
    ["another charge", aCharge({ id: "ch_0" })],
  ])("a capture with %s", (_, charge) => {
    expect(() => settle(held.intent, capture, charge, approved)).toThrow("was not read");
  });
});
