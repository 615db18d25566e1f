/**
 * The audit of the books: every booking balances, and bookings, refunds, charges and intents tell the same story.
 * It must never trust one table for another: each row is held against its counterpart, in both directions.
 */
import type { Charge } from "./charge.ts";
import { type BookingKind, imbalanceMinor, type LedgerTransaction, raisedMinor } from "./ledger.ts";
import type { PaymentIntent } from "./payment-intent.ts";
import type { Refund } from "./refund.ts";
import type { ScannedTable } from "./rows.ts";

/**
 * An audit that is shown all rows of one moment, table by table: bookings, refunds, charges, intents, then the end.
 * Each step gives the first thing that is wrong with the row it is shown, or undefined. A booking has one currency, so
 * balanced bookings are balanced currencies. In memory stays what is still without its counterpart.
 */
export function auditBooks(): Audit {
  const bookings = new Map<string, Booked>();
  const refunded = new Map<string, Refunded>();
  const captured = new Map<string, Captured>();
  /** Takes the booking out, so that what is left in the end is without its object. */
  const take = (kind: BookingKind, sourceId: string) => {
    const booked = bookings.get(bookingKey({ kind, sourceId }));
    bookings.delete(bookingKey({ kind, sourceId }));
    return booked;
  };
  return {
    booking: (booking) => {
      const key = bookingKey(booking);
      bookings.set(key, bookedBy(booking));
      return faultIf("ledger_transactions", key, bookingProblem(booking));
    },
    refund: (refund) => {
      const isDone = refund.status === "succeeded";
      const sums = refunded.get(refund.chargeId) ?? { refundId: refund.id, doneMinor: 0n, reservedMinor: 0n };
      if (isDone) sums.doneMinor += refund.amountMinor;
      if (refund.status === "pending") sums.reservedMinor += refund.amountMinor;
      refunded.set(refund.chargeId, sums);
      const wasAccepted = refund.acceptedAtMs !== null;
      const expected = wasAccepted ? { ...refund, receivableMinor: -refund.amountMinor } : undefined;
      // One that was accepted and failed later is booked back.
      const isBack = wasAccepted && refund.status === "failed";
      const back = isBack ? { ...refund, receivableMinor: refund.amountMinor } : undefined;
      const problem =
        bookedProblem(take("refund", refund.id), expected) ??
        bookedProblem(take("refund_failure", refund.id), back, "its failure");
      return faultIf("refunds", refund.id, problem);
    },
    charge: (charge) => {
      const { id, accountId, intentId, currency, capturedMinor } = charge;
      const sums = refunded.get(id);
      refunded.delete(id);
      if (capturedMinor > 0n) captured.set(id, { id, accountId, intentId, currency, capturedMinor });
      const expected = capturedMinor > 0n ? { ...charge, receivableMinor: capturedMinor } : undefined;
      const problem = bookedProblem(take("charge", id), expected) ?? refundedProblem(charge, sums);
      return faultIf("charges", id, problem);
    },
    intent: (intent) => {
      const charge = captured.get(intent.latestChargeId ?? "");
      // What only one that succeeded received; the charge of any other is left over in the end.
      if (intent.status === "succeeded" && charge !== undefined) captured.delete(charge.id);
      return faultIf("payment_intents", intent.id, receivedProblem(intent, charge));
    },
    end: () => {
      const [booking] = bookings.keys();
      if (booking !== undefined) return faultIf("ledger_transactions", booking, "its charge or refund does not exist");
      const [[chargeId, sums] = []] = refunded;
      if (sums !== undefined) return faultIf("refunds", sums.refundId, `its charge ${chargeId} does not exist`);
      const [charge] = captured.values();
      if (charge === undefined) return undefined;
      return faultIf("charges", charge.id, `it was captured, but is not what ${charge.intentId} received`);
    },
  };
}

/** See `auditBooks`; the steps are called in this order. */
export interface Audit {
  booking(row: LedgerTransaction): Fault | undefined;
  refund(row: Refund): Fault | undefined;
  charge(row: Charge): Fault | undefined;
  intent(row: PaymentIntent): Fault | undefined;
  /** What is left without its counterpart. */
  end(): Fault | undefined;
}

/** A row that is wrong, and why; it holds ids and amounts in minor units, and nothing that a client wrote. */
export interface Fault {
  readonly table: ScannedTable | "balance_checkpoints" | "ledger_seals";
  /** The primary key; `kind/source_id` for a booking, `shard/number` for a seal. */
  readonly key: string;
  readonly problem: string;
}

/** What a booking says of its object. */
interface Booked extends Subject {
  /** By how much the acquirer owes us more; negative for a refund. */
  readonly receivableMinor: bigint;
}

/** What an intent is held against. */
type Captured = Subject & Pick<Charge, "id" | "capturedMinor">;

/** Whose money it is, and which. */
type Subject = Pick<LedgerTransaction, "accountId" | "intentId" | "currency">;

/** Sums over the refunds of a charge; `refundId` is the first of them. */
interface Refunded {
  readonly refundId: string;
  doneMinor: bigint;
  reservedMinor: bigint;
}

function bookingKey({ kind, sourceId }: Pick<LedgerTransaction, "kind" | "sourceId">): string {
  return `${kind}/${sourceId}`;
}

function bookedBy({ accountId, intentId, currency, entries }: LedgerTransaction): Booked {
  return { accountId, intentId, currency, receivableMinor: raisedMinor(entries, "acquirer_receivable") };
}

function bookingProblem(booking: LedgerTransaction): string | undefined {
  const { entries } = booking;
  const difference = imbalanceMinor(entries);
  if (difference !== 0n) return `debits and credits differ by ${difference}`;
  if (entries.length === 0) return "it has no entries";
  if (entries.some(({ amountMinor }) => amountMinor <= 0n)) return "an entry moves nothing";
  return sumsProblem(booking) ?? availableProblem(booking);
}

/** Balances are sums of what stands beside the entries, so it must be what the entries say. */
function sumsProblem({ kind, entries, payableMinor, feeMinor }: LedgerTransaction): string | undefined {
  const [payable, fee] = [raisedMinor(entries, "merchant_payable"), raisedMinor(entries, "platform_fees")];
  if (payableMinor !== payable) return `it says that ${payableMinor} is payable, its entries say ${payable}`;
  if (feeMinor !== fee) return `it says that ${feeMinor} is the fee, its entries say ${fee}`;
  if (kind !== "charge") return fee === 0n ? undefined : `it takes a fee of ${fee}, which only a charge has`;
  const takenMinor = raisedMinor(entries, "acquirer_receivable");
  return takenMinor > 0n && (fee < 0n || fee > takenMinor) ? `it takes a fee of ${fee} from ${takenMinor}` : undefined;
}

function availableProblem({ availableOnMs, createdAtMs }: LedgerTransaction): string | undefined {
  if (availableOnMs % dayMs !== 0) return "it is not available from a midnight";
  return availableOnMs <= createdAtMs - dayMs ? "it is available before its own day" : undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Holds an object against its booking; `expected` is undefined for one that must have none. */
function bookedProblem(booked: Booked | undefined, expected: Booked | undefined, subject = "it"): string | undefined {
  if (expected === undefined) return booked === undefined ? undefined : `${subject} moved no money, but is booked`;
  if (booked === undefined) return `${subject} is not booked`;
  if (booked.receivableMinor !== expected.receivableMinor) {
    return `${subject} moved ${expected.receivableMinor}, but ${booked.receivableMinor} is booked`;
  }
  return subjectProblem(booked, expected, "its booking");
}

function subjectProblem(one: Subject, other: Subject, name: string): string | undefined {
  const fields = ["accountId", "intentId", "currency"] as const;
  const different = fields.find((field) => one[field] !== other[field]);
  return different && `${name} has another ${different}`;
}

function refundedProblem(charge: Charge, sums: Refunded | undefined): string | undefined {
  const { doneMinor, reservedMinor } = sums ?? { doneMinor: 0n, reservedMinor: 0n };
  const { refundedMinor, refundReservedMinor, capturedMinor } = charge;
  if (refundedMinor !== doneMinor) return `it counts ${refundedMinor} as refunded, its refunds are ${doneMinor}`;
  if (refundReservedMinor !== reservedMinor) {
    return `it reserves ${refundReservedMinor}, its pending refunds are ${reservedMinor}`;
  }
  const returned = refundedMinor + refundReservedMinor;
  return returned > capturedMinor ? `it gives back ${returned} of ${capturedMinor}` : undefined;
}

function receivedProblem(intent: PaymentIntent, charge: Captured | undefined): string | undefined {
  const { id, status, amountReceivedMinor, accountId, currency } = intent;
  if (status !== "succeeded") {
    return amountReceivedMinor === 0n ? undefined : `it is ${status}, but received ${amountReceivedMinor}`;
  }
  if (charge === undefined) return "it succeeded without a captured charge";
  if (charge.capturedMinor !== amountReceivedMinor) {
    return `it received ${amountReceivedMinor}, its charge captured ${charge.capturedMinor}`;
  }
  return subjectProblem(charge, { accountId, currency, intentId: id }, "its charge");
}

function faultIf(table: ScannedTable, key: string, problem: string | undefined): Fault | undefined {
  return problem === undefined ? undefined : { table, key, problem };
}
