/**
 * Receives a webhook: verify, claim, handle once, remember. For merchants; the sample shop shows it in use.
 * It never handles an event twice while the first run's mark stands, and never says "done" before the handler is.
 */
import { type ReceivedWebhook, type RefusalReason, verifyWebhook } from "../domain/receive-webhook.ts";
import type { Clock, Random } from "./ports.ts";
import type { SeenEvents } from "./receiver-ports.ts";

/**
 * What became of a request. Its HTTP status follows: `handled` and `duplicate` 200, `busy` 409 with `Retry-After`,
 * `refused` 400. What the handler throws is thrown on, after the claim was given back: answer 500, and the sender tries again.
 *
 * An effect that stands in the receiver's own database and carries the event's id is done exactly once. For any other effect
 * it is at least once: a run that dies between effect and mark is repeated after its lease.
 */
export async function receiveWebhook(dependencies: ReceiverDependencies, request: ReceivedWebhook): Promise<Received> {
  const { seen, clock, random, secrets, handle } = dependencies;
  const verdict = verifyWebhook(request, { secrets, nowMs: clock.now() });
  if (verdict.kind === "refused") return verdict;
  const { eventId } = verdict;
  const owner = random.token();
  const nowMs = clock.now();
  const claim = await seen.begin(eventId, { owner, nowMs, leaseUntilMs: nowMs + leaseMs });
  if (claim === "done") return { kind: "duplicate", eventId };
  if (claim === "busy") return { kind: "busy", eventId, retryAfterSeconds: leaseMs / 1000 };
  try {
    await handle(eventId, request.rawBody);
  } catch (error) {
    // Should this fail too, the lease ends by itself; the handler's error is the one to report.
    await seen.release(eventId, owner).catch(() => {});
    throw error;
  }
  const doneAtMs = clock.now();
  await seen.finish(eventId, owner, { doneAtMs, deleteAfterMs: doneAtMs + rememberedMs });
  return { kind: "handled", eventId };
}

/** What the flow works with. */
export interface ReceiverDependencies {
  readonly seen: SeenEvents;
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<Random, "token">;
  /** The endpoint's secrets; more than one while a rotation is under way. */
  readonly secrets: readonly string[];
  /** Does the work of one event, given its signed id and the verified bytes. */
  readonly handle: (eventId: string, body: Uint8Array) => Promise<void>;
}

/** How a request ended. */
export type Received =
  | { readonly kind: "handled"; readonly eventId: string }
  | { readonly kind: "duplicate"; readonly eventId: string }
  | { readonly kind: "busy"; readonly eventId: string; readonly retryAfterSeconds: number }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

/** Longer than a sender waits for an answer (15 s), so that its next attempt does not meet a run that may still work. */
const leaseMs = 30_000;

/** 90 days: longer than a sender's three days, and than a person looks back to redrive (design section 6). */
const rememberedMs = 90 * 24 * 3_600_000;
