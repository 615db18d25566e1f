/**
 * Accepting a break that does not go away: one person says that it is dealt with and why, another one agrees.
 * It must never let one person do both, nor take a break out of sight: it stays in the table with both names.
 */
import { refuse } from "./errors.ts";
import { checkedName, checkedReason, isSamePerson } from "./operator-action.ts";
import type { Break } from "./reconcile.ts";

/** What a person says of a break; the second one gives no reason of their own. */
export interface Acceptance {
  readonly by: string;
  readonly reason: string | null;
}

/**
 * The break with what a person says of it: the first one accepts it, the next one confirms.
 * @throws DomainError `parameter_missing`, `parameter_invalid` or `card_data_refused` that names the parameter
 */
export function acceptBreak(standing: Break, { by, reason }: Acceptance): Break {
  const name = checkedName(by);
  if (standing.acceptanceConfirmedBy !== null) {
    throw refuse("parameter_invalid", "The break is accepted already.", { param: "break" });
  }
  if (standing.acceptedBy === null)
    return { ...standing, acceptedBy: name, acceptedReason: checkedReason(reason ?? "") };
  if (isSamePerson(name, standing.acceptedBy)) {
    throw refuse("parameter_invalid", "A second person must agree: this one accepted it.", { param: "by" });
  }
  if (reason !== null) {
    throw refuse("parameter_invalid", `${standing.acceptedBy} gave the reason; agree without one.`, {
      param: "reason",
    });
  }
  return { ...standing, acceptanceConfirmedBy: name };
}
