/**
 * The routes of the payments API: which path does what, and what each needs (contract section 5.2).
 * It never runs a write: it hands the work to the idempotent path.
 */
import { refuse } from "../domain/errors.ts";
import { showAccount } from "./account-endpoint.ts";
import { balanceTransactionList, showBalance, showBalanceTransaction } from "./balance-endpoints.ts";
import type { Serve } from "./endpoint.ts";
import { eventList, showEvent } from "./event-endpoints.ts";
import { showKeyLife, showLedgerHealth, showTimeline } from "./life-endpoints.ts";
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  listIntents,
  showCharge,
  showIntent,
  updateIntent,
} from "./payment-intent-endpoints.ts";
import { newRefund, refundCancel, refundList, showRefund, updateRefund } from "./refund-endpoints.ts";
import { isId } from "./scalar-readers.ts";
import { attemptList, deliveryList, redrive, resend, showDelivery, testEvent } from "./webhook-delivery-endpoints.ts";
import {
  deleteWebhookEndpoint,
  newWebhookEndpoint,
  rotateWebhookSecret,
  showWebhookEndpoint,
  updateWebhookEndpoint,
  webhookEndpointList,
} from "./webhook-endpoint-endpoints.ts";

/**
 * The endpoint for a method and a path, with the id that the path names.
 * @throws DomainError `route_unknown`, `method_not_allowed`, `url_invalid`, `resource_missing` for an id that no object can have
 */
export function findEndpoint(method: string, path: string): Endpoint {
  const served = routes.find((route) => route.method === method && route.path.test(path));
  if (served === undefined) {
    const allowed = allowedMethods(path);
    if (allowed === "") throw refuse("route_unknown", `Unrecognized request URL (${method}: ${shown(path)}).`);
    throw refuse(
      "method_not_allowed",
      `Method ${shown(method)} is not allowed for ${shown(path)}. Allowed: ${allowed}.`,
    );
  }
  const [, id = ""] = served.path.exec(path) ?? [];
  return { ...served.serve, id: objectId(id, served.object) };
}

/** Methods that a path serves, for the `Allow` header that a 405 must have (RFC 9110, section 15.5.6). */
export function allowedMethods(path: string): string {
  return routes
    .filter((route) => route.path.test(path))
    .map(({ method }) => method)
    .join(", ");
}

/** An endpoint that was found. */
export type Endpoint = Serve & { readonly id: string };

/** One method of one path; the group in `path` is an id, of an `object`. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  readonly object:
    | ("payment_intent" | "charge" | "refund" | "event" | "webhook_endpoint" | "webhook_delivery")
    | ("account" | "balance" | "balance_transaction" | "idempotency_key");
  readonly serve: Serve;
}

/** All that is served: proofs go through it, so that no endpoint is forgotten. */
export const routes: readonly Route[] = [
  { method: "POST", path: /^\/v1\/payment_intents$/, object: "payment_intent", serve: createIntent },
  { method: "GET", path: /^\/v1\/payment_intents$/, object: "payment_intent", serve: listIntents },
  { method: "GET", path: /^\/v1\/payment_intents\/([^/]+)$/, object: "payment_intent", serve: showIntent },
  { method: "POST", path: /^\/v1\/payment_intents\/([^/]+)$/, object: "payment_intent", serve: updateIntent },
  { method: "GET", path: /^\/v1\/payment_intents\/([^/]+)\/timeline$/, object: "payment_intent", serve: showTimeline },
  { method: "POST", path: /^\/v1\/payment_intents\/([^/]+)\/confirm$/, object: "payment_intent", serve: confirmIntent },
  { method: "POST", path: /^\/v1\/payment_intents\/([^/]+)\/capture$/, object: "payment_intent", serve: captureIntent },
  { method: "POST", path: /^\/v1\/payment_intents\/([^/]+)\/cancel$/, object: "payment_intent", serve: cancelIntent },
  { method: "GET", path: /^\/v1\/charges\/([^/]+)$/, object: "charge", serve: showCharge },
  { method: "POST", path: /^\/v1\/refunds$/, object: "refund", serve: newRefund },
  { method: "GET", path: /^\/v1\/refunds$/, object: "refund", serve: refundList },
  { method: "GET", path: /^\/v1\/refunds\/([^/]+)$/, object: "refund", serve: showRefund },
  { method: "POST", path: /^\/v1\/refunds\/([^/]+)$/, object: "refund", serve: updateRefund },
  { method: "POST", path: /^\/v1\/refunds\/([^/]+)\/cancel$/, object: "refund", serve: refundCancel },
  { method: "GET", path: /^\/v1\/account$/, object: "account", serve: showAccount },
  { method: "GET", path: /^\/v1\/balance$/, object: "balance", serve: showBalance },
  {
    method: "GET",
    path: /^\/v1\/balance_transactions$/,
    object: "balance_transaction",
    serve: balanceTransactionList,
  },
  {
    method: "GET",
    path: /^\/v1\/balance_transactions\/([^/]+)$/,
    object: "balance_transaction",
    serve: showBalanceTransaction,
  },
  { method: "GET", path: /^\/v1\/ledger_health$/, object: "balance", serve: showLedgerHealth },
  { method: "GET", path: /^\/v1\/idempotency_keys\/life$/, object: "idempotency_key", serve: showKeyLife },
  { method: "GET", path: /^\/v1\/events$/, object: "event", serve: eventList },
  { method: "GET", path: /^\/v1\/events\/([^/]+)$/, object: "event", serve: showEvent },
  ...webhookRoutes(),
];

function webhookRoutes(): readonly Route[] {
  const object = "webhook_endpoint";
  const sent = "webhook_delivery";
  const one = /^\/v1\/webhook_endpoints\/([^/]+)$/;
  return [
    { method: "POST", path: /^\/v1\/webhook_endpoints$/, object, serve: newWebhookEndpoint },
    { method: "GET", path: /^\/v1\/webhook_endpoints$/, object, serve: webhookEndpointList },
    { method: "GET", path: one, object, serve: showWebhookEndpoint },
    { method: "POST", path: one, object, serve: updateWebhookEndpoint },
    { method: "DELETE", path: one, object, serve: deleteWebhookEndpoint },
    {
      method: "POST",
      path: /^\/v1\/webhook_endpoints\/([^/]+)\/rotate_secret$/,
      object,
      serve: rotateWebhookSecret,
    },
    { method: "POST", path: /^\/v1\/webhook_endpoints\/([^/]+)\/send_test_event$/, object, serve: testEvent },
    { method: "GET", path: /^\/v1\/webhook_deliveries$/, object: sent, serve: deliveryList },
    { method: "GET", path: /^\/v1\/webhook_deliveries\/([^/]+)$/, object: sent, serve: showDelivery },
    { method: "GET", path: /^\/v1\/webhook_deliveries\/([^/]+)\/attempts$/, object: sent, serve: attemptList },
    { method: "POST", path: /^\/v1\/webhook_deliveries\/([^/]+)\/resend$/, object: sent, serve: resend },
    { method: "POST", path: /^\/v1\/webhook_deliveries\/([^/]+)\/redrive$/, object: sent, serve: redrive },
  ];
}

/** Decoded after routing, then checked: an id that no object can have is as good as one that no object has. */
function objectId(segment: string, object: Route["object"]): string {
  if (segment === "") return "";
  const id = decodeURIComponent(segment);
  if (isId(id, prefixes[object])) return id;
  throw refuse(
    "resource_missing",
    `No such ${object.replaceAll("balance_transaction", "balance transaction")}: '${shown(id)}'`,
    {
      param: parameterOf[object],
    },
  );
}

/** The contract calls the id of an unknown payment intent `intent`, and an event's `id` (section 4). */
const parameterOf: Readonly<Record<Route["object"], string>> = {
  payment_intent: "intent",
  charge: "charge",
  refund: "refund",
  event: "id",
  webhook_endpoint: "webhook_endpoint",
  account: "id",
  balance: "id",
  balance_transaction: "id",
  idempotency_key: "key",
  webhook_delivery: "webhook_delivery",
};

const prefixes: Readonly<Record<Route["object"], string>> = {
  payment_intent: "pi_",
  charge: "ch_",
  refund: "re_",
  event: "evt_",
  webhook_endpoint: "we_",
  account: "",
  balance: "",
  balance_transaction: "txn_",
  idempotency_key: "",
  webhook_delivery: "wd_",
};

/** What of a client's text is repeated in an error. */
function shown(text: string): string {
  return text.slice(0, 200).toWellFormed();
}
