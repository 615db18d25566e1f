/**
 * How a refund ends or waits on, by the acquirer's answer: accepted, given back, or failed, with its bookings and events.
 * It never frees a reservation twice: a refund that is not pending is a bug and throws.
 */
import type { AcquirerResult, Attempt } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import type { EventDraft } from "./events.ts";
import { bookRefund, bookRefundFailure, type LedgerTransaction } from "./ledger.ts";
import type { LedgerTerms } from "./ledger-terms.ts";
import type { Refund } from "./refund.ts";

/** How a refund went. */
export interface SettledRefund {
  readonly refund: Refund;
  readonly charge: Charge;
  readonly attempt: Attempt;
  readonly booking: LedgerTransaction | null;
  readonly events: readonly EventDraft[];
}

/**
 * Moves a refund by the acquirer's answer. It is booked once the acquirer has accepted it, whether it has settled it or
 * will; one that fails after that is booked back (contract section 6).
 * @throws Error when the attempt is not the refund's own one, has ended, or the answer fits no refund
 */
export function settleRefund(
  refund: Refund,
  charge: Charge,
  attempt: Attempt,
  result: AcquirerResult,
  terms: LedgerTerms,
  nowMs: number,
): SettledRefund {
  const isWaiting = attempt.state === "open" || attempt.state === "pending";
  if (!isWaiting || refund.status !== "pending" || attempt.refundId !== refund.id) {
    throw new Error(`Attempt ${attempt.id} is not the open attempt of ${refund.id}; it must not be settled.`);
  }
  const wasAccepted = refund.acceptedAtMs !== null;
  const moved = { ...refund, version: refund.version + 1, acceptedAtMs: refund.acceptedAtMs ?? nowMs };
  switch (result.kind) {
    case "pending": {
      const waiting: Attempt = { ...attempt, state: "pending", leaseUntilMs: result.settlesAtMs };
      if (wasAccepted) return { refund, charge, attempt: waiting, booking: null, events: [] };
      return {
        refund: moved,
        charge,
        attempt: waiting,
        booking: bookRefund(moved, terms, nowMs),
        events: [{ type: "refund.created", about: "refund" }],
      };
    }
    case "declined":
      return {
        refund: { ...moved, acceptedAtMs: refund.acceptedAtMs, status: "failed" },
        charge: released(charge, refund),
        attempt: { ...attempt, state: "declined", closedAtMs: nowMs },
        booking: wasAccepted ? bookRefundFailure(refund, terms, nowMs) : null,
        events: [...created(wasAccepted), { type: "refund.failed", about: "refund" }],
      };
    case "approved":
      return {
        refund: { ...moved, status: "succeeded" },
        charge: { ...released(charge, refund), refundedMinor: charge.refundedMinor + refund.amountMinor },
        attempt: { ...attempt, state: "succeeded", closedAtMs: nowMs },
        booking: wasAccepted ? null : bookRefund(moved, terms, nowMs),
        events: [
          wasAccepted ? { type: "refund.updated", about: "refund" } : { type: "refund.created", about: "refund" },
          { type: "charge.refunded", about: "charge" },
        ],
      };
    case "challenge":
      throw new Error(`A refund cannot be challenged, but ${refund.id} was.`);
  }
}

function created(wasAccepted: boolean): readonly EventDraft[] {
  return wasAccepted ? [] : [{ type: "refund.created", about: "refund" }];
}

function released(charge: Charge, refund: Refund): Charge {
  return {
    ...charge,
    version: charge.version + 1,
    refundReservedMinor: charge.refundReservedMinor - refund.amountMinor,
  };
}
