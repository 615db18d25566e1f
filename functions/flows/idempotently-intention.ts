/**
 * Intentions: writes whose effect is outside the ledger. The key row announces what is wanted, it is carried out, and the
 * row gets the outcome. It must never decide by itself whether something was done before: what carries it out is guarded by
 * a `create` of its own.
 */
import { DomainError, hasCode } from "../domain/errors.ts";
import { expiryOf, retentionMs, type StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse, Intention } from "../domain/intention.ts";
import type { KeyRow } from "../domain/rows.ts";
import { keyInUse } from "./idempotently-refusals.ts";
import type { IdempotencyDependencies, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Ledger } from "./ports.ts";

/** The work of an intention; a row that announces one already is held to its word. */
export function intending(
  intention: Intention,
  perform: (use: IntendedUse, intention: Intention) => Promise<StoredOutcome>,
): Work {
  const begun = { kind: "intention", changes: [], resourceId: null, intention } as const;
  return {
    reads: {},
    blind: () => begun,
    begin: async () => begun,
    perform: (row) => perform(row, row.intention ?? intention),
  };
}

/**
 * Performs the work and seals its outcome under the key (design section 4.9).
 * @returns the sealed row; `own` is false when another worker had sealed it
 * @throws DomainError `idempotency_key_in_use` when another worker took the key over and is still at it, and what
 *   `perform` throws: after a refusal of what the request itself announced the key is free, after a failure the row stays an intention, and the retry or the
 *   completer carries it out
 */
export async function carryOut(
  deps: IdempotencyDependencies,
  { requestId }: Pick<IdempotentRequest, "requestId">,
  row: KeyRow,
  work: Work,
): Promise<Sealed> {
  if (work.perform === undefined) throw new Error("An intention was committed by work that cannot be performed.");
  let outcome: StoredOutcome;
  try {
    outcome = await work.perform(row);
  } catch (error) {
    // One that was taken over stays: its first worker may still be at it, and one key must not mean two effects.
    if (isRefusal(error) && row.requestId === requestId) await withdraw(deps, row);
    throw error;
  }
  const sealed = await sealIntention(deps, row, outcome, expiryOf(row.createdAtMs));
  if (sealed === undefined) throw keyInUse();
  return sealed;
}

/**
 * Writes the outcome into the row, where the row is still the worker's own, and forgets what was wanted.
 * @returns the row as it stands then; undefined when another worker holds it and is still at it
 * @throws DomainError as `Ledger.transact` does
 */
export async function sealIntention(
  deps: { readonly ledger: Ledger },
  row: Pick<KeyRow, "keyHash" | "owner">,
  outcome: StoredOutcome,
  expiresAtMs: number,
): Promise<Sealed | undefined> {
  return await deps.ledger.transact("seal-intention", async (scope) => {
    const { idempotency_keys: current } = await scope.read({ idempotency_keys: row.keyHash });
    // A row without an outcome never expires, so nobody may have replaced or deleted it.
    if (current === undefined) throw new Error(`The key row ${row.keyHash} of an intention is missing.`);
    if (current.outcome !== null) return { row: current, outcome: current.outcome, own: current.owner === row.owner };
    if (current.owner !== row.owner) return undefined;
    const sealed = { ...current, outcome, expiresAtMs, intention: null };
    scope.write([{ op: "update", table: "idempotency_keys", row: sealed }]);
    return { row: sealed, outcome, own: true };
  });
}

/** The row with its outcome. */
export interface Sealed {
  readonly row: KeyRow;
  readonly outcome: StoredOutcome;
  readonly own: boolean;
}

/** True for what is refused because others are at the same object: nothing was done, and the client asks again if it likes. */
export function isRefusal(error: unknown): error is DomainError {
  return hasCode(error, "delivery_in_flight", "lock_timeout");
}

/**
 * What was refused to its client is wanted no longer: nobody may do it behind the client's back. The row ends as one whose
 * day is over, so that the key is free (design section 4.5).
 */
async function withdraw({ ledger, log }: IdempotencyDependencies, row: KeyRow): Promise<void> {
  try {
    // A whole day back, so that no clock that is slow takes it for an answer.
    await sealIntention({ ledger }, row, { status: 409, body: null }, row.createdAtMs - retentionMs);
  } catch (error) {
    // The completer carries it out then, which is no worse than a retry; the client must hear of the refusal.
    log("WARNING", "intention not withdrawn", {
      keyId: row.keyHash,
      reason: error instanceof DomainError ? error.code : "internal",
    });
  }
}
