/**
 * The life of one key, gathered from the ledger, the cache and the deliveries, and the story of one payment.
 * It never shows a record of another account, writes nothing, and never fails because the cache is away.
 */
import { refuse } from "../domain/errors.ts";
import { keyIdentity } from "../domain/idempotency.ts";
import {
  type AccountBooks,
  type CausedRecords,
  causedBy,
  inOrder,
  type KeyRecord,
  nothingCaused,
  type PaymentRecords,
} from "../domain/story.ts";
import type { WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { Deliveries } from "./delivery-ports.ts";
import type { CacheRecord, Clock, GuardedCache } from "./ports.ts";
import type { KeyStory, Stories } from "./story-ports.ts";

/** What reading needs. */
export interface ReadLifeDependencies {
  readonly stories: Stories;
  readonly cache: Pick<GuardedCache, "read">;
  readonly webhooks: { readonly deliveries: Pick<Deliveries, "list" | "read"> };
  readonly clock: Pick<Clock, "now">;
}

/** Everything that the stores know of a key. */
export interface KeyLife {
  readonly keyHash: string;
  readonly readAtMs: number;
  /** The ledger's row; null before the first commit, and once the row was deleted by its age. */
  readonly row: KeyRecord | null;
  /** The cache's claim; `none` when there is none, `unknown` when the cache did not answer. */
  readonly claim: CacheRecord | "none" | "unknown";
  readonly caused: CausedRecords;
  /** The payment that the request was about, for the answers of its charges and refunds; null when it was about none. */
  readonly payment: PaymentRecords | null;
  readonly deliveries: readonly WebhookDelivery[];
}

/** Which key: as the client sends it, or the name that logs and records have for it. */
export type WhichKey = { readonly key: string } | { readonly keyId: string };

/**
 * The life of a key of one account.
 * @throws DomainError `resource_missing` naming `key` or `key_id` when no store knows it; `store_unavailable` when the
 *   ledger does not know it and the cache did not answer
 */
export async function readKeyLife(
  deps: ReadLifeDependencies,
  input: { readonly accountId: string; readonly which: WhichKey },
): Promise<KeyLife> {
  const readAtMs = deps.clock.now();
  const { accountId, which } = input;
  let silent = false;
  for (const keyHash of "key" in which ? identitiesOf(accountId, which.key) : [which.keyId]) {
    const [story, found] = await Promise.all([deps.stories.ofKey(keyHash), deps.cache.read(keyHash)]);
    if (story !== undefined && story.row.accountId !== accountId) break;
    silent ||= found.kind === "unknown";
    // A claim alone names no account: only whoever knows the key itself may see it.
    if (story === undefined && (found.kind !== "found" || !("key" in which))) continue;
    const claim = found.kind === "found" ? found.record : found.kind;
    const caused = causedIn(story, accountId);
    const payment = story === undefined ? null : ownPayment(story, accountId);
    const deliveries = await deliveriesOf(deps, accountId, caused, deliveryIn(story?.row.path ?? ""));
    return { keyHash, readAtMs, row: story?.row ?? null, claim, caused, payment, deliveries };
  }
  if (silent && "key" in which)
    throw refuse("store_unavailable", "The ledger does not know this key, and the cache did not answer. Please retry.");
  const param = "key" in which ? "key" : "key_id";
  throw refuse(
    "resource_missing",
    `No such idempotency key under this account: ${param} was never used, or is too old.`,
    {
      param,
    },
  );
}

/** The story of one payment. */
export interface PaymentLife {
  readonly readAtMs: number;
  readonly payment: PaymentRecords;
  readonly deliveries: readonly WebhookDelivery[];
}

/**
 * The story of a payment of one account.
 * @throws DomainError `resource_missing` with param `intent`
 */
export async function readPaymentLife(
  deps: Omit<ReadLifeDependencies, "cache">,
  input: { readonly accountId: string; readonly intentId: string },
): Promise<PaymentLife> {
  const readAtMs = deps.clock.now();
  const found = await deps.stories.ofPayment(input.intentId);
  if (found === undefined || found.intent.accountId !== input.accountId)
    throw refuse("resource_missing", `No such payment_intent: '${input.intentId}'`, { param: "intent" });
  const payment = { ...found, events: inOrder(found.events) };
  return { readAtMs, payment, deliveries: await deliveriesOf(deps, input.accountId, payment, undefined) };
}

/** The books of one account, and when they were looked at. */
export async function readAccountBooks(
  deps: Pick<ReadLifeDependencies, "stories" | "clock">,
  input: { readonly accountId: string },
): Promise<AccountBooks & { readonly readAtMs: number }> {
  const readAtMs = deps.clock.now();
  return { readAtMs, ...(await deps.stories.ofBooks(input.accountId)) };
}

/**
 * A header arrives as bytes that are read one by one, and clients write it as UTF-8 or as Latin-1: so a text beyond ASCII
 * may be known under two spellings, and is looked for under its own first.
 */
function identitiesOf(accountId: string, key: string): readonly string[] {
  const spellings = new Set([key, Buffer.from(key, "utf8").toString("latin1")]);
  return [...spellings].map((spelling) => keyIdentity(accountId, false, spelling));
}

function ownPayment({ payment }: KeyStory, accountId: string): PaymentRecords | null {
  return payment?.intent.accountId === accountId ? payment : null;
}

function causedIn(story: KeyStory | undefined, accountId: string): CausedRecords {
  const payment = story === undefined ? null : ownPayment(story, accountId);
  return story === undefined || payment === null ? nothingCaused : causedBy(story.row, payment);
}

/** Those of the newest events, some at a time, and the one that a resend or redrive was about. */
async function deliveriesOf(
  { webhooks }: Pick<ReadLifeDependencies, "webhooks">,
  accountId: string,
  { events }: Pick<CausedRecords, "events">,
  deliveryId: string | undefined,
): Promise<readonly WebhookDelivery[]> {
  const found: WebhookDelivery[] = [];
  const ids = events.slice(-toldEventsMax).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += atOnce) {
    const pages = ids
      .slice(from, from + atOnce)
      .map((eventId) => webhooks.deliveries.list(deliveriesTo(accountId, eventId)));
    for (const { deliveries } of await Promise.all(pages)) found.push(...deliveries);
  }
  if (deliveryId !== undefined) {
    const sent = await webhooks.deliveries.read(deliveryId);
    if (sent?.delivery.accountId === accountId) found.push(sent.delivery);
  }
  return found;
}

/** The delivery that a resend or redrive was asked of. */
function deliveryIn(path: string): string | undefined {
  return /^\/v1\/webhook_deliveries\/(wd_[A-Za-z0-9]+)\//.exec(path)?.[1];
}

function deliveriesTo(accountId: string, eventId: string) {
  const all = { endpointId: null, state: null, startingAfter: null, endingBefore: null };
  return { accountId, eventId, limit: deliveriesMax, ...all };
}

/** Thirty events are more than any payment has; a longer story tells where its newest ones went. */
const toldEventsMax = 30;

/** An account has at most sixteen endpoints, so one event has no more deliveries. */
const deliveriesMax = 16;

/** Queries at once: one look at a key must not crowd out the payments of its instance. */
const atOnce = 6;
