/**
 * The life of a key in plain JSON with the log lines that belong to it, for the script of a stage and for the laptop's door.
 * It must never make an account, write anything, or show more than the API would show its owner.
 */
import { hasCode } from "../domain/errors.ts";
import { defaultTimings, keyLengthMax } from "../domain/idempotency.ts";
import { guardCache } from "../flows/cache-guard.ts";
import type { Deliveries } from "../flows/delivery-ports.ts";
import type { History, KeyLine } from "../flows/history-ports.ts";
import type { Accounts, Clock, GuardedCache, IdempotencyCache } from "../flows/ports.ts";
import { readKeyLife } from "../flows/read-life.ts";
import type { Stories } from "../flows/story-ports.ts";
import { serializeKeyLife, type WireKeyLife } from "./serialize-life.ts";

/** What the desk needs; without a history it tells no twins and no replays. */
export interface KeyDeskDependencies {
  readonly accounts: Pick<Accounts, "listKeys">;
  readonly stories: Stories;
  /** Null where it is out of reach: Memorystore answers inside its network only. */
  readonly cache: IdempotencyCache | null;
  readonly deliveries: Deliveries;
  readonly history: Pick<History, "keyLines"> | null;
  readonly clock: Clock;
}

/** Whose key, and which; the account by its name, as operators know it. */
export interface KeyDeskRequest {
  readonly accountName: string;
  readonly key: string;
}

/** What it answers: the life with the lines of the logs, oldest first, or why it refused, for people. */
export interface KeyDeskAnswer {
  readonly life?: WireKeyLife;
  /** Null where there is no history to ask, or it did not answer. */
  readonly lines?: readonly KeyLine[] | null;
  readonly refused?: string;
}

/** Answers one request. Whatever a person did wrong is an answer; a store that fails is an error. */
export async function keyDesk(deps: KeyDeskDependencies, { accountName, key }: KeyDeskRequest): Promise<KeyDeskAnswer> {
  if (key === "" || key.length > keyLengthMax) return { refused: `a key has 1 to ${keyLengthMax} characters` };
  const [apiKey] = await deps.accounts.listKeys(accountName);
  if (apiKey === undefined) return { refused: `there is no account ${accountName}, or it never had an API key` };
  const { accountId } = apiKey;
  try {
    const input = { accountId, which: { key } };
    const life = await readKeyLife({ ...deps, cache: cacheOf(deps), webhooks: { deliveries: deps.deliveries } }, input);
    const lines = await linesOf(deps, accountId, life.keyHash);
    return { life: serializeKeyLife(life, defaultTimings.leaseMs), lines };
  } catch (error) {
    if (hasCode(error, "resource_missing")) return { refused: `${accountName} never used this key, or too long ago` };
    throw error;
  }
}

function cacheOf({ cache, clock }: KeyDeskDependencies): Pick<GuardedCache, "read"> {
  if (cache === null) return { read: async () => ({ kind: "unknown" }) };
  return guardCache({ cache, clock, log: () => {} }, { deadlineMs: cacheDeadlineMs });
}

/** A person waits longer than a payment does. */
const cacheDeadlineMs = 2_000;

/** A key lives for a day, and its row for one more; a week also finds what came late. */
const linesFromMs = 7 * 24 * 60 * 60 * 1000;

/** A key that was sent a hundred times has as many lines; the newest of more tell enough. */
const linesMax = 200;

/** The history is no truth about money: a life is told without it. */
async function linesOf({ history, clock }: KeyDeskDependencies, accountId: string, keyId: string) {
  if (history === null) return null;
  const untilMs = clock.now() + 1;
  const range = { fromMs: untilMs - linesFromMs, untilMs };
  try {
    const page = await history.keyLines({ accountId, keyId, range, limit: linesMax, before: null });
    return page.lines.toReversed();
  } catch (error) {
    if (hasCode(error, "store_unavailable", "permission_denied")) return null;
    throw error;
  }
}
