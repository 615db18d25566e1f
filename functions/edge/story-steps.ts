/**
 * The steps of a key's or a payment's story in the order of their times, each as one sentence for people.
 * It never tells what the stores do not know: twins and replays stand in the logs, and are joined there by the key's id.
 */
import type { Attempt } from "../domain/attempt.ts";
import type { PaymentEvent } from "../domain/events.ts";
import { retentionMs } from "../domain/idempotency.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import { type PaymentRecords, takenOverAtMs } from "../domain/story.ts";
import type { WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { KeyLife } from "../flows/read-life.ts";

/** One step. */
export interface WireStep {
  readonly at_ms: number;
  readonly kind: StepKind;
  /** Id of what the step is about; null when it is the key itself. */
  readonly about: string | null;
  readonly text: string;
}

/** What can happen, in the order in which it does when the clock says the same time of all. */
export const stepKinds = [
  "claimed",
  "recorded",
  "attempt_began",
  "taken_over",
  "created",
  "attempt_ended",
  "booked",
  "event",
  "answer_kept",
  "delivery_attempt",
  "delivery_dead",
  "delivery_due",
  "lease_ends",
  "answer_ends",
] as const;

/** One kind of step. */
export type StepKind = (typeof stepKinds)[number];

/** By time; what has the same time is in the order of `stepKinds`, and then as given. */
export function orderedSteps(steps: readonly WireStep[]): readonly WireStep[] {
  const rank = ({ kind }: WireStep) => stepKinds.indexOf(kind);
  return steps.toSorted((one, other) => one.at_ms - other.at_ms || rank(one) - rank(other));
}

/** What happened to the key itself. */
export function keySteps({ row, claim, caused }: KeyLife, leaseMs: number): readonly WireStep[] {
  const steps: WireStep[] = [];
  const add = (at_ms: number, kind: StepKind, text: string) => void steps.push({ at_ms, kind, about: null, text });
  if (typeof claim !== "string" && (row === null || claim.state === "in_progress")) {
    const { generation, createdAtMs, leaseUntilMs, state } = claim;
    add(createdAtMs, "claimed", `Generation ${generation} claimed the key in the cache for ${claim.requestId}.`);
    if (state === "in_progress")
      add(leaseUntilMs, "lease_ends", `The claim of generation ${generation} ends; a retry may take the key over.`);
    else add(leaseUntilMs, "lease_ends", `Generation ${generation} released the key: nothing was kept.`);
  }
  if (row === null) return steps;
  const { generation, outcome, expiresAtMs, createdAtMs } = row;
  // Its parts were made a moment before the row, and all of them are one commit.
  const parts = [...caused.attempts, ...caused.events].map((each) => each.createdAtMs);
  add(
    Math.min(createdAtMs, ...parts),
    "recorded",
    `The first commit wrote the key with its work, for ${row.requestId}: ${row.method} ${row.path}.`,
  );
  const takenOver = takenOverAtMs(row, leaseMs);
  const adopting = row.attemptId === null ? "" : ` and adopted attempt ${row.attemptId}`;
  if (takenOver !== null)
    add(takenOver, "taken_over", `Generation ${generation} took the key over after the lease before it${adopting}.`);
  if (outcome === null) {
    add(
      row.leaseUntilMs,
      "lease_ends",
      `The lease of generation ${generation} ends; a retry or the completer goes on.`,
    );
    return steps;
  }
  if (expiresAtMs === null) return steps;
  const size = outcome.bytes === null ? "too large to keep" : `${outcome.bytes} bytes`;
  const sealedAtMs = expiresAtMs - retentionMs;
  add(expiresAtMs, "answer_ends", "The answer is no longer replayed: the key is new again.");
  // Kept for a waiting client, it ends by the time of the first commit; the attempt knows when it was kept.
  const endedAtMs = caused.attempts.find(({ id }) => id === row.attemptId)?.closedAtMs ?? createdAtMs;
  if (sealedAtMs === createdAtMs) add(endedAtMs, "answer_kept", `The answer ${outcome.status} was kept, ${size}.`);
  else add(sealedAtMs, "answer_kept", `The completer kept the answer ${outcome.status}, ${size}: nobody waited.`);
  return steps;
}

/** What happened to the payment, and to the deliveries of its events. */
export function paymentSteps(
  told: Pick<PaymentRecords, "attempts" | "bookings" | "events"> & { readonly payment: PaymentRecords | null },
  deliveries: readonly WebhookDelivery[],
): readonly WireStep[] {
  return [
    ...told.attempts.flatMap((attempt) => attemptSteps(attempt, told.payment)),
    ...told.bookings.map(bookingStep),
    ...told.events.map(eventStep),
    ...deliveries.flatMap(deliverySteps),
  ];
}

function attemptSteps(attempt: Attempt, payment: PaymentRecords | null): WireStep[] {
  const { id: about, kind, state, amountMinor, currency, createdAtMs, closedAtMs } = attempt;
  const began = `Attempt ${about} began: ${kind} ${amountMinor} ${currency}, under its own key at the acquirer.`;
  const steps: WireStep[] = [{ at_ms: createdAtMs, kind: "attempt_began", about, text: began }];
  if (closedAtMs === null) return steps;
  const failure = payment?.charges.find(({ attemptId }) => attemptId === about)?.failure ?? null;
  const why = failure === null ? "" : `: ${failure.declineCode ?? failure.code}`;
  return [...steps, { at_ms: closedAtMs, kind: "attempt_ended", about, text: `Attempt ${about} ${state}${why}.` }];
}

function bookingStep({ kind, sourceId, currency, createdAtMs, entries }: LedgerTransaction): WireStep {
  const lines = entries.map(
    ({ direction, ledgerAccount, amountMinor }) => `${direction} ${ledgerAccount} ${amountMinor}`,
  );
  const text = `Booked ${kind} ${sourceId}: ${lines.join(", ")} ${currency}.`;
  return { at_ms: createdAtMs, kind: "booked", about: sourceId, text };
}

function eventStep(event: PaymentEvent): WireStep {
  const { id, type, objectId, objectVersion, createdAtMs } = event;
  const status = statusIn(event);
  const text = `Event ${type} ${id}: ${objectId} version ${objectVersion}${status === null ? "" : `, ${status}`}.`;
  return { at_ms: createdAtMs, kind: type.endsWith(".created") ? "created" : "event", about: id, text };
}

function deliverySteps({ id: about, endpointId, eventType, attempts, next, dead }: WebhookDelivery): WireStep[] {
  const steps: WireStep[] = attempts.map(({ trigger, startedAtMs, durationMs, failure, status, excerpt }) => {
    const name = trigger.kind === "schedule" ? `Webhook attempt ${trigger.number}` : "Webhook resend";
    const answer = status === null ? excerpt : `status ${status}`;
    const ending = failure === null ? `delivered, ${answer}` : `failed (${failure}), ${answer}`;
    const text = `${name} of ${eventType} to ${endpointId} ${ending}, in ${durationMs} ms.`;
    return { at_ms: startedAtMs, kind: "delivery_attempt", about, text };
  });
  if (next !== null) {
    const text = `Webhook attempt ${next.number} of ${eventType} to ${endpointId} is due.`;
    steps.push({ at_ms: next.atMs, kind: "delivery_due", about, text });
  }
  if (dead === null) return steps;
  const text = `The delivery of ${eventType} to ${endpointId} is dead: ${dead.reason}.`;
  return [...steps, { at_ms: dead.atMs, kind: "delivery_dead", about, text }];
}

/** The status that the event's object had; of all that the event tells nothing else is shown here. */
export function statusIn(event: PaymentEvent): string | null {
  const { object } = JSON.parse(Buffer.from(event.data).toString("utf8")) as { object?: { status?: unknown } };
  return typeof object?.status === "string" ? object.status : null;
}
