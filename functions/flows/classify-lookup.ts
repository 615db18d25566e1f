/**
 * What the acquirer's answer to a lookup means: how an order stands, and under which name.
 * It must never take silence, or an order that is still being worked on, for an end.
 */
import type { Standing } from "../domain/reconcile.ts";
import type { Lookup } from "./acquirer-ports.ts";

/** How the order stands. */
export function classifyLookup(found: Lookup): Classified {
  const nothing = { reference: null, endsAtMs: null };
  if (found.kind !== "found") return { standing: found.kind, ...nothing };
  const { result, isVoided } = found;
  if (isVoided) return { standing: "without_effect", ...nothing };
  switch (result.kind) {
    case "approved":
      return { standing: "effective", reference: result.reference, endsAtMs: null };
    case "pending":
      return { standing: "pending", reference: result.reference, endsAtMs: result.settlesAtMs };
    default:
      // Declined, or the buyer was asked and has not answered: nothing was taken.
      return { standing: "without_effect", ...nothing };
  }
}

/** See `classifyLookup`. */
export interface Classified {
  readonly standing: Standing;
  /** The acquirer's name for it; null when it has none that lasts. */
  readonly reference: string | null;
  /** When it ends what is pending; null for every other standing. */
  readonly endsAtMs: number | null;
}
