/**
 * The completer of intentions: has what a dead worker announced carried out, and seals its key, without any client
 * (design sections 4.6 and 4.9). It never acts while a worker may still be at it, and never carries anything out itself.
 */
import { reasonOf } from "../domain/errors.ts";
import { expiryOf, type Timings } from "../domain/idempotency.ts";
import type { Intention } from "../domain/intention.ts";
import type { KeyRow } from "../domain/rows.ts";
import { sealIntention } from "./idempotently-intention.ts";
import type { IntentionCarrier } from "./intention-ports.ts";
import type { Clock, Ledger, Log, Random } from "./ports.ts";

/** What completing intentions needs. */
export interface CompleteIntentionsDependencies {
  readonly ledger: Ledger;
  readonly intentions: IntentionCarrier;
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<Random, "token">;
  readonly timings: Timings;
  readonly log: Log;
}

/** How one sweep went; the numbers go into one log line. */
export interface IntentionSweep {
  readonly intentionsSealed: number;
  /** Still open: nobody could carry them out, or somebody else is at them. */
  readonly intentionsLeft: number;
}

/** One bounded sweep over intentions whose worker is gone; those of one sweep at once, because each is a call to elsewhere. */
export async function completeIntentions(deps: CompleteIntentionsDependencies): Promise<IntentionSweep> {
  const before = deps.clock.now() - deps.timings.callTimeoutMs;
  const abandoned = await deps.ledger.abandonedIntentions(before, batchMax);
  const ends = await Promise.all(abandoned.map(({ keyHash }) => complete(deps, keyHash)));
  const intentionsSealed = ends.filter((isSealed) => isSealed).length;
  return { intentionsSealed, intentionsLeft: ends.length - intentionsSealed };
}

/** One instance of the function that carries them out takes sixteen requests at once, and has other work (infra). */
const batchMax = 10;

async function complete(deps: CompleteIntentionsDependencies, keyHash: string): Promise<boolean> {
  let held: Held | undefined;
  try {
    held = await take(deps, keyHash);
    if (held === undefined) return true;
    const outcome = await deps.intentions.carryOut(held, held.intention);
    if (outcome === "busy") return tellOfOpen(deps, held, "others are at the same object");
    // The client that never came back may come yet, and has a day from now.
    const sealed = await sealIntention(deps, held, outcome, expiryOf(deps.clock.now()));
    return sealed !== undefined || tellOfOpen(deps, held, "another worker took it over");
  } catch (error) {
    return tellOfOpen(deps, held ?? { keyHash }, reasonOf(error));
  }
}

/** A row that announces something, under a lease of the completer's. */
type Held = KeyRow & { readonly intention: Intention };

/**
 * Takes the row over with a fence of its own, so that neither its first worker nor another sweep can seal it now, and a
 * client waits; undefined when nothing is due.
 */
async function take(deps: CompleteIntentionsDependencies, keyHash: string): Promise<Held | undefined> {
  const owner = deps.random.token();
  return await deps.ledger.transact("take-intention", async (scope) => {
    const { idempotency_keys: row } = await scope.read({ idempotency_keys: keyHash });
    const nowMs = deps.clock.now();
    if (row === undefined || row.outcome !== null || row.intention === null) return undefined;
    if (row.leaseUntilMs + deps.timings.callTimeoutMs >= nowMs) return undefined;
    const { intention } = row;
    const held = {
      ...row,
      intention,
      owner,
      generation: row.generation + 1,
      leaseUntilMs: nowMs + deps.timings.leaseMs,
    };
    scope.write([{ op: "update", table: "idempotency_keys", row: held }]);
    return held;
  });
}

/** Says that it stays open, and louder once it should have ended long ago; never sealed, so never true. */
function tellOfOpen(
  deps: CompleteIntentionsDependencies,
  row: Pick<KeyRow, "keyHash"> & Partial<Held>,
  reason: string,
): false {
  const { keyHash: keyId, accountId, intention, createdAtMs } = row;
  const fields = { keyId, accountId, verb: intention?.verb, reason };
  deps.log("WARNING", "intention stays open", fields);
  if (createdAtMs !== undefined && deps.clock.now() - createdAtMs > alarmAfterMs)
    deps.log("ERROR", "intention open for too long", fields);
  return false;
}

/** A sweep runs each minute and ends what it can: whoever is open for a quarter of an hour failed many times. */
const alarmAfterMs = 15 * 60 * 1000;
