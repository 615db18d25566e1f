/**
 * The operator's desk: shows attempts that no machine can end, takes what a person says of one or of a break, lets a second
 * one confirm it.
 * It must never touch the attempt: what was confirmed is carried out by the sweep, through the flow of all answers.
 */
import { type Acceptance, acceptBreak } from "../domain/accept-break.ts";
import type { Attempt } from "../domain/attempt.ts";
import { isDriven } from "../domain/completion.ts";
import { refuse } from "../domain/errors.ts";
import { checkedProposal, confirmed, type OperatorAction, type Proposal } from "../domain/operator-action.ts";
import type { Break, BreakKind } from "../domain/reconcile.ts";
import type { OperatorStore } from "./operator-ports.ts";
import type { Clock, Ledger, Random } from "./ports.ts";
import type { ReconciliationStore } from "./reconciliation-ports.ts";

/** What the desk needs. */
export interface DeskDependencies {
  readonly ledger: Pick<Ledger, "read" | "overdueAttempts">;
  readonly operators: OperatorStore;
  readonly reconciliation: Pick<ReconciliationStore, "change">;
  readonly clock: Clock;
  readonly random: Random;
}

/** Attempts without an end that are older than the drive window, oldest lease first: what a person may have to end. */
export async function stuckAttempts(deps: DeskDependencies): Promise<readonly Attempt[]> {
  const nowMs = deps.clock.now();
  const underWay = await deps.ledger.overdueAttempts(nowMs + leaseMsMax, attemptsMax);
  return underWay.filter((attempt) => !isDriven(attempt, nowMs));
}

/** One attempt and what was said of it, newest first. */
export async function showAttempt(
  deps: DeskDependencies,
  attemptId: string,
): Promise<{ readonly attempt: Attempt; readonly actions: readonly OperatorAction[] }> {
  return { attempt: await attemptOf(deps, attemptId), actions: await deps.operators.about(attemptId, actionsMax) };
}

/**
 * Takes a proposal; a dry one is only checked.
 * @returns the action as it is, or would be, written
 * @throws DomainError `parameter_missing`, `parameter_invalid`, `card_data_refused`, `resource_missing`
 */
export async function proposeAction(
  deps: DeskDependencies,
  { proposal, isDry }: { readonly proposal: Proposal; readonly isDry: boolean },
): Promise<OperatorAction> {
  const checked = checkedProposal(proposal);
  const attempt = await attemptOf(deps, checked.attemptId);
  if (attempt.closedAtMs !== null) {
    throw refuse("parameter_invalid", `The attempt is ${attempt.state} already.`, { param: "attempt" });
  }
  if (isDriven(attempt, deps.clock.now())) {
    throw refuse("parameter_invalid", "The attempt is younger than a quarter of an hour: a machine still ends it.", {
      param: "attempt",
    });
  }
  const action: OperatorAction = {
    ...checked,
    id: deps.random.id("op"),
    state: "proposed",
    proposedAtMs: deps.clock.now(),
    confirmedBy: null,
    confirmedAtMs: null,
    result: null,
    endedAtMs: null,
  };
  if (!isDry) await deps.operators.add(action);
  return action;
}

/**
 * Takes the confirmation of a second person; a dry one is only checked.
 * @throws DomainError `parameter_missing`, `parameter_invalid`, `resource_missing`
 */
export async function confirmAction(
  deps: DeskDependencies,
  { actionId, by, isDry }: { readonly actionId: string; readonly by: string; readonly isDry: boolean },
): Promise<OperatorAction> {
  const standing = await deps.operators.read(actionId);
  if (standing === undefined) throw refuse("resource_missing", `There is no action ${actionId}.`, { param: "action" });
  const action = confirmed(standing, by, deps.clock.now());
  if (!isDry && (await deps.operators.advance(action, "proposed")) === "lost") {
    throw refuse("parameter_invalid", "Somebody else confirmed it meanwhile.", { param: "action" });
  }
  return action;
}

/**
 * Takes what one person, and then another, says of a break that does not go away; a dry one is only checked.
 * @throws DomainError `parameter_missing`, `parameter_invalid`, `card_data_refused`, `resource_missing`
 */
export async function acceptStandingBreak(
  deps: DeskDependencies,
  asked: { readonly subject: string; readonly kind: string; readonly acceptance: Acceptance; readonly isDry: boolean },
): Promise<Break> {
  const { subject, kind, acceptance, isDry } = asked;
  let accepted: Break | undefined;
  // A dry run writes the row as it is.
  const found = await deps.reconciliation.change({ subject, kind: kind as BreakKind }, (standing) => {
    accepted = acceptBreak(standing, acceptance);
    return isDry ? standing : accepted;
  });
  if (found === undefined || accepted === undefined) {
    throw refuse("resource_missing", `No break ${kind} of ${subject} stands.`, { param: "break" });
  }
  return accepted;
}

/** What a person reads at once. */
const attemptsMax = 100;
const actionsMax = 50;

/** Longer than the completer leaves any attempt alone, so that all under way are seen. */
const leaseMsMax = 2 * 60 * 60 * 1000;

async function attemptOf({ ledger }: DeskDependencies, attemptId: string): Promise<Attempt> {
  const { attempts: attempt } = await ledger.read({ attempts: attemptId });
  if (attempt === undefined)
    throw refuse("resource_missing", `There is no attempt ${attemptId}.`, { param: "attempt" });
  return attempt;
}
