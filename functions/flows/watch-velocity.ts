/**
 * The velocity rule as the action of a consumer: what was observed is kept first, then looked at, then flagged.
 * It must never commit its markers before the observation stands: after a crash in between, the rule would be blind to it.
 */
import { digestOf } from "../domain/consumption.ts";
import {
  flaggedSince,
  type Observation,
  observationLifeMs,
  type VelocityRule,
  velocityRule,
} from "../domain/velocity.ts";
import type { BusinessAction, EffectDocument } from "./consumer-ports.ts";
import type { Observations } from "./risk-ports.ts";

/** What it needs; `riskFlags` is the collection of the flags. */
export interface VelocityDependencies {
  readonly observations: Observations;
  readonly riskFlags: string;
  readonly rule?: VelocityRule;
}

/** A try to pay, successful or not: who tests stolen cards is declined most of the time. */
export interface Try {
  readonly chargeId: string;
  readonly accountId: string;
  readonly atMs: number;
  /** Names the card without being its number; null when it is not a card. */
  readonly cardFingerprint: string | null;
  readonly customer: string | null;
}

/** Observes the try, and flags every payment that is now one too many. */
export function watchVelocity(deps: VelocityDependencies, attempt: Try): BusinessAction {
  return {
    name: `velocity:${attempt.chargeId}`,
    effect: {
      kind: "own",
      prepare: async () => {
        const { accountId, chargeId, atMs, cardFingerprint, customer } = attempt;
        const payers = { card: cardFingerprint, customer };
        const observed = Object.entries(payers).flatMap(([kind, name]) =>
          name ? [{ kind, subject: digestOf(kind, accountId, name), chargeId, atMs }] : [],
        );
        await deps.observations.record(observed.map(({ kind: _kind, ...observation }) => observation));
        const flags = await Promise.all(observed.map(async (one) => await flagsAround(deps, one, accountId)));
        const documents = flags.flat();
        return { outcome: documents.length > 0 ? "flagged" : "clear", documents };
      },
    },
  };
}

/** The same document for the same payment, whichever event finds it. */
async function flagsAround(
  { observations, riskFlags, rule = velocityRule }: VelocityDependencies,
  { kind, subject, atMs }: Observation & { readonly kind: string },
  accountId: string,
): Promise<EffectDocument[]> {
  const { windowMs, paymentsMax } = rule;
  const near = await observations.between(subject, atMs - windowMs, atMs + windowMs, observationsMax);
  return flaggedSince(near, atMs, rule).map((flagged) => ({
    ...{ collection: riskFlags, id: `${kind}_${flagged.chargeId}`, write: "put" },
    fields: {
      ...{ rule: `${kind}_velocity`, accountId, subject, chargeId: flagged.chargeId, atMs: flagged.atMs },
      ...{ windowMs, paymentsMax, deleteAfter: new Date(flagged.atMs + observationLifeMs) },
    },
  }));
}

/**
 * A commit takes 500 writes, and nobody needs more than 200 tries of one card within two windows to know what it is. Beyond
 * that each try still finds more than enough before it to be flagged when its own event comes.
 */
const observationsMax = 200;
