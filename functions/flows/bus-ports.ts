/**
 * What the flows need of the event bus and of the outbox before it: types only.
 * It never names a product, and promises no more than a bus keeps: at least once, in any order.
 *
 * How a message comes back: each push subscription of the topic (infra/constructs/push-consumer.ts) POSTs it to its
 * function, with a signed identity token whose e-mail is the subscription's caller and whose audience is the function's
 * base URL; the platform checks the token, strips its signature, and `requirePlatformCaller` checks its claims. The body is
 * JSON, `application/json`, from `CloudPubSub-Google`:
 *
 *     {"message": {"data": BASE64, "attributes": {…}, "messageId": "1", "message_id": "1", "publishTime": RFC3339,
 *                  "publish_time": RFC3339}, "subscription": "projects/…/subscriptions/…", "deliveryAttempt": 1}
 *
 * `data` is a `BusMessage.data`: the event's JSON. 102, 200, 201, 202 or 204 within the subscription's deadline takes it
 * off the subscription; everything else, silence too, brings it back after a wait that doubles from 10 s to 600 s, and the
 * hundredth failure moves it to the dead-letter topic with four attributes `CloudPubSubDeadLetterSource…` more. Empty
 * `data` and `attributes` are left out, so a consumer assumes neither.
 */
import type { PaymentEvent } from "../domain/events.ts";

/** One message as it is published: bytes, and the attributes that subscriptions filter by (`eventAttributes`). */
export interface BusMessage {
  readonly data: Uint8Array;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Publishes to the topic `payment-events`. */
export interface Publisher {
  /**
   * Resolves once the bus has all of the messages; when it rejects, some may have been taken and none can be told apart.
   * So whoever repeats may publish twice, and a lost reply does so by itself. At most 1,000 messages and 10 MB at once.
   * @throws DomainError `store_unavailable`, `permission_denied`, or `internal` for messages that the bus cannot take
   */
  publish(messages: readonly BusMessage[]): Promise<void>;
}

/** An event in the words of the bus; the edge gives it to the flows. */
export type RenderMessage = (event: PaymentEvent) => BusMessage;

/** The outbox as its relay sees it. Whoever commits an event puts its row there by the ledger's own commit. */
export interface Outbox {
  /**
   * Takes at most `limit` rows, oldest first, that were created before a time and that nobody holds at `nowMs`, and holds
   * them until `leaseUntilMs`; two calls at once never take the same row. Gives their events.
   * @throws DomainError `store_unavailable`, `permission_denied`, `commit_unknown` (the rows come free with their lease)
   */
  lease(asked: LeaseQuery): Promise<readonly PaymentEvent[]>;
  /**
   * Deletes the rows of events that were published; rows that are gone already are fine.
   * @throws DomainError `store_unavailable`, `permission_denied`, `commit_unknown`
   */
  remove(eventIds: readonly string[]): Promise<void>;
  /** How many rows (counted up to `countMax`) were created before a time, and when the oldest of them was. */
  backlog(createdBeforeMs: number, countMax: number): Promise<OutboxBacklog>;
}

/** Which rows to take, and for how long. */
export interface LeaseQuery {
  readonly createdBeforeMs: number;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  readonly limit: number;
}

/** What waits in the outbox. */
export interface OutboxBacklog {
  readonly count: number;
  /** Null when nothing waits. */
  readonly oldestCreatedAtMs: number | null;
}
