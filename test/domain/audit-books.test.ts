// The audit of the books: a planted bad row of every kind is named, with what is wrong with it.
// It must never plant through a store: what a store lets through is never wrong.
import { auditBooks } from "../../functions/domain/audit-books.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import type { Refund } from "../../functions/domain/refund.ts";
import type { ScannedTable, Tables } from "../../functions/domain/rows.ts";
import { atMs, bookingRow, chargeRow, intentRow, refundRow } from "../support/ledger-rows.ts";

type Rows = { [T in ScannedTable]: Tables[T][] };

describe("a bad row", () => {
  /** What is done to the rows of one paid and partly refunded intent, and the fault that names it. */
  test.each<[string, Plant, string]>([
    [
      "a booking out of balance",
      entry(0, { amountMinor: 1_999n }),
      "ledger_transactions charge/ch_1: debits and credits differ by -1",
    ],
    [
      "a booking without entries",
      booking("charge", { entries: [] }),
      "ledger_transactions charge/ch_1: it has no entries",
    ],
    [
      "an entry of nothing",
      (rows) =>
        rows.ledger_transactions[0] &&
        entries(
          rows,
          rows.ledger_transactions[0].entries.map((one) => ({ ...one, amountMinor: 0n })),
        ),
      "ledger_transactions charge/ch_1: an entry moves nothing",
    ],
    ["a charge without its booking", without("ledger_transactions", "charge"), "charges ch_1: it is not booked"],
    [
      "a charge booked with another amount",
      both(charge({ capturedMinor: 1_500n }), intent({ amountReceivedMinor: 1_500n })),
      "charges ch_1: it moved 1500, but 2000 is booked",
    ],
    ["a charge booked the wrong way round", (rows) => swap(rows), "charges ch_1: it moved 2000, but -2000 is booked"],
    [
      "a charge booked for another merchant",
      booking("charge", { accountId: "acct_2" }),
      "charges ch_1: its booking has another accountId",
    ],
    [
      "a charge booked for another payment",
      booking("charge", { intentId: "pi_2" }),
      "charges ch_1: its booking has another intentId",
    ],
    [
      "a charge booked in another currency",
      booking("charge", { currency: "eur" }),
      "charges ch_1: its booking has another currency",
    ],
    [
      "a booked charge that took nothing",
      charge({ capturedMinor: 0n, refundedMinor: 0n }),
      "charges ch_1: it moved no money, but is booked",
    ],
    [
      "a booking whose charge is gone",
      both(without("charges"), intent({ status: "canceled", amountReceivedMinor: 0n })),
      "ledger_transactions charge/ch_1: its charge or refund does not exist",
    ],
    [
      "a booking whose refund is gone",
      both(without("refunds"), charge({ refundedMinor: 0n })),
      "ledger_transactions refund/re_1: its charge or refund does not exist",
    ],
    ["a refund without its booking", without("ledger_transactions", "refund"), "refunds re_1: it is not booked"],
    [
      "a refund booked with another amount",
      refund({ amountMinor: 400n }),
      "refunds re_1: it moved -400, but -500 is booked",
    ],
    [
      "a booked refund that is still pending",
      refund({ status: "pending", acceptedAtMs: null }),
      "refunds re_1: it moved no money, but is booked",
    ],
    ["a refund that failed after it was accepted", refund({ status: "failed" }), "refunds re_1: it is not booked"],
    [
      "a booked refund that failed",
      refund({ status: "failed", acceptedAtMs: null }),
      "refunds re_1: it moved no money, but is booked",
    ],
    [
      "a charge that counts another sum of refunds",
      charge({ refundedMinor: 400n }),
      "charges ch_1: it counts 400 as refunded, its refunds are 500",
    ],
    [
      "a charge that reserves what nobody asked for",
      charge({ refundReservedMinor: 1n }),
      "charges ch_1: it reserves 1, its pending refunds are 0",
    ],
    [
      "a charge that reserves nothing for a pending refund",
      (rows) => void rows.refunds.push(refundRow({ ...shared, id: "re_2", chargeId: "ch_1" })),
      "charges ch_1: it reserves 0, its pending refunds are 500",
    ],
    [
      "a charge that gives back more than it took",
      (rows) => overRefund(rows),
      "charges ch_1: it gives back 2500 of 2000",
    ],
    [
      "a refund whose charge is not there",
      (rows) => void rows.refunds.push(refundRow({ ...shared, id: "re_2", chargeId: "ch_2" })),
      "refunds re_2: its charge ch_2 does not exist",
    ],
    [
      "a succeeded intent without a charge",
      intent({ latestChargeId: null }),
      "payment_intents pi_1: it succeeded without a captured charge",
    ],
    [
      "a succeeded intent whose charge is another's",
      both(charge({ intentId: "pi_2" }), booking("charge", { intentId: "pi_2" })),
      "payment_intents pi_1: its charge has another intentId",
    ],
    [
      "a succeeded intent in another currency",
      intent({ currency: "eur" }),
      "payment_intents pi_1: its charge has another currency",
    ],
    [
      "a succeeded intent that received another amount",
      intent({ amountReceivedMinor: 1_999n }),
      "payment_intents pi_1: it received 1999, its charge captured 2000",
    ],
    [
      "an intent that received money and did not succeed",
      intent({ status: "canceled" }),
      "payment_intents pi_1: it is canceled, but received 2000",
    ],
    [
      "a captured charge whose intent says nothing of it",
      intent({ status: "canceled", amountReceivedMinor: 0n, latestChargeId: null }),
      "charges ch_1: it was captured, but is not what pi_1 received",
    ],
    [
      "a captured charge of an intent that was canceled",
      intent({ status: "canceled", amountReceivedMinor: 0n }),
      "charges ch_1: it was captured, but is not what pi_1 received",
    ],
    [
      "a captured charge whose intent is gone",
      without("payment_intents"),
      "charges ch_1: it was captured, but is not what pi_1 received",
    ],
  ])("is named: %s", (_, plant, fault) => {
    const rows = paidAndRefunded();
    expect(audited(rows)).toBe("sound");
    plant(rows);
    expect(audited(rows)).toBe(fault);
  });
});

/** The first fault in one line, or "sound". */
function audited(rows: Rows): string {
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

const shared = { accountId: "acct_1", intentId: "pi_1", currency: "usd" } as const;

/** One intent of 20.00, of which 5.00 went back. */
function paidAndRefunded(): Rows {
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

type Plant = (rows: Rows) => void;

function both(one: Plant, other: Plant): Plant {
  return (rows) => {
    one(rows);
    other(rows);
  };
}

/** Changes the first row of a table. */
function intent(change: Partial<PaymentIntent>): Plant {
  return (rows) => void Object.assign(rows.payment_intents[0] ?? {}, change);
}

function charge(change: Partial<Charge>): Plant {
  return (rows) => void Object.assign(rows.charges[0] ?? {}, change);
}

function refund(change: Partial<Refund>): Plant {
  return (rows) => void Object.assign(rows.refunds[0] ?? {}, change);
}

function booking(kind: LedgerTransaction["kind"], change: Partial<LedgerTransaction>): Plant {
  return (rows) => void Object.assign(rows.ledger_transactions.find((each) => each.kind === kind) ?? {}, change);
}

function entries(rows: Rows, changed: LedgerTransaction["entries"]): void {
  booking("charge", { entries: changed })(rows);
}

function entry(index: number, change: Partial<LedgerTransaction["entries"][number]>): Plant {
  return (rows) => {
    const present = rows.ledger_transactions[0]?.entries ?? [];
    entries(
      rows,
      present.map((each, place) => (place === index ? { ...each, ...change } : each)),
    );
  };
}

function swap(rows: Rows): void {
  const present = rows.ledger_transactions[0]?.entries ?? [];
  entries(
    rows,
    present.map((each) => ({ ...each, direction: each.direction === "debit" ? "credit" : "debit" })),
  );
}

/** All rows agree that 25.00 of 20.00 went back. */
function overRefund(rows: Rows): void {
  const back = rows.ledger_transactions[1]?.entries.map((each) => ({ ...each, amountMinor: 2_500n })) ?? [];
  booking("refund", { entries: back })(rows);
  refund({ amountMinor: 2_500n })(rows);
  charge({ refundedMinor: 2_500n })(rows);
}

/** Leaves out the rows of a table, or the bookings of one kind. */
function without(table: ScannedTable, kind?: LedgerTransaction["kind"]): Plant {
  return (rows) => {
    const kept = table === "ledger_transactions" ? rows.ledger_transactions.filter((each) => each.kind !== kind) : [];
    rows[table] = kept as never;
  };
}
