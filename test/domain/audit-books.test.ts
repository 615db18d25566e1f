// The audit of the books: a planted bad row of every kind is named, with what is wrong with it.
// It must never plant through a store: what a store lets through is never wrong.
import { refundRow } from "../support/ledger-rows.ts";
import {
  audited,
  booking,
  both,
  charge,
  entries,
  entry,
  failure,
  intent,
  overRefund,
  type Plant,
  paidAndRefunded,
  refund,
  shared,
  swap,
  without,
} from "../support/planted-books.ts";

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
    [
      "a refund that failed after it was accepted",
      refund({ status: "failed" }),
      "refunds re_1: its failure is not booked",
    ],
    [
      "a booked refund that failed",
      refund({ status: "failed", acceptedAtMs: null }),
      "refunds re_1: it moved no money, but is booked",
    ],
    ["the failure of a refund that did not fail", failure(), "refunds re_1: its failure moved no money, but is booked"],
    [
      "a failure that was booked with another amount",
      both(failure(400n), both(refund({ status: "failed" }), charge({ refundedMinor: 0n }))),
      "refunds re_1: its failure moved 500, but 400 is booked",
    ],
    [
      "the failure of a refund that was never booked",
      both(both(failure(), without("ledger_transactions", "refund")), refund({ status: "failed", acceptedAtMs: null })),
      "refunds re_1: its failure moved no money, but is booked",
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

test("a refund that failed after it was booked is sound once that is booked, too", () => {
  const rows = paidAndRefunded();
  for (const plant of [failure(), refund({ status: "failed" }), charge({ refundedMinor: 0n })]) plant(rows);
  expect(audited(rows)).toBe("sound");
});
