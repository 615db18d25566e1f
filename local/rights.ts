// The grants of a plan at work: who may do what, said with the missing role when not, and which grants nobody ever needed.
// It must never let through what no grant gives.

import { refuse } from "../functions/domain/errors.ts";
import type { Plan } from "./plan.ts";
import { EVERYBODY, isGranting, type PlannedGrant, type Right } from "./plan-grants.ts";

/** The rights of everybody in a plan. */
export type Rights = {
  /** True when the right is granted; asking is no refusal. */
  allows(right: Right): boolean;
  /** Undefined when the right is granted, else a sentence for people that names the missing role. */
  refusalOf(right: Right): string | undefined;
  /** Throws `permission_denied` with that sentence. */
  require(right: Right): void;
  /** Grants of `plan.grants` that let nothing through so far. Of two that give the same, the second one is never needed. */
  unused(): PlannedGrant[];
};

/** The rights of a plan; `onRefusal` hears each refused right once, because a guarded cache hides it from clients. */
export function rightsOf(
  { grants, buryingGrants, roles }: Pick<Plan, "grants" | "buryingGrants" | "roles">,
  onRefusal: (message: string) => void,
): Rights {
  const used = new Set<PlannedGrant>();
  const told = new Set<string>();
  // A grant to the caller itself comes before one to everybody, so that the wider one does not hide the other's use.
  const inOrder = [...grants, ...buryingGrants].sort(
    (a, b) => Number(a.member === EVERYBODY) - Number(b.member === EVERYBODY),
  );
  const allows = (right: Right) => {
    const granting = inOrder.find((grant) => isGranting(grant, right));
    if (granting !== undefined) used.add(granting);
    return granting !== undefined;
  };
  const refusalOf = (right: Right) => {
    if (allows(right)) return undefined;
    const role = Object.keys(roles).find((candidate) => roles[candidate]?.includes(right.permission));
    const cure = role === undefined ? "no role in use holds it" : `a grant of ${role} would give it`;
    const message = `PERMISSION_DENIED: ${right.member} lacks ${right.permission} on ${right.resource}; ${cure}.`;
    if (!told.has(message)) onRefusal(message);
    told.add(message);
    return message;
  };
  return {
    allows,
    refusalOf,
    require: (right) => {
      const refusal = refusalOf(right);
      if (refusal !== undefined) throw refuse("permission_denied", refusal);
    },
    unused: () => grants.filter((grant) => !used.has(grant)),
  };
}
