/**
 * The end of an intention: carries out what the key row announced outside the ledger, and writes the outcome into the row.
 * It never decides by itself whether something was done before: `perform` is guarded by a `create` of its own.
 */
import { expiryOf, type StoredOutcome } from "../domain/idempotency.ts";
import type { KeyRow } from "../domain/rows.ts";
import { keyInUse } from "./idempotently-refusals.ts";
import type { IdempotencyDependencies, Work } from "./idempotently-types.ts";

/**
 * Performs the work and seals its outcome under the key (design section 4.9).
 * @returns the sealed row; `own` is false when another worker had sealed it
 * @throws DomainError `idempotency_key_in_use` when another worker took the key over and is still at it, and what
 *   `perform` throws; the row then stays an intention, and the retry carries it out
 */
export async function carryOut(deps: IdempotencyDependencies, row: KeyRow, work: Work): Promise<Sealed> {
  if (work.perform === undefined) throw new Error("An intention was committed by work that cannot be performed.");
  const outcome = await work.perform(row);
  return await deps.ledger.transact("seal-intention", async (scope) => {
    const { idempotency_keys: current } = await scope.read({ idempotency_keys: row.keyHash });
    // A row without an outcome never expires, so nobody may have replaced or deleted it.
    if (current === undefined) throw new Error(`The key row ${row.keyHash} of an intention is missing.`);
    if (current.outcome !== null) return { row: current, outcome: current.outcome, own: current.owner === row.owner };
    if (current.owner !== row.owner) throw keyInUse();
    const sealed = { ...current, outcome, expiresAtMs: expiryOf(current.createdAtMs) };
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
