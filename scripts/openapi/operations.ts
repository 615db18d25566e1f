// What people call each operation of the API, and what it answers; the routes themselves are those of the route table.
// It must never name an operation that is not served: a test holds both against each other.
import type { SchemaKind } from "../../functions/edge/schemas/answer-schemas.ts";

/** One operation: its id, a sentence, and the object that it answers, or the objects of the list that it answers. */
export type Operation = {
  readonly id: string;
  readonly says: string;
  readonly answers: SchemaKind;
  readonly of?: SchemaKind;
};

const one = (id: string, says: string, answers: SchemaKind): Operation => ({ id, says, answers });
const list = (id: string, says: string, of: SchemaKind): Operation => ({ id, says, answers: "list", of });

/** By method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  "POST /v1/payment_intents": one(
    "createPaymentIntent",
    "Creates a payment, and confirms it when asked to.",
    "payment_intent",
  ),
  "GET /v1/payment_intents": list("listPaymentIntents", "Payments, newest first.", "payment_intent"),
  "GET /v1/payment_intents/{id}": one("retrievePaymentIntent", "One payment.", "payment_intent"),
  "POST /v1/payment_intents/{id}": one(
    "updatePaymentIntent",
    "Changes a payment that is not confirmed yet.",
    "payment_intent",
  ),
  "GET /v1/payment_intents/{id}/timeline": one(
    "retrievePaymentTimeline",
    "What became of a payment, step by step. An extension.",
    "payment_timeline",
  ),
  "POST /v1/payment_intents/{id}/confirm": one(
    "confirmPaymentIntent",
    "Moves the money, or reserves it.",
    "payment_intent",
  ),
  "POST /v1/payment_intents/{id}/capture": one(
    "capturePaymentIntent",
    "Takes what was reserved, all or part of it.",
    "payment_intent",
  ),
  "POST /v1/payment_intents/{id}/cancel": one(
    "cancelPaymentIntent",
    "Gives up a payment, and lets go of what was reserved.",
    "payment_intent",
  ),
  "GET /v1/charges/{id}": one("retrieveCharge", "One charge.", "charge"),
  "POST /v1/refunds": one("createRefund", "Gives money back, all or part of a charge.", "refund"),
  "GET /v1/refunds": list("listRefunds", "Refunds, newest first.", "refund"),
  "GET /v1/refunds/{id}": one("retrieveRefund", "One refund.", "refund"),
  "POST /v1/refunds/{id}": one("updateRefund", "Changes a refund's metadata.", "refund"),
  "POST /v1/refunds/{id}/cancel": one("cancelRefund", "Cancels a refund, where that is possible.", "refund"),
  "GET /v1/account": one("retrieveAccount", "The account of the API key.", "account"),
  "GET /v1/balance": one("retrieveBalance", "What is owed to the account, by currency.", "balance"),
  "GET /v1/balance_transactions": list("listBalanceTransactions", "Bookings, newest first.", "balance_transaction"),
  "GET /v1/balance_transactions/{id}": one("retrieveBalanceTransaction", "One booking.", "balance_transaction"),
  "GET /v1/ledger_health": one(
    "retrieveLedgerHealth",
    "How the books are sealed and verified. An extension.",
    "ledger_health",
  ),
  "GET /v1/idempotency_keys/life": one(
    "retrieveKeyLife",
    "The life of an idempotency key. An extension.",
    "idempotency_key_life",
  ),
  "GET /v1/events": list("listEvents", "Events of thirty days, newest first.", "event"),
  "GET /v1/events/{id}": one("retrieveEvent", "One event.", "event"),
  "POST /v1/webhook_endpoints": one(
    "createWebhookEndpoint",
    "Registers an endpoint; its secret is shown once.",
    "webhook_endpoint",
  ),
  "GET /v1/webhook_endpoints": list("listWebhookEndpoints", "Endpoints, newest first.", "webhook_endpoint"),
  "GET /v1/webhook_endpoints/{id}": one("retrieveWebhookEndpoint", "One endpoint.", "webhook_endpoint"),
  "POST /v1/webhook_endpoints/{id}": one("updateWebhookEndpoint", "Changes an endpoint.", "webhook_endpoint"),
  "DELETE /v1/webhook_endpoints/{id}": one("deleteWebhookEndpoint", "Deletes an endpoint.", "webhook_endpoint"),
  "POST /v1/webhook_endpoints/{id}/rotate_secret": one(
    "rotateWebhookSecret",
    "A new signing secret; the old one goes on signing for a while. An extension.",
    "webhook_endpoint",
  ),
  "POST /v1/webhook_endpoints/{id}/send_test_event": one(
    "sendTestEvent",
    "Sends an endpoint an event again, as a test. An extension.",
    "webhook_delivery",
  ),
  "GET /v1/webhook_deliveries": list(
    "listWebhookDeliveries",
    "Deliveries, newest first. An extension.",
    "webhook_delivery",
  ),
  "GET /v1/webhook_deliveries/{id}": one("retrieveWebhookDelivery", "One delivery. An extension.", "webhook_delivery"),
  "GET /v1/webhook_deliveries/{id}/attempts": list(
    "listWebhookAttempts",
    "Attempts of a delivery. An extension.",
    "webhook_attempt",
  ),
  "POST /v1/webhook_deliveries/{id}/resend": one(
    "resendWebhookDelivery",
    "One more attempt, now. An extension.",
    "webhook_delivery",
  ),
  "POST /v1/webhook_deliveries/{id}/redrive": one(
    "redriveWebhookDelivery",
    "Brings a dead delivery back, with a new schedule. An extension.",
    "webhook_delivery",
  ),
};
