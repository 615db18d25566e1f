/**
 * What the test acquirer knows of an order later on: how it stands now, the buyer's answer to its challenge, its void.
 * It must never change a line: how an order stands follows from the lines and the clock alone.
 */
import { type AcquirerResult, lateVoidKey } from "../domain/attempt.ts";
import { authenticationFailure } from "../domain/challenge.ts";
import { refuse } from "../domain/errors.ts";
import { testPaymentMethod } from "../domain/payment-methods.ts";
import { authorizationPrefix, besideKey, noAuthorization } from "../domain/test-network.ts";
import type { AcquirerJournal, JournalLine, KeyedOrder, Lookup } from "./acquirer-ports.ts";
import type { Clock } from "./ports.ts";

/** What looking up needs. */
export interface LookupDependencies {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
}

/** How an order stands now; nothing at all while its payment method hides it. */
export async function lookUpOrder(deps: LookupDependencies, key: string): Promise<Lookup> {
  const line = await deps.journal.read(key);
  if (line === undefined || isHidden(line, deps.clock.now())) return { kind: "none" };
  const result = await resultNow(deps, line);
  const voids = await Promise.all([
    deps.journal.read(besideKey.keyVoid(key)),
    // The late void of `complete-attempts.ts`, for what landed after the void by key.
    deps.journal.read(lateVoidKey(key)),
  ]);
  const isVoided = voids.some((one) => one !== undefined && one.createdAtMs >= line.createdAtMs);
  return { kind: "found", result, isVoided: isVoided && result.kind !== "declined" };
}

/** The buyer's answer to a challenge; the first one stands. */
export async function answerChallenge(deps: LookupDependencies, key: string, isPassed: boolean): Promise<JournalLine> {
  const order = await challengedOrder(deps, key);
  const outcome = (await resultNow(deps, order)) as ChallengeResult;
  // Too late, or answered: what stands, stands.
  const result: AcquirerResult =
    isPassed && outcome.outcome !== "refused"
      ? { kind: "approved", reference: outcome.reference }
      : { kind: "declined", failure: authenticationFailure };
  const beside = { ...order, kind: "challenge_answer", key: besideKey.challengeAnswer(key) } as const;
  return await deps.journal.record({ ...beside, result, createdAtMs: deps.clock.now() });
}

/**
 * The order that a challenge page is about.
 * @throws DomainError `resource_missing` when no challenge has this key
 */
export async function challengedOrder(deps: LookupDependencies, key: string): Promise<JournalLine> {
  const line = await deps.journal.read(key);
  if (line?.kind !== "authorize" || line.result.kind !== "challenge")
    throw refuse("resource_missing", "There is no such challenge.", { param: "key" });
  return line;
}

/** Lets go whatever the key authorized, and refuses what may still arrive under it. */
export async function voidKey(deps: LookupDependencies, { key, amountMinor, currency }: KeyedOrder): Promise<void> {
  const createdAtMs = deps.clock.now();
  const result = { kind: "approved", reference: key } as const;
  const order = { kind: "key_void", key: besideKey.keyVoid(key), amountMinor, currency, reference: key } as const;
  await deps.journal.record({ ...order, ...noAuthorization, result, createdAtMs });
}

type ChallengeResult = Extract<AcquirerResult, { kind: "challenge" }>;

/** A line's result as it stands now: a challenge may have been answered, a pending one may have settled. */
export async function resultNow(deps: LookupDependencies, line: JournalLine): Promise<AcquirerResult> {
  const { result } = line;
  if (result.kind === "challenge") {
    const answer = await deps.journal.read(besideKey.challengeAnswer(line.key));
    if (answer !== undefined) return { ...result, outcome: answer.result.kind === "approved" ? "passed" : "refused" };
    const isOver = deps.clock.now() >= line.createdAtMs + challengeMs;
    return isOver ? { ...result, outcome: "refused" } : result;
  }
  if (result.kind !== "pending" || deps.clock.now() < result.settlesAtMs) return result;
  const failure = line.kind === "refund" ? await refundFailure(deps, line) : methodFailure(line);
  return failure === null ? { kind: "approved", reference: result.reference } : { kind: "declined", failure };
}

/** How long a buyer may think about a challenge: a day, after which it counts as refused. */
const challengeMs = 24 * 60 * 60 * 1000;

function methodFailure({ paymentMethodToken }: JournalLine) {
  return testPaymentMethod(paymentMethodToken ?? "")?.failure ?? null;
}

async function refundFailure(deps: LookupDependencies, { reference }: JournalLine) {
  const authorized = await deps.journal.read((reference ?? "").slice(authorizationPrefix.length));
  const fails = testPaymentMethod(authorized?.paymentMethodToken ?? "")?.refund === "fails_later";
  return fails ? { code: "refund_failed", declineCode: null, message: "The bank could not take the refund." } : null;
}

function isHidden(line: JournalLine, nowMs: number): boolean {
  const fault = testPaymentMethod(line.paymentMethodToken ?? "")?.fault;
  return fault?.kind === "late_lookup" && nowMs < line.createdAtMs + fault.forMs;
}
