/**
 * The relay: publishes what stands in the outbox although its worker should have published it (design section 6).
 * It must never delete a row whose event is not published; publishing one twice is normal.
 */
import { DomainError, hasCode } from "../domain/errors.ts";
import type { PaymentEvent } from "../domain/events.ts";
import type { Outbox, Publisher, RenderMessage } from "./bus-ports.ts";
import type { Clock, Log } from "./ports.ts";

/** What the relay needs. */
export interface RelayDependencies {
  readonly outbox: Outbox;
  readonly publisher: Publisher;
  readonly render: RenderMessage;
  readonly clock: Clock;
  readonly log: Log;
}

/** How one run went; the numbers go into one log line. */
export interface Relay {
  readonly published: number;
  /** Rows past `overdueMs` that still wait, counted up to `countMax`. */
  readonly overdue: number;
  /** Age of the oldest of them; 0 when there is none. */
  readonly oldestMs: number;
  /** Why it ended before it had taken everything: a code; null when it did not. */
  readonly failure: string | null;
}

/**
 * One bounded run: batches of rows older than a minute, each leased, published and deleted; then it measures what is left,
 * also when the bus failed.
 * @throws what the store throws when it cannot even be asked what is left
 */
export async function relayOutbox(deps: RelayDependencies): Promise<Relay> {
  const { clock } = deps;
  const endMs = clock.now() + runMs;
  let published = 0;
  let failure: string | null = null;
  while (failure === null && clock.now() < endMs) {
    try {
      const batch = await relayBatch(deps);
      published += batch.published;
      if (batch.leased < batchMax) break;
    } catch (error) {
      failure = reasonOf(error);
      deps.log("WARNING", "relay ended early", { published, reason: failure });
    }
  }
  const { count: overdue, oldestCreatedAtMs } = await deps.outbox.backlog(clock.now() - overdueMs, countMax);
  const oldestMs = oldestCreatedAtMs === null ? 0 : clock.now() - oldestCreatedAtMs;
  return { published, overdue, oldestMs, failure };
}

/** A worker publishes within a second of its commit and deletes with its next one or after 30 s; a minute is late. */
export const relayAfterMs = 60_000;

/** What the relay should have taken is overdue a minute later. */
const overdueMs = 120_000;

/** Far more than an alert needs to know, and a cheap count. */
const countMax = 10_000;

/** Events of one publish: at a few kilobytes each less than 1 MB, a tenth of what the bus takes at once. */
const batchMax = 200;

/** A run ends before the next one begins, a minute after it. */
const runMs = 45_000;

/** Half a minute: longer than a publish may take with its retries (10 s), and over when the next run comes. */
const leaseMs = 30_000;

/** One batch: how many rows it leased, and how many of their events it published. */
async function relayBatch(deps: RelayDependencies): Promise<{ readonly leased: number; readonly published: number }> {
  const { outbox, clock } = deps;
  const nowMs = clock.now();
  const asked = { createdBeforeMs: nowMs - relayAfterMs, nowMs, leaseUntilMs: nowMs + leaseMs, limit: batchMax };
  const events = await outbox.lease(asked);
  const published = await publishAll(deps, events);
  await outbox.remove(published.map(({ id }) => id));
  return { leased: events.length, published: published.length };
}

/** Publishes them together, or one by one when the bus will not have them: one bad event must not keep the others back. */
async function publishAll(
  { publisher, render, log }: RelayDependencies,
  events: readonly PaymentEvent[],
): Promise<readonly PaymentEvent[]> {
  if (events.length === 0) return [];
  try {
    await publisher.publish(events.map(render));
    return events;
  } catch (error) {
    if (error instanceof DomainError && !hasCode(error, "internal")) throw error;
  }
  const published: PaymentEvent[] = [];
  for (const event of events) {
    try {
      await publisher.publish([render(event)]);
      published.push(event);
    } catch (error) {
      log("ERROR", "event cannot be published", { eventId: event.id, reason: reasonOf(error) });
    }
  }
  return published;
}

function reasonOf(error: unknown): string {
  return error instanceof DomainError ? error.code : "unexpected";
}
