// What a refund reserves, takes and gives back, and that the sum never exceeds what was captured.
// It must never settle through a flow: two refunds at once are another test's business.
import fc from "fast-check";
import type { AcquirerResult, Attempt } from "../../functions/domain/attempt.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import { type BegunRefund, beginRefund, type RefundRequest } from "../../functions/domain/refund.ts";
import { settleRefund } from "../../functions/domain/settle-refund.ts";
import { aCharge, anAttempt, aRefund } from "../support/payment-fixtures.ts";

const nowMs = 1_772_366_460_000;
const fence = { keyHash: "key_2", leaseUntilMs: nowMs + 30_000 };
const ids = { refundId: "re_1", attemptId: "att_2" };
const whole: RefundRequest = { amountMinor: null, reason: null, metadata: {} };
const of = (amountMinor: bigint): RefundRequest => ({ ...whole, amountMinor });
const begin = (charge: Charge, asked: RefundRequest) => beginRefund(charge, asked, ids, fence, nowMs);
const approved: AcquirerResult = { kind: "approved", reference: "acq_2" };
const accepted: AcquirerResult = { kind: "pending", reference: "acq_2", settlesAtMs: nowMs + 5_000 };
const declined: AcquirerResult = {
  kind: "declined",
  failure: { code: "refund_failed", declineCode: null, message: "The bank could not take the refund." },
};

describe("beginning a refund", () => {
  test("reserves the amount, and intends it by an attempt about the authorization", () => {
    const asked = { amountMinor: 300n, reason: "duplicate", metadata: { order: "17" } } as const;
    expect(begin(aCharge(), asked)).toEqual({
      refund: aRefund({
        version: 1,
        status: "pending",
        createdAtMs: nowMs,
        reason: "duplicate",
        metadata: { order: "17" },
        acceptedAtMs: null,
      }),
      charge: aCharge({ version: 2, refundReservedMinor: 300n }),
      attempt: refundAttempt(300n),
    });
  });

  test.each([
    ["nothing was refunded", {}, 1099n],
    ["a part was refunded", { refundedMinor: 99n }, 1000n],
    ["a part is under way", { refundReservedMinor: 100n, refundedMinor: 99n }, 900n],
    ["a part was captured", { capturedMinor: 500n }, 500n],
  ])("without an amount takes the whole rest, when %s", (_, fields, amountMinor) => {
    expect(begin(aCharge(fields), whole)).toHaveProperty("refund.amountMinor", amountMinor);
  });

  test.each([
    ["more than was captured", {}, of(1100n), "refund_too_large", "amount"],
    ["more than is left", { refundedMinor: 600n }, of(500n), "refund_too_large", "amount"],
    ["more than is left beside one under way", { refundReservedMinor: 600n }, of(500n), "refund_too_large", "amount"],
    ["more than was captured of a larger hold", { capturedMinor: 500n }, of(501n), "refund_too_large", "amount"],
    ["nothing", {}, of(0n), "refund_too_large", "amount"],
    ["less than nothing", {}, of(-5n), "refund_too_large", "amount"],
    ["what was refunded", { refundedMinor: 1099n }, of(1n), "charge_already_refunded", undefined],
    ["what is being refunded", { refundReservedMinor: 1099n }, whole, "charge_already_refunded", undefined],
    ["what is only held", { capturedMinor: 0n }, whole, "refund_impossible", "payment_intent"],
    ["what was declined", { capturedMinor: 0n, acquirerReference: null }, whole, "refund_impossible", "payment_intent"],
  ])("of %s is refused", (_, fields, asked, code, param) => {
    expect(begin(aCharge(fields), asked)).toMatchObject({ code, param });
  });

  test("of half a krona is refused, since no bank can carry it", () => {
    const krona = aCharge({ currency: "isk", amountMinor: 500n, capturedMinor: 500n });
    expect(begin(krona, of(150n))).toMatchObject({ code: "parameter_invalid", param: "amount" });
    expect(begin(krona, of(100n))).toHaveProperty("refund.amountMinor", 100n);
  });
});

describe("ending a refund", () => {
  const reserved = aCharge({ version: 2, refundReservedMinor: 300n });
  const pending = aRefund({ version: 1, status: "pending", acceptedAtMs: null });

  test("that the acquirer took moves the reservation to what was refunded, and books it", () => {
    const done = aRefund({ acceptedAtMs: nowMs });
    expect(settleRefund(pending, reserved, refundAttempt(300n), approved, standardTerms, nowMs)).toEqual({
      refund: done,
      charge: aCharge({ version: 3, refundedMinor: 300n }),
      attempt: { ...refundAttempt(300n), state: "succeeded", closedAtMs: nowMs },
      booking: {
        kind: "refund",
        sourceId: "re_1",
        accountId: "acct_1",
        intentId: "pi_1",
        currency: "eur",
        createdAtMs: nowMs,
        availableOnMs: Date.UTC(2026, 2, 3),
        payableMinor: -300n,
        feeMinor: 0n,
        entries: [
          { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 300n },
          { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 300n },
        ],
      },
      events: [
        { type: "refund.created", about: "refund" },
        { type: "charge.refunded", about: "charge" },
      ],
    });
  });

  test("that the bank could not take gives the reservation back, and books nothing", () => {
    expect(settleRefund(pending, reserved, refundAttempt(300n), declined, standardTerms, nowMs)).toEqual({
      refund: aRefund({ status: "failed", acceptedAtMs: null }),
      charge: aCharge({ version: 3 }),
      attempt: { ...refundAttempt(300n), state: "declined", closedAtMs: nowMs },
      booking: null,
      events: [
        { type: "refund.created", about: "refund" },
        { type: "refund.failed", about: "refund" },
      ],
    });
  });

  test("that the acquirer accepts is booked and stays reserved, and waits for its end", () => {
    const waiting = settleRefund(pending, reserved, refundAttempt(300n), accepted, standardTerms, nowMs);

    expect(waiting).toEqual({
      refund: { ...pending, version: pending.version + 1, acceptedAtMs: nowMs },
      charge: reserved,
      attempt: { ...refundAttempt(300n), state: "pending", leaseUntilMs: nowMs + 5_000 },
      booking: expect.objectContaining({ kind: "refund", sourceId: "re_1" }),
      events: [{ type: "refund.created", about: "refund" }],
    });
    const later = { kind: "pending", reference: "acq_2", settlesAtMs: nowMs + 9_000 } as const;
    expect(settleRefund(waiting.refund, reserved, waiting.attempt, later, standardTerms, nowMs + 5_000)).toEqual({
      ...waiting,
      attempt: { ...waiting.attempt, leaseUntilMs: nowMs + 9_000 },
      booking: null,
      events: [],
    });
  });

  test("that settles after it was accepted is not booked again", () => {
    const { refund, attempt } = settleRefund(pending, reserved, refundAttempt(300n), accepted, standardTerms, nowMs);
    const ended = settleRefund(refund, reserved, attempt, approved, standardTerms, nowMs + 5_000);

    expect(ended).toMatchObject({ refund: { status: "succeeded", acceptedAtMs: nowMs }, booking: null });
    expect(ended.charge).toMatchObject({ refundedMinor: 300n, refundReservedMinor: 0n });
    expect(ended.events.map(({ type }) => type)).toEqual(["refund.updated", "charge.refunded"]);
  });

  test("that fails after it was accepted is booked back", () => {
    const { refund, attempt } = settleRefund(pending, reserved, refundAttempt(300n), accepted, standardTerms, nowMs);
    const ended = settleRefund(refund, reserved, attempt, declined, standardTerms, nowMs + 5_000);

    expect(ended).toMatchObject({
      refund: { status: "failed" },
      booking: { kind: "refund_failure", sourceId: "re_1" },
    });
    expect(ended.charge).toMatchObject({ refundedMinor: 0n, refundReservedMinor: 0n });
    expect(ended.events.map(({ type }) => type)).toEqual(["refund.failed"]);
  });

  test.each([
    ["a closed attempt", pending, { ...refundAttempt(300n), state: "succeeded" } as const],
    ["a refund that has ended", aRefund(), refundAttempt(300n)],
    ["another refund's attempt", aRefund({ id: "re_2", status: "pending" }), refundAttempt(300n)],
  ])("twice is a bug and throws: %s", (_, refund, attempt) => {
    expect(() => settleRefund(refund, reserved, attempt, approved, standardTerms, nowMs)).toThrow(
      "must not be settled",
    );
  });
});

test("whatever is asked and however it ends: refunded and reserved never exceed what was captured", () => {
  const asked = fc.record({
    amountMinor: fc.bigInt({ min: -10n, max: 60n }),
    ends: fc.constantFrom(null, approved, declined),
  });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 100n }), fc.array(asked), (capturedMinor, requests) => {
      let charge = aCharge({ amountMinor: 100n, capturedMinor });
      for (const { amountMinor, ends } of requests) {
        const begun = begin(charge, of(amountMinor));
        if (begun instanceof Error) continue;
        charge = ends === null ? begun.charge : ended(begun, ends).charge;
        expect(charge.refundedMinor >= 0n && charge.refundReservedMinor >= 0n).toBe(true);
        expect(charge.refundedMinor + charge.refundReservedMinor <= capturedMinor).toBe(true);
      }
    }),
  );
});

function ended({ refund, charge, attempt }: BegunRefund, result: AcquirerResult) {
  return settleRefund(refund, charge, attempt, result, standardTerms, nowMs);
}

function refundAttempt(amountMinor: bigint): Attempt {
  return anAttempt({
    ...fence,
    id: "att_2",
    kind: "refund",
    amountMinor,
    acquirerReference: "acq_1",
    refundId: "re_1",
    createdAtMs: nowMs,
  });
}
