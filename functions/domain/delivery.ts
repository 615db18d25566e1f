/**
 * The life of one delivery to one endpoint: what an attempt came to, and what follows from it.
 * It never sends, stores or reads a clock; an attempt goes through its types in order, so that no step can be left out.
 */
import { attemptsMax, isWindowOver, jitterOf, nextAttemptAtMs, type Window } from "./delivery-schedule.ts";
import type { Exchange, TransportFailure } from "./exchange.ts";

/**
 * What an attempt belongs to: a place on the schedule, or a person's resend. A resend has an id of its own and does not
 * use up a place (design section 7).
 */
export type Trigger =
  | { readonly kind: "schedule"; readonly number: number }
  | { readonly kind: "resend"; readonly resendId: string };

/** An attempt that has been claimed and not been sent, as far as the record shows. */
export interface PendingAttempt {
  readonly deliveryId: string;
  readonly trigger: Trigger;
  readonly startedAtMs: number;
}

/** An attempt with what came back. */
export interface CompletedAttempt extends PendingAttempt {
  readonly exchange: Exchange;
  readonly endedAtMs: number;
}

/** The receiver accepted: a status from 200 to 299, whatever became of the body behind it. */
export interface SuccessfulAttempt extends CompletedAttempt {
  readonly outcome: "succeeded";
}

/** The receiver did not accept. */
export interface FailedAttempt extends CompletedAttempt {
  readonly outcome: "failed";
  readonly failure: AttemptFailure;
}

/** Why an attempt failed: no answer, or one that is none of 2xx; 3xx is never followed, 410 asks us to stop. */
export type AttemptFailure = TransportFailure | "redirect" | "gone" | "status";

/** Puts what came back to the attempt it came back for. */
export function complete(attempt: PendingAttempt, exchange: Exchange, endedAtMs: number): CompletedAttempt {
  // A clock that went backwards must not make an attempt end before it began.
  return { ...attempt, exchange, endedAtMs: Math.max(endedAtMs, attempt.startedAtMs) };
}

/** Success or failure, and of which class. */
export function judge(attempt: CompletedAttempt): SuccessfulAttempt | FailedAttempt {
  const failure = failureOf(attempt.exchange);
  return failure === null ? { ...attempt, outcome: "succeeded" } : { ...attempt, outcome: "failed", failure };
}

/** What follows from an attempt or from a look before it. */
export type NextStep =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly number: number; readonly atMs: number }
  | DeadLetter
  /** A failed resend changes nothing: the schedule goes on, a dead letter stays one. */
  | { readonly kind: "unchanged" };

/** The delivery ends without success and is kept for a redrive. */
export interface DeadLetter {
  readonly kind: "dead_letter";
  readonly reason: DeadLetterReason;
  /** The receiver asked with 410 to get nothing more: its endpoint is to be disabled. */
  readonly disablesEndpoint: boolean;
}

/**
 * Why a delivery ended without success: its ten attempts failed; its three days passed; its endpoint answered 410, was
 * disabled or was deleted; or its URL leads to where we never dial, which no waiting changes.
 */
export type DeadLetterReason =
  | "exhausted"
  | "window_over"
  | "endpoint_gone"
  | "endpoint_disabled"
  | "endpoint_deleted"
  | "blocked_destination";

/** What follows from an attempt that was judged. */
export function nextStep(attempt: SuccessfulAttempt | FailedAttempt, window: Window): NextStep {
  if (attempt.outcome === "succeeded") return { kind: "delivered" };
  if (attempt.failure === "gone") return deadLetter("endpoint_gone");
  if (attempt.trigger.kind === "resend") return { kind: "unchanged" };
  if (attempt.failure === "blocked_destination") return deadLetter("blocked_destination");
  const { number } = attempt.trigger;
  const atMs = nextAttemptAtMs(window, {
    number,
    endedAtMs: attempt.endedAtMs,
    retryAfter: attempt.exchange.kind === "answered" ? attempt.exchange.retryAfter : null,
    overloaded: isOverload(attempt),
    jitter: jitterOf(`${attempt.deliveryId}:${window.redriveId ?? ""}:${number}`),
  });
  if (atMs !== null) return { kind: "retry", number: number + 1, atMs };
  return deadLetter(number === attemptsMax ? "exhausted" : "window_over");
}

/**
 * What holds before an attempt starts: null when it may be sent. An endpoint that was disabled or deleted gets nothing, and
 * past the window a scheduled attempt is not sent; a resend by a person is not bound to the window.
 */
export function stepInsteadOf(attempt: PendingAttempt, endpoint: EndpointState, window: Window): NextStep | null {
  const { trigger, startedAtMs } = attempt;
  if (trigger.kind === "resend") return endpoint === "enabled" ? null : { kind: "unchanged" };
  if (endpoint !== "enabled") return deadLetter(`endpoint_${endpoint}`);
  return isWindowOver(window, startedAtMs) ? deadLetter("window_over") : null;
}

/** Whether an endpoint gets deliveries. */
export type EndpointState = "enabled" | "disabled" | "deleted";

/** True when the receiver hung or asked for less: its endpoint's next attempts belong into the slow queue. */
export function isOverload({ failure, exchange }: FailedAttempt): boolean {
  return failure === "timeout" || (exchange.kind === "answered" && overloadStatuses.includes(exchange.status));
}

/** 429, 502 and 504 by the Standard Webhooks specification; 503 says the same of itself (RFC 9110 section 15.6.4). */
const overloadStatuses: readonly number[] = [429, 502, 503, 504];

function failureOf(exchange: Exchange): AttemptFailure | null {
  if (exchange.kind === "not_answered") return exchange.failure;
  const { status } = exchange;
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return "redirect";
  return status === 410 ? "gone" : "status";
}

function deadLetter(reason: DeadLetterReason): DeadLetter {
  return { kind: "dead_letter", reason, disablesEndpoint: reason === "endpoint_gone" };
}
