/**
 * Reads events of one account, as long as they can be retrieved.
 * It never shows an object of another account: that one does not exist for the asker.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import { eventRetentionMs, type PaymentEvent } from "../domain/events.ts";
import type { EventQuery } from "../domain/pages.ts";
import type { Clock, Ledger } from "./ports.ts";

/** What reading needs. */
export interface ReadEventDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * One event.
 * @throws DomainError `resource_missing` with param `id`
 */
export async function readEvent(
  deps: ReadEventDependencies,
  input: { readonly accountId: string; readonly eventId: string },
): Promise<PaymentEvent> {
  const event = await ownEvent(deps, input.accountId, input.eventId);
  if (event === undefined) throw noSuchEvent(input.eventId, "id");
  return event;
}

/** A page to list; cursors are ids of events (contract section 2, Lists). */
export interface EventListInput extends Omit<EventQuery, "startingAfter" | "endingBefore"> {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

/**
 * One page of events, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listEvents(
  deps: ReadEventDependencies,
  input: EventListInput,
): Promise<{ readonly events: readonly PaymentEvent[]; readonly hasMore: boolean }> {
  const startingAfter = await cursor(deps, input.accountId, input.startingAfter, "starting_after");
  const endingBefore = await cursor(deps, input.accountId, input.endingBefore, "ending_before");
  const createdFromMs = Math.max(input.createdFromMs ?? 0, deps.clock.now() - eventRetentionMs);
  return await deps.ledger.listEvents({ ...input, createdFromMs, startingAfter, endingBefore });
}

/** 404, naming the parameter that held the id. */
function noSuchEvent(eventId: string, param: string): DomainError {
  return refuse("resource_missing", `No such event: '${eventId}'`, { param });
}

async function cursor(
  deps: ReadEventDependencies,
  accountId: string,
  id: string | null,
  param: string,
): Promise<PaymentEvent | null> {
  if (id === null) return null;
  const event = await ownEvent(deps, accountId, id);
  if (event === undefined) throw noSuchEvent(id, param);
  return event;
}

async function ownEvent(deps: ReadEventDependencies, accountId: string, id: string): Promise<PaymentEvent | undefined> {
  const { events: event } = await deps.ledger.read({ events: id });
  if (event === undefined || event.accountId !== accountId) return undefined;
  return event.createdAtMs < deps.clock.now() - eventRetentionMs ? undefined : event;
}
