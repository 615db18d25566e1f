/**
 * The endpoints of the balance and its transactions (contract section 6).
 * They only read: a booking is written by the payment that it is about.
 */
import type Stripe from "stripe";
import { balanceTransactionPrefix, bookingKinds } from "../domain/balance-transaction.ts";
import { refuse } from "../domain/errors.ts";
import { listBalanceTransactions, readBalance, readBalanceTransaction } from "../flows/read-balances.ts";
import { createdRange } from "./collection-readers.ts";
import type { Call, EndpointDependencies, Serve } from "./endpoint.ts";
import { needsSource, readExpansions, renderBalanceTransaction } from "./expand.ts";
import { listBody } from "./list.ts";
import { bracketName } from "./parameter-tree.ts";
import { currency, expanding } from "./payment-intent-fields.ts";
import { optional, type Reader, readParameters, withDefault } from "./read-parameters.ts";
import { id, integer, oneOf, scalar } from "./scalar-readers.ts";
import { serializeBalance } from "./serialize-balance.ts";

/** `GET /v1/balance`. */
export const showBalance: Serve = {
  kind: "read",
  read: async (deps, { accountId, parameters }) => {
    const { expand } = readParameters(parameters, expanding);
    readExpansions(expand, "balance", "one");
    return serializeBalance(await readBalance(deps, { accountId }));
  },
};

/** `GET /v1/balance_transactions/:id`. */
export const showBalanceTransaction: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: bookingId, parameters }) => {
    const { expand } = readParameters(parameters, expanding);
    const withSource = needsSource(readExpansions(expand, "balance_transaction", "one"));
    const view = await readBalanceTransaction(deps, { accountId, bookingId, withSource });
    return renderBalanceTransaction(view, deps.clock.now());
  },
};

/** `GET /v1/balance_transactions`: newest first, with cursors and filters (contract section 2, Lists). */
export const balanceTransactionList: Serve = { kind: "read", read: readList };

async function readList(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<Stripe.BalanceTransaction>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(bookingId),
    ending_before: optional(bookingId),
    type: optional(oneOf(bookingKinds)),
    source: optional(sourceId),
    currency: optional(currency),
    created: withDefault(createdRange(), { createdFromMs: null, createdBeforeMs: null }),
    payout: optional(noPayout),
    ...expanding,
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  const page = await listBalanceTransactions(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
    kind: values.type ?? null,
    sourceId: values.source ?? null,
    currency: values.currency ?? null,
    ...values.created,
    withSources: needsSource(readExpansions(values.expand, "balance_transaction", "list")),
  });
  const nowMs = deps.clock.now();
  const data = page.views.map((view) => renderBalanceTransaction(view, nowMs));
  return listBody({ url: "/v1/balance_transactions", data, hasMore: page.hasMore });
}

const bookingId = id({ noun: "balance transaction", prefix: balanceTransactionPrefix });

/** What can be booked: a charge or a refund. */
const sourceId: Reader<string> = (parameter, path) =>
  typeof parameter === "string" && parameter.startsWith("re_")
    ? id({ noun: "refund", prefix: "re_" })(parameter, path)
    : id({ noun: "charge", prefix: "ch_" })(parameter, path);

/** Whoever filters by payout means to reconcile one: an empty list would tell that it paid nothing. */
const noPayout: Reader<never> = (parameter, path) => {
  scalar(parameter, path, "the id of a payout");
  const message = "There are no payouts here, so no balance transaction belongs to one. Leave payout out.";
  throw refuse("parameter_invalid", message, { param: bracketName(path) });
};
