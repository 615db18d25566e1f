/**
 * The match of one order at the acquirer with the attempt that sent it and with the books: what differs is a break.
 * It must never repair anything, nor call a difference harmless because it is small.
 */
import type { Attempt, AttemptKind } from "./attempt.ts";
import { imbalanceMinor, type LedgerTransaction } from "./ledger.ts";
import type { Currency } from "./money.ts";

/** An order as the acquirer lists it. */
export interface ListedOrder {
  /** The idempotency key it came with: an attempt's id, if it is ours. */
  readonly key: string;
  readonly kind: AttemptKind;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly createdAtMs: number;
}

/**
 * How an order stands at the acquirer now: it knows of none, it is being worked on, it was accepted and ends later, it has
 * its effect, or it was refused, voided or never went through.
 */
export type Standing = "none" | "running" | "pending" | "effective" | "without_effect";

/** An attempt, and every booking of the object that it makes or changes. */
export interface AttemptInBooks {
  readonly attempt: Attempt;
  readonly bookings: readonly LedgerTransaction[];
}

/** What one key is on both sides. */
export interface Match {
  readonly key: string;
  /** As listed; null when it was not looked for in a list, or is not in it. */
  readonly listed: ListedOrder | null;
  readonly standing: Standing;
  /** When the acquirer ends what is pending, as it said; null for every other standing. */
  readonly endsAtMs: number | null;
  readonly ours: AttemptInBooks | null;
}

/** What can differ. */
export type BreakKind =
  /** The acquirer did something under a key that is no attempt of ours. */
  | "effect_without_attempt"
  /** An attempt succeeded, and the acquirer knows of no effect. */
  | "attempt_without_effect"
  /** The same, and the money stands in the books. */
  | "booked_without_effect"
  /** The acquirer did what was declined, voided or given up here. */
  | "effect_of_closed_attempt"
  | "kind_differs"
  | "amount_differs"
  | "currency_differs"
  /** It succeeded, and no booking says so. */
  | "not_booked"
  | "booked_differently"
  /** No end after a day. */
  | "open_too_long";

/** What only the acquirer's list tells; neither side of it ever changes, so such a break stays until a person has dealt with it. */
export const listedKinds: ReadonlySet<BreakKind> = new Set(["kind_differs", "amount_differs", "currency_differs"]);

/** What was found about a key; at most one of each kind. */
export interface Finding {
  readonly kind: BreakKind;
  /** One sentence with amounts and states, and nothing that a client wrote. */
  readonly detail: string;
}

/** A break as it is kept. Its key is (subject, kind), so that finding it again adds nothing. */
export interface Break extends Finding {
  /** The key at the acquirer. */
  readonly subject: string;
  /** Whose payment; null for an effect without an attempt. */
  readonly accountId: string | null;
  readonly intentId: string | null;
  readonly openedAtMs: number;
  /** Null while it stands. */
  readonly closedAtMs: number | null;
  /** Who said that it is dealt with though it does not go away; null for nobody. */
  readonly acceptedBy: string | null;
  readonly acceptedReason: string | null;
  /** Somebody else who agreed; from then on it does not count as open. */
  readonly acceptanceConfirmedBy: string | null;
}

/** A break as it is opened. */
export function openedBreak(
  about: Pick<Break, "subject" | "accountId" | "intentId">,
  finding: Finding,
  atMs: number,
): Break {
  const { kind, detail } = finding;
  const nobody = { acceptedBy: null, acceptedReason: null, acceptanceConfirmedBy: null };
  return { ...about, kind, detail, openedAtMs: atMs, closedAtMs: null, ...nobody };
}

/** True while a break stands and is not accepted: what the alert is about. */
export function isOpen({ closedAtMs, acceptanceConfirmedBy }: Break): boolean {
  return closedAtMs === null && acceptanceConfirmedBy === null;
}

/** What differs about a key; nothing when all three tell the same story. */
export function findingsOf(match: Match, nowMs: number): readonly Finding[] {
  const { ours, standing } = match;
  if (ours === null) {
    return standing === "effective" || standing === "pending"
      ? [{ kind: "effect_without_attempt", detail: listedText(match.listed) }]
      : [];
  }
  const { attempt } = ours;
  if (attempt.closedAtMs === null) return openFindings(attempt, match.endsAtMs, nowMs);
  const effects = attempt.state === "succeeded" ? succeededFindings(ours, standing) : closedFindings(attempt, standing);
  return [...effects, ...orderFindings(match.listed, attempt)];
}

/** A day: whatever is open longer, no machine has found out (design section 5, Completer). */
export const openTooLongMs = 24 * 60 * 60 * 1000;

/** Two hours: a buyer who never comes back has a day, and the completer, which looks every hour by then, must have looked. */
const challengeLookMs = 2 * 60 * 60 * 1000;

/** A bank debit takes days, and the acquirer says how many; only after that time it is late. */
function openFindings({ state, createdAtMs }: Attempt, endsAtMs: number | null, nowMs: number): readonly Finding[] {
  const sinceMs = Math.max(createdAtMs, endsAtMs ?? 0);
  const usualMs = state === "challenged" ? challengeLookMs : 0;
  if (nowMs - sinceMs < openTooLongMs + usualMs) return [];
  const due = endsAtMs === null ? "since" : "and was due at";
  return [{ kind: "open_too_long", detail: `it is ${state} ${due} ${new Date(sinceMs).toISOString()}` }];
}

function succeededFindings({ attempt, bookings }: AttemptInBooks, standing: Standing): readonly Finding[] {
  const findings: Finding[] = [];
  const expectedMinor = receivableMinor(attempt);
  const booked = bookings.filter(({ kind }) => kind === (attempt.kind === "refund" ? "refund" : "charge"));
  if (standing !== "effective" && standing !== "running") {
    const kind = expectedMinor !== 0n && booked.length > 0 ? "booked_without_effect" : "attempt_without_effect";
    const there = { none: "unknown", pending: "not done yet", without_effect: "without effect" }[standing];
    const detail = `its ${nouns[attempt.kind]} of ${amountOf(attempt)} succeeded here and is ${there} at the acquirer`;
    findings.push({ kind, detail });
  }
  if (expectedMinor === 0n) return findings;
  const [booking] = booked;
  if (booking === undefined) {
    findings.push({
      kind: "not_booked",
      detail: `its ${nouns[attempt.kind]} of ${amountOf(attempt)} succeeded unbooked`,
    });
  } else if (booking.currency !== attempt.currency || owedMinor(booking) !== expectedMinor) {
    const stands = `${owedMinor(booking)} ${booking.currency} is booked`;
    findings.push({ kind: "booked_differently", detail: `it moved ${expectedMinor} ${attempt.currency}, ${stands}` });
  }
  return findings;
}

function closedFindings(attempt: Attempt, standing: Standing): readonly Finding[] {
  if (standing !== "effective" && standing !== "pending") return [];
  const detail = `its ${nouns[attempt.kind]} of ${amountOf(attempt)} is ${attempt.state} here and stands at the acquirer`;
  return [{ kind: "effect_of_closed_attempt", detail }];
}

function orderFindings(listed: ListedOrder | null, attempt: Attempt): readonly Finding[] {
  if (listed === null) return [];
  const findings: Finding[] = [];
  const differs = (kind: BreakKind, theirs: unknown, own: unknown) => {
    if (theirs !== own) findings.push({ kind, detail: `the acquirer has ${theirs}, the attempt ${own}` });
  };
  differs("kind_differs", listed.kind, attempt.kind);
  differs("amount_differs", listed.amountMinor, attempt.amountMinor);
  differs("currency_differs", listed.currency, attempt.currency);
  return findings;
}

/** By how much an attempt that succeeded changes what the acquirer owes us; zero when it only holds or lets go. */
function receivableMinor({ kind, amountMinor, captureLater }: Attempt): bigint {
  if (kind === "refund") return -amountMinor;
  return kind === "capture" || (kind === "authorize" && !captureLater) ? amountMinor : 0n;
}

function owedMinor({ entries }: LedgerTransaction): bigint {
  return imbalanceMinor(entries.filter(({ ledgerAccount }) => ledgerAccount === "acquirer_receivable"));
}

function amountOf({ amountMinor, currency }: Pick<Attempt, "amountMinor" | "currency">): string {
  return `${amountMinor} ${currency}`;
}

/** For people. */
const nouns = { authorize: "authorization", capture: "capture", void: "void", refund: "refund" } as const;

function listedText(listed: ListedOrder | null): string {
  return listed === null
    ? "an order of the acquirer's"
    : `an order of the acquirer's: ${nouns[listed.kind]} of ${amountOf(listed)}`;
}
