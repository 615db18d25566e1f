// A cast on the stage: requests and the completer, what may happen beside them, and what must hold in the end.
// It must never judge by what a process believes: the acquirer's journal and the rows are what counts.
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import { strictUrls } from "../../functions/domain/webhook-url.ts";
import { performIntention } from "../../functions/edge/intentions.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { wireDeliveryRenderer } from "../../functions/edge/serialize-webhook-delivery.ts";
import { wireEndpointRenderer } from "../../functions/edge/serialize-webhook-endpoint.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import { type CompleteDependencies, completeAttempts } from "../../functions/flows/complete-attempts.ts";
import { type CompleteIntentionsDependencies, completeIntentions } from "../../functions/flows/complete-intentions.ts";
import { finishChallenge } from "../../functions/flows/finish-challenge.ts";
import type { IntentionCarrier } from "../../functions/flows/intention-ports.ts";
import { commitResult, settleAttempt } from "../../functions/flows/settle-attempt.ts";
import { everyPaymentHasItsEvents } from "../simulation/invariants/events.ts";
import {
  booksMatchNetwork,
  entriesSumToZero,
  oneEffectPerKey,
  refundedWithinCaptured,
} from "../simulation/invariants/money.ts";
import { nothingStaysOpen } from "../simulation/invariants/rest.ts";
import type { Run } from "./explore.ts";
import { type Fate, openStage, type Stage } from "./stage.ts";

/** Two looks of a waiting twin, so that what it does while it waits is met and not multiplied. */
const timings: Timings = { ...defaultTimings, twinWaitMs: 250, pollMs: 100 };

/** One call that ends in a lease, with its grace: then the completer acts. */
const leaseEndsMs = timings.leaseMs + timings.callTimeoutMs + 1;

/** Longer than an attempt is driven: then it is given up. */
const windowEndsMs = 15 * 60_000 + leaseEndsMs;

const apiKey = "sk_test_interleaved_1111";

/** A request under a key. */
export interface Asking {
  readonly path: string;
  readonly form: string;
  readonly key: string;
}

/** A client's request on its way through a process. */
export interface Actor {
  readonly name: string;
  readonly asks: Asking;
  readonly fate?: Fate;
  /** It arrives when the lease of whoever came first has ended. */
  readonly afterLease?: boolean;
}

/** What is on the stage beside the requests. */
export interface Cast {
  readonly actors: readonly Actor[];
  /** The completer sweeps once, after a lease, or after the drive window. */
  readonly completer?: "after lease" | "after window";
  readonly completerFate?: Fate;
  /** The completer looks for intentions alone: what is asked for makes webhook endpoints. */
  readonly intends?: boolean;
  /** The cache forgets everything once. */
  readonly wipe?: boolean;
  /** Requests that came to their end before. */
  readonly before?: readonly Asking[];
}

/** Opens a run of a cast. */
export function cast({
  actors,
  completer,
  completerFate,
  intends = false,
  wipe = false,
  before = [],
}: Cast): () => Promise<Run> {
  return async () => {
    const stage = openStage();
    await addAccount(stage);
    const heard: {
      readonly asked: Asking;
      readonly status: number;
      readonly body: string;
      readonly isFinal: boolean;
    }[] = [];
    const ask = async (handler: WireHandler, asked: Asking) => {
      const intent = stage.stores.tables.rows("payment_intents")[0];
      const path = asked.path.replace(":intent", intent?.id ?? "");
      const form = asked.form.replace(":intent", intent?.id ?? "");
      const { status, headers, body } = await handler(post({ ...asked, path, form }));
      heard.push({ asked, status, body: body.toString("utf8"), isFinal: headers["Original-Request"] !== undefined });
      return status;
    };
    stage.free();
    const setter = apiOf(stage, "before");
    for (const asked of before) await stage.settled(ask(setter, asked));
    stage.hold();
    const start = async (name: string, afterMs: number, run: () => Promise<unknown>, fate: Fate | undefined) => {
      if (afterMs > 0) await stage.enter(`${name} waits`, fate).clock.sleep(afterMs);
      await run();
    };
    for (const { name, asks, fate, afterLease = false } of actors) {
      const handler = apiOf(stage, name, fate);
      void start(name, afterLease ? timings.leaseMs + 1 : 0, () => ask(handler, asks), undefined);
    }
    if (completer !== undefined) {
      const sweeper = completerOf(stage, "completer", completerFate);
      const afterMs = completer === "after lease" ? leaseEndsMs : windowEndsMs;
      const sweep = () => (intends ? completeIntentions(sweeper) : completeAttempts(sweeper));
      void start("completer", afterMs, sweep, undefined);
    }
    if (wipe) stage.event("the cache is wiped", "cache", () => stage.stores.cache.wipe());
    await stage.letRun();
    return {
      actions: stage.actions,
      take: stage.take,
      judge: async () => {
        stage.free();
        const last = completerOf(stage, "last completer");
        // The drive window, the void and the second look, the reversal.
        for (const waitMs of [leaseEndsMs, windowEndsMs, 61_000 + leaseEndsMs, 61_000 + leaseEndsMs]) {
          stage.moveTo(stage.now() + waitMs);
          await stage.settled(completeAttempts(last));
          await stage.settled(completeIntentions(last));
        }
        const again = apiOf(stage, "again");
        const unsettled: string[] = [];
        for (const asked of new Set([...before, ...actors.map(({ asks }) => asks)])) {
          const status = await stage.settled(ask(again, asked));
          if (status >= 500 || status === 409) unsettled.push(`key ${asked.key} ends with ${status}`);
        }
        const after = { stores: stage.stores, time: stage.outside };
        return [
          ...unsettled,
          ...answerProblems(heard),
          ...(await oneEffectPerKey(after)),
          ...(await booksMatchNetwork(after)),
          ...(await refundedWithinCaptured(after)),
          ...entriesSumToZero(after),
          ...everyPaymentHasItsEvents(after),
          ...nothingStaysOpen(after),
          ...oneEndpointPerKey(stage, [...actors.map(({ asks }) => asks), ...before]),
        ];
      },
    };
  };
}

/** Each key that asks for an endpoint makes one. */
function oneEndpointPerKey({ stores }: Stage, asked: readonly Asking[]): string[] {
  const keys = new Set(asked.filter(({ path }) => path === "/v1/webhook_endpoints").map(({ key }) => key));
  const made = stores.endpoints.everything().length;
  return made === keys.size ? [] : [`${keys.size} keys made ${made} endpoints`];
}

/** One body for each key that has a final answer; 500 is a bug whatever happens. */
function answerProblems(heard: readonly { asked: Asking; status: number; body: string; isFinal: boolean }[]): string[] {
  const finals = new Map<string, Set<string>>();
  for (const { asked, status, body, isFinal } of heard) {
    if (isFinal) finals.set(asked.key, (finals.get(asked.key) ?? new Set()).add(`${status} ${body}`));
  }
  return [
    ...[...finals].filter(([, all]) => all.size > 1).map(([key, all]) => `key ${key} has ${all.size} answers`),
    ...heard.filter(({ status }) => status === 500).map(({ asked, body }) => `key ${asked.key} met a bug: ${body}`),
  ];
}

function apiOf(stage: Stage, name: string, fate?: Fate): WireHandler {
  const { bind, passing, ...machine } = stage.enter(name, fate);
  const { stores } = stage;
  return paymentsApi(
    {
      ...machine,
      ledger: bind("ledger", stores.ledger),
      cache: bind("cache", stores.cache),
      acquirer: bind("acquirer", stores.acquirer),
      balances: passing(stores.balances),
      accounts: passing(stores.accounts),
      stories: passing(stores.stories),
      webhooks: {
        endpoints: bind("endpoints", stores.endpoints),
        deliveries: passing(stores.deliveries),
        tasks: passing(stores.tasks),
        box: stores.box,
        urlRules: strictUrls,
      },
    },
    timings,
  );
}

/** The completer, and in the same process who carries intentions out for it: each call on the way is a step all the same. */
function completerOf(stage: Stage, name: string, fate?: Fate): CompleteDependencies & CompleteIntentionsDependencies {
  const { bind, passing, ...machine } = stage.enter(name, fate);
  const shared = {
    ...{ ...machine, timings, terms: standardTerms, renderer: wireRenderer() },
    ledger: bind("ledger", stage.stores.ledger),
    acquirer: bind("acquirer", stage.stores.acquirer),
  };
  const { endpoints, deliveries, tasks, box } = stage.stores;
  const carrying = {
    ...shared,
    webhooks: {
      ...{ endpoints: bind("endpoints", endpoints), deliveries: passing(deliveries), tasks: passing(tasks), box },
      ...{ renderer: wireEndpointRenderer, deliveryRenderer: wireDeliveryRenderer },
    },
  };
  const intentions: IntentionCarrier = {
    carryOut: async (use, intention) => await performIntention(carrying, use, intention),
  };
  const settle = settleAttempt(shared);
  return {
    ...shared,
    intentions,
    settle,
    commit: commitResult(shared),
    finishChallenge: finishChallenge({ ...shared, settle }),
  };
}

async function addAccount({ stores, now }: Stage): Promise<void> {
  const account = { id: "acct_interleaved", name: "interleaved", createdAtMs: now() };
  await stores.accounts.ensureAccount(account);
  const key = { digest: apiKeyDigest(apiKey), accountId: account.id, lastFour: apiKey.slice(-4) };
  await stores.accounts.addKey({ ...key, createdAtMs: now(), revokedAtMs: null });
}

function post({ path, form, key }: Asking) {
  return {
    method: "POST",
    target: path,
    headers: new Map([
      ["host", ["api.example"]],
      ["authorization", [`Bearer ${apiKey}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
      ["idempotency-key", [key]],
    ]),
    body: Buffer.from(form, "utf8"),
  };
}
