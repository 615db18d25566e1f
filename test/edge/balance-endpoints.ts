// The calls on the balance with all their fields, for the table of bad input.
// It must never be read from the code: a field that one of the two does not know turns a test red.

import { balanceTransactionList, showBalance, showBalanceTransaction } from "../../functions/edge/balance-endpoints.ts";
import { type EndpointDescription, expanding, listing, readerOf } from "./endpoint-description.ts";

/** Every call on a balance or a balance transaction. */
export const balanceEndpoints: readonly EndpointDescription[] = [
  {
    title: "retrieve balance",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/balance",
    base: () => [],
    whole: "",
    read: readerOf(showBalance),
    fields: expanding,
  },
  {
    title: "retrieve balance transaction",
    needs: "paid",
    method: "GET",
    path: ({ charge }) => `/v1/balance_transactions/${charge.replace("ch_", "txn_ch")}`,
    base: () => [],
    whole: "",
    read: readerOf(showBalanceTransaction),
    fields: expanding,
  },
  {
    title: "list balance transactions",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/balance_transactions",
    base: () => [],
    whole: "created[gt]=1",
    read: readerOf(balanceTransactionList),
    fields: [
      { name: "type", kind: "choice" },
      { name: "source", kind: "id" },
      { name: "currency", kind: "currency" },
      // There are none, so every one is refused.
      { name: "payout", kind: "choice" },
      ...listing,
    ],
  },
];
