/**
 * The operator's desk in plain JSON, for the script of a stage and for the laptop's door alike.
 * It must never take what it does not understand whole, nor write anything unless it is told to run.
 */
import type { Attempt } from "../domain/attempt.ts";
import { DomainError, refuse } from "../domain/errors.ts";
import type { OperatorAction } from "../domain/operator-action.ts";
import type { Break } from "../domain/reconcile.ts";
import {
  acceptStandingBreak,
  confirmAction,
  type DeskDependencies,
  proposeAction,
  showAttempt,
  stuckAttempts,
} from "../flows/operate-attempts.ts";

/** What the desk may be asked, as JSON; `run` is false or absent for a dry run. */
export interface DeskRequest {
  readonly verb: string;
  readonly attempt?: string;
  readonly action?: string;
  /** Key of an order that a break is about, and the break's kind. */
  readonly subject?: string;
  readonly kind?: string;
  readonly verdict?: string;
  readonly reference?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly run?: boolean;
}

/** What it answers: what there is, or why it refused. */
export interface DeskAnswer {
  readonly attempts?: readonly ShownAttempt[];
  readonly actions?: readonly OperatorAction[];
  readonly breaks?: readonly Break[];
  /** For people; it names the parameter at fault. */
  readonly refused?: string;
}

/** An attempt in JSON. */
export type ShownAttempt = Omit<Attempt, "amountMinor"> & { readonly amountMinor: string };

/** Answers one request. Whatever a person did wrong is an answer; a store that fails is an error. */
export async function operatorDesk(deps: DeskDependencies, request: DeskRequest): Promise<DeskAnswer> {
  const verb = Object.hasOwn(verbs, request.verb) ? verbs[request.verb] : undefined;
  if (verb === undefined) return { refused: `There is no verb ${request.verb}.` };
  try {
    return await verb(deps, request);
  } catch (error) {
    if (error instanceof DomainError && error.param !== undefined) return { refused: error.message };
    throw error;
  }
}

const verbs: Readonly<Record<string, (deps: DeskDependencies, request: DeskRequest) => Promise<DeskAnswer>>> = {
  list: async (deps) => ({ attempts: (await stuckAttempts(deps)).map(shown) }),
  show: async (deps, request) => {
    const { attempt, actions } = await showAttempt(deps, textOf(request, "attempt"));
    return { attempts: [shown(attempt)], actions };
  },
  propose: async (deps, request) => {
    const proposal = {
      attemptId: textOf(request, "attempt"),
      verdict: verdictOf(request),
      reference: request.reference ?? null,
      reason: request.reason ?? "",
      proposedBy: request.by ?? "",
    };
    return { actions: [await proposeAction(deps, { proposal, isDry: request.run !== true })] };
  },
  confirm: async (deps, request) => {
    const asked = { actionId: textOf(request, "action"), by: request.by ?? "", isDry: request.run !== true };
    return { actions: [await confirmAction(deps, asked)] };
  },
  "accept-break": async (deps, request) => {
    const acceptance = { by: request.by ?? "", reason: request.reason ?? null };
    const about = { subject: textOf(request, "subject"), kind: textOf(request, "kind") };
    return { breaks: [await acceptStandingBreak(deps, { ...about, acceptance, isDry: request.run !== true })] };
  },
};

function textOf(request: DeskRequest, name: "attempt" | "action" | "subject" | "kind"): string {
  const text = request[name];
  if (text !== undefined && text !== "") return text;
  throw refuse("parameter_missing", `${name} is missing.`, { param: name });
}

function verdictOf({ verdict }: DeskRequest): "happened" | "not_happened" {
  if (verdict === "happened" || verdict === "not_happened") return verdict;
  throw refuse("parameter_invalid", "verdict must be happened or not_happened.", { param: "verdict" });
}

function shown(attempt: Attempt): ShownAttempt {
  return { ...attempt, amountMinor: String(attempt.amountMinor) };
}
