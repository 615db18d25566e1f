/**
 * What a person says became of an attempt that no machine can end: proposed by one, confirmed by another, then carried out.
 * It must never let one person do both, nor let a person's word stand against the acquirer's.
 */
import type { AcquirerResult, Attempt } from "./attempt.ts";
import { holdsCardNumber } from "./card-data.ts";
import { refuse } from "./errors.ts";
import type { Standing } from "./reconcile.ts";

/** One action, which is its own audit row: who, when, why, what, and what came of it. */
export interface OperatorAction extends Proposal {
  readonly id: string;
  readonly state: "proposed" | "confirmed" | "done" | "refused";
  readonly proposedAtMs: number;
  readonly confirmedBy: string | null;
  readonly confirmedAtMs: number | null;
  /** What came of it, in one sentence; null until it has ended. */
  readonly result: string | null;
  readonly endedAtMs: number | null;
}

/** What one person proposes. */
export interface Proposal {
  readonly attemptId: string;
  /** Did the attempt's order take effect at the acquirer? */
  readonly verdict: "happened" | "not_happened";
  /** The acquirer's name for it; null when it did not happen. */
  readonly reference: string | null;
  /** How the person knows: a ticket, a statement, a call. */
  readonly reason: string;
  readonly proposedBy: string;
}

/**
 * The proposal, checked.
 * @throws DomainError `parameter_missing`, `parameter_invalid` or `card_data_refused`, each naming the parameter
 */
export function checkedProposal(given: Proposal): Proposal {
  const reason = checkedReason(given.reason);
  const proposedBy = checkedName(given.proposedBy);
  if (given.verdict === "not_happened") {
    if (given.reference === null) return { ...given, reason, proposedBy };
    throw refuse("parameter_invalid", "What did not happen has no reference.", { param: "reference" });
  }
  if (!/^[\w-]{1,255}$/.test(given.reference ?? "")) {
    throw refuse("parameter_invalid", "reference must be 1 to 255 letters, digits, _ or -.", { param: "reference" });
  }
  return { ...given, reason, proposedBy };
}

/**
 * The action as another person confirms it.
 * @throws DomainError `parameter_invalid` for the proposer, and for an action that is not waiting for it
 */
export function confirmed(action: OperatorAction, by: string, nowMs: number): OperatorAction {
  const confirmedBy = checkedName(by);
  if (isSamePerson(confirmedBy, action.proposedBy)) {
    throw refuse("parameter_invalid", "A second person must confirm: this one proposed it.", { param: "by" });
  }
  if (action.state !== "proposed") {
    throw refuse("parameter_invalid", `The action is ${action.state} and cannot be confirmed.`, { param: "action" });
  }
  return { ...action, state: "confirmed", confirmedBy, confirmedAtMs: nowMs };
}

/** What carrying an action out means now. */
export type CarryingOut =
  /** Commit this as the acquirer's answer, through the flow that commits all of them. */
  | { readonly kind: "commit"; readonly result: AcquirerResult }
  /** It stands already, from a run before this one. */
  | { readonly kind: "done"; readonly result: string }
  /** The acquirer is at work: ask again later. */
  | { readonly kind: "wait" }
  | { readonly kind: "refuse"; readonly why: string };

/**
 * Holds a confirmed action against the attempt and the acquirer's own word, which wins.
 * @param reference the acquirer's name for the order, when it knows one
 */
export function carryingOut(
  action: OperatorAction,
  attempt: Attempt,
  { standing, reference }: { readonly standing: Standing; readonly reference: string | null },
): CarryingOut {
  const wanted = action.verdict === "happened";
  if (action.confirmedBy === null || isSamePerson(action.confirmedBy, action.proposedBy)) {
    return { kind: "refuse", why: "no second person confirmed it" };
  }
  if (attempt.closedAtMs !== null) {
    const isWanted = (attempt.state === "succeeded") === wanted;
    return isWanted
      ? { kind: "done", result: `the attempt is ${attempt.state}` }
      : { kind: "refuse", why: `the attempt is ${attempt.state} already` };
  }
  if (attempt.state === "challenged") return { kind: "refuse", why: "it waits for the buyer" };
  if (standing === "running") return { kind: "wait" };
  if (standing === "pending") return { kind: "refuse", why: "the acquirer accepted it and has not ended it" };
  if (wanted) {
    if (standing === "without_effect") return { kind: "refuse", why: "the acquirer says that it had no effect" };
    if (reference !== null && reference !== action.reference) {
      return { kind: "refuse", why: `the acquirer knows it as ${reference}` };
    }
    return { kind: "commit", result: { kind: "approved", reference: action.reference ?? "" } };
  }
  if (standing === "effective") return { kind: "refuse", why: `the acquirer says that it happened, as ${reference}` };
  return { kind: "commit", result: { kind: "declined", failure: notHappened } };
}

/** What the merchant reads of a payment that a person found not to have happened. */
const notHappened = {
  code: "processing_error",
  declineCode: null,
  message: "The payment could not be completed. You were not charged.",
} as const;

/** A reason that says nothing is none; 10 characters hold a ticket's number. */
const reasonCharsMin = 10;
const reasonCharsMax = 1_000;
const nameCharsMax = 100;

/**
 * A reason that says something, without the blanks around it.
 * @throws DomainError `parameter_missing`, `parameter_invalid` or `card_data_refused` for `reason`
 */
export function checkedReason(given: string): string {
  const reason = textIn("reason", given, reasonCharsMax);
  if (reason.length >= reasonCharsMin) return reason;
  throw refuse("parameter_invalid", `reason must have ${reasonCharsMin} characters: how do you know?`, {
    param: "reason",
  });
}

/**
 * A person's name, without the blanks around it.
 * @throws DomainError `parameter_missing`, `parameter_invalid` or `card_data_refused` for `by`
 */
export function checkedName(given: string): string {
  return textIn("by", given, nameCharsMax);
}

function textIn(param: string, given: string, charsMax: number): string {
  const text = given.trim();
  if (holdsCardNumber(text)) throw refuse("card_data_refused", `${param} holds a card number.`, { param });
  if (text === "") throw refuse("parameter_missing", `${param} is missing.`, { param });
  if (text.length > charsMax) {
    throw refuse("parameter_invalid", `${param} must have at most ${charsMax} characters.`, { param });
  }
  return text;
}

/** True for two spellings of one name. */
export function isSamePerson(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
