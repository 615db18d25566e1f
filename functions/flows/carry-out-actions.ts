/**
 * Carries out what two persons said of an attempt: asks the acquirer once more, and commits the answer as any other.
 * It must never act against the acquirer's own word, nor write an attempt itself.
 */
import { reasonOf } from "../domain/errors.ts";
import { carryingOut, type OperatorAction } from "../domain/operator-action.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import { classifyLookup } from "./classify-lookup.ts";
import type { CommitResult } from "./idempotently-types.ts";
import type { OperatorStore } from "./operator-ports.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What carrying out needs. */
export interface CarryOutDependencies {
  readonly operators: OperatorStore;
  readonly ledger: Pick<Ledger, "read">;
  readonly acquirer: Pick<Acquirer, "lookup" | "voidKey">;
  readonly commit: CommitResult;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a run went; it goes into one log line. */
export interface CarriedOut {
  readonly done: number;
  readonly refused: number;
  /** Without an answer yet; the next run asks again. */
  readonly left: number;
}

/** One bounded run over the confirmed actions. Run twice, the second finds the attempt as the first left it. */
export async function carryOutActions(deps: CarryOutDependencies): Promise<CarriedOut> {
  const counts = { done: 0, refused: 0, left: 0 };
  for (const action of await deps.operators.confirmed(batchMax)) counts[await carryOut(deps, action)] += 1;
  return counts;
}

/** Actions of one run: at ten seconds a call at worst, a run ends within its function's timeout. */
const batchMax = 10;

async function carryOut(deps: CarryOutDependencies, action: OperatorAction): Promise<keyof CarriedOut> {
  const { id, attemptId, verdict, proposedBy, confirmedBy } = action;
  try {
    const { attempts: attempt } = await deps.ledger.read({ attempts: attemptId });
    if (attempt === undefined) return await end(deps, action, "refused", "there is no such attempt");
    const found = classifyLookup(await deps.acquirer.lookup(attemptId));
    const step = carryingOut(action, attempt, found);
    if (step.kind === "wait") return "left";
    if (step.kind === "refuse") return await end(deps, action, "refused", step.why);
    if (step.kind === "done") return await end(deps, action, "done", step.result);
    // What never happened must not happen after all: from now on the acquirer refuses the key.
    if (step.result.kind === "declined" && attempt.kind === "authorize") {
      await deps.acquirer.voidKey({ ...attempt, key: attemptId });
    }
    await deps.commit(attempt, step.result, "completer");
    const { attempts: after = attempt } = await deps.ledger.read({ attempts: attemptId });
    const ending = carryingOut(action, after, found);
    // Somebody else was at it, or it is being voided: the next run sees how that ended.
    if (ending.kind !== "done") return "left";
    deps.log("WARNING", "operator action carried out", { actionId: id, attemptId, verdict, proposedBy, confirmedBy });
    return await end(deps, action, "done", ending.result);
  } catch (error) {
    deps.log("WARNING", "operator action stays", { actionId: id, attemptId, reason: reasonOf(error) });
    return "left";
  }
}

async function end(
  { operators, clock, log }: CarryOutDependencies,
  action: OperatorAction,
  state: "done" | "refused",
  result: string,
): Promise<"done" | "refused"> {
  await operators.advance({ ...action, state, result, endedAtMs: clock.now() }, "confirmed");
  if (state === "refused") {
    log("WARNING", "operator action refused", { actionId: action.id, attemptId: action.attemptId, reason: result });
  }
  return state;
}
