/**
 * Does what an event asks of one consumer, once per business action: the core that every consumer, and a fork's, shares.
 * It must never acknowledge what is not done, and never drop an event for its version: versions are for projections.
 */
import { type ConsumedEvent, consumerLeaseMs, type Marker, markerIds, markerLifeMs } from "../domain/consumption.ts";
import type { BusinessAction, ConsumerStore, Prepared } from "./consumer-ports.ts";
import type { Clock, Random } from "./ports.ts";

/** What the core needs. */
export interface ConsumeDependencies {
  readonly store: ConsumerStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** `done`: by this delivery; `repeated`: an earlier one did it; `busy`: another one is at it, so this one must come again. */
export type Consumption = { readonly kind: "done"; readonly outcome: string } | { readonly kind: "repeated" | "busy" };

/**
 * Does the action, or finds that it was done.
 * @throws whatever the effect or the store throws; then nothing is acknowledged and the event comes again
 */
export async function consumeEvent(
  deps: ConsumeDependencies,
  { consumer, event, action }: { consumer: string; event: ConsumedEvent; action: BusinessAction },
): Promise<Consumption> {
  const begun = deps.clock.now();
  const marker: Marker = {
    ...{ consumer, eventId: event.id, action: action.name, token: deps.random.token() },
    ...{ state: "in_progress", leaseUntilMs: begun + consumerLeaseMs, outcome: null },
    deleteAfterMs: begun + markerLifeMs,
  };
  if (action.effect.kind === "own") return await commitWithMarkers(deps, marker, action.effect.prepare);
  return await claimThenRun(deps, marker, action.effect.run);
}

/** No claim is needed: two deliveries may both prepare, and one commit stands. */
async function commitWithMarkers(
  { store, clock }: ConsumeDependencies,
  marker: Marker,
  prepare: () => Promise<Prepared>,
): Promise<Consumption> {
  const { documents, outcome } = await prepare();
  const nowMs = clock.now();
  const done = doneMarker(marker, outcome, nowMs);
  const put = await store.put({ ids: markerIds(marker), marker: done, documents }, nowMs);
  if (put.kind === "written") return { kind: "done", outcome };
  return { kind: put.kind === "done" ? "repeated" : "busy" };
}

async function claimThenRun(
  { store, clock }: ConsumeDependencies,
  marker: Marker,
  run: () => Promise<string>,
): Promise<Consumption> {
  const claim = await store.put({ ids: markerIds(marker), marker, documents: [] }, clock.now());
  if (claim.kind !== "written") return { kind: claim.kind === "done" ? "repeated" : "busy" };
  let outcome: string;
  try {
    outcome = await run();
  } catch (error) {
    // The next delivery may begin at once. When this fails too, it begins when the lease is over: nothing is lost.
    await store.release(claim.held).catch(() => {});
    throw error;
  }
  // Lost: the lease was over before the effect was, so another delivery repeats it under the same key, and marks it.
  await store.finish(claim.held, doneMarker(marker, outcome, clock.now()));
  return { kind: "done", outcome };
}

function doneMarker(marker: Marker, outcome: string, nowMs: number): Marker {
  return { ...marker, state: "done", leaseUntilMs: 0, outcome, deleteAfterMs: nowMs + markerLifeMs };
}
