// The rows of one paid and partly refunded intent, ways to make one of them wrong, and what the audit says of them.
// It must never plant through a store: what a store lets through is never wrong.
import { auditBooks } from "../../functions/domain/audit-books.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import type { Refund } from "../../functions/domain/refund.ts";
import type { ScannedTable, Tables } from "../../functions/domain/rows.ts";
import { atMs, bookingRow, chargeRow, intentRow, refundRow } from "./ledger-rows.ts";

/** Rows by table. */
export type Rows = { [T in ScannedTable]: Tables[T][] };

/** The first fault in one line, or "sound". */
export function audited(rows: Rows): string {
  const audit = auditBooks();
  const faults = [
    ...rows.ledger_transactions.map(audit.booking),
    ...rows.refunds.map(audit.refund),
    ...rows.charges.map(audit.charge),
    ...rows.payment_intents.map(audit.intent),
    audit.end(),
  ];
  const fault = faults.find((each) => each !== undefined);
  return fault === undefined ? "sound" : `${fault.table} ${fault.key}: ${fault.problem}`;
}

/** Whose money it is in all of them. */
export const shared = { accountId: "acct_1", intentId: "pi_1", currency: "usd" } as const;

/** One intent of 20.00, of which 5.00 went back. */
export function paidAndRefunded(): Rows {
  const back: LedgerTransaction["entries"] = [
    { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 500n },
    { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 500n },
  ];
  return {
    payment_intents: [
      intentRow({
        status: "succeeded",
        amountReceivedMinor: 2_000n,
        id: "pi_1",
        accountId: "acct_1",
        latestChargeId: "ch_1",
      }),
      intentRow({ id: "pi_9", accountId: "acct_1" }),
    ],
    charges: [chargeRow({ ...shared, id: "ch_1", refundedMinor: 500n })],
    refunds: [refundRow({ ...shared, id: "re_1", chargeId: "ch_1", status: "succeeded", acceptedAtMs: atMs })],
    ledger_transactions: [
      bookingRow({ ...shared, sourceId: "ch_1" }),
      bookingRow({ ...shared, kind: "refund", sourceId: "re_1", entries: back }),
    ],
  };
}

/** Makes rows wrong. */
export type Plant = (rows: Rows) => void;

/** One after the other. */
export function both(one: Plant, other: Plant): Plant {
  return (rows) => {
    one(rows);
    other(rows);
  };
}

/** Changes the first row of a table. */
export function intent(change: Partial<PaymentIntent>): Plant {
  return (rows) => void Object.assign(rows.payment_intents[0] ?? {}, change);
}

/** Changes the charge. */
export function charge(change: Partial<Charge>): Plant {
  return (rows) => void Object.assign(rows.charges[0] ?? {}, change);
}

/** Changes the refund. */
export function refund(change: Partial<Refund>): Plant {
  return (rows) => void Object.assign(rows.refunds[0] ?? {}, change);
}

/** Changes the booking of a kind. */
export function booking(kind: LedgerTransaction["kind"], change: Partial<LedgerTransaction>): Plant {
  return (rows) => void Object.assign(rows.ledger_transactions.find((each) => each.kind === kind) ?? {}, change);
}

/** Gives the booking of the charge other entries, and leaves what it says of them. */
export function entries(rows: Rows, changed: LedgerTransaction["entries"]): void {
  booking("charge", { entries: changed })(rows);
}

/** Changes one of these entries. */
export function entry(index: number, change: Partial<LedgerTransaction["entries"][number]>): Plant {
  return (rows) => {
    const present = rows.ledger_transactions[0]?.entries ?? [];
    entries(
      rows,
      present.map((each, place) => (place === index ? { ...each, ...change } : each)),
    );
  };
}

/** Gives a booking other entries, and what they come to. */
export function summed(rows: Rows, kind: LedgerTransaction["kind"], changed: LedgerTransaction["entries"]): void {
  const { payableMinor, feeMinor } = bookingRow({ entries: changed });
  booking(kind, { entries: changed, payableMinor, feeMinor })(rows);
}

/** Books the failure of the refund. */
export function failure(amountMinor = 500n): Plant {
  return (rows) => {
    const booked: LedgerTransaction["entries"] = [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor },
      { ledgerAccount: "merchant_payable", direction: "credit", amountMinor },
    ];
    const row = bookingRow({ ...shared, kind: "refund_failure", sourceId: "re_1", entries: booked });
    rows.ledger_transactions.push(row);
  };
}

/** Books the charge the wrong way round. */
export function swap(rows: Rows): void {
  const present = rows.ledger_transactions[0]?.entries ?? [];
  summed(
    rows,
    "charge",
    present.map((each) => ({ ...each, direction: each.direction === "debit" ? "credit" : "debit" })),
  );
}

/** All rows agree that 25.00 of 20.00 went back. */
export function overRefund(rows: Rows): void {
  const back = rows.ledger_transactions[1]?.entries.map((each) => ({ ...each, amountMinor: 2_500n })) ?? [];
  summed(rows, "refund", back);
  refund({ amountMinor: 2_500n })(rows);
  charge({ refundedMinor: 2_500n })(rows);
}

/** Leaves out the rows of a table, or the bookings of one kind. */
export function without(table: ScannedTable, kind?: LedgerTransaction["kind"]): Plant {
  return (rows) => {
    const kept = table === "ledger_transactions" ? rows.ledger_transactions.filter((each) => each.kind !== kind) : [];
    rows[table] = kept as never;
  };
}
