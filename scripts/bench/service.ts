// The payments API as a bench drives it: requests without a socket, a clock whose waits can be watched, a network to hold.
// It must never slow the API down: with nothing held it runs as deployed.
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import type { WebhookApiPorts } from "../../functions/edge/endpoint.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import type { Acquirer } from "../../functions/flows/acquirer-ports.ts";
import type { Balances } from "../../functions/flows/balance-ports.ts";
import type { Accounts, Clock, IdempotencyCache, Ledger, Log } from "../../functions/flows/ports.ts";
import type { Stories } from "../../functions/flows/story-ports.ts";

/** Puts the API together over stores. */
export function openService(stores: Stores): Service {
  const network = holdable();
  const waits = holdable();
  const clock: Clock = {
    ...systemClock,
    sleep: async (milliseconds) => {
      await waits.pass();
      await systemClock.sleep(milliseconds);
    },
  };
  const acquirer: Acquirer = {
    ...stores.acquirer,
    authorize: async (order) => {
      await network.pass();
      return await stores.acquirer.authorize(order);
    },
  };
  const { ledger, balances, stories, cache, accounts, webhooks, apiKey } = stores;
  const ports = { ledger, balances, stories, cache, accounts, acquirer, webhooks };
  const machine = { clock, random: systemRandom, log };
  const handler = paymentsApi({ ...ports, ...machine }, unhurried);
  const send = async (method: string, target: string, form = "", key?: string): Promise<Reply> => {
    const headers = new Map<string, readonly string[]>([
      ["authorization", [`Bearer ${apiKey}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
    ]);
    if (key !== undefined) headers.set("idempotency-key", [key]);
    const response = await handler({ method, target, headers, body: Buffer.from(form) });
    const replayed = response.headers["Idempotent-Replayed"] === "true";
    return { status: response.status, replayed, text: response.body.toString("utf8") };
  };
  return { send, network, waits };
}

/** What a service runs on. */
export type Stores = {
  readonly ledger: Ledger;
  readonly balances: Balances;
  readonly stories: Stories;
  readonly cache: IdempotencyCache;
  readonly accounts: Accounts;
  readonly acquirer: Acquirer;
  readonly webhooks: WebhookApiPorts;
  readonly apiKey: string;
};

/** The API and the two places where a bench can stop it. */
export type Service = {
  send(method: string, target: string, form?: string, key?: string): Promise<Reply>;
  /** Before each call of the card network. */
  readonly network: Holdable;
  /** Before each pause of a waiting twin. */
  readonly waits: Holdable;
};

/** An answer. */
export type Reply = { readonly status: number; readonly replayed: boolean; readonly text: string };

/** A place where calls pass, or wait. */
export type Holdable = {
  pass(): Promise<void>;
  /** From now on calls wait here; `arrived` resolves at the first one, `release` lets them and all later ones go on. */
  hold(): { readonly arrived: Promise<void>; release(): void };
};

/** A first call to an emulator can take seconds. Were it given up for that, what followed would be counted wrong. */
const unhurried: Timings = { ...defaultTimings, cacheDeadlineMs: 10_000 };

/** Rendered and thrown away: a log line's cost is part of a request's CPU time, a full screen is not. */
const log: Log = (severity, message, fields = {}) => void JSON.stringify({ severity, message, ...fields });

function holdable(): Holdable {
  let held: { arrival: PromiseWithResolvers<void>; exit: PromiseWithResolvers<void> } | undefined;
  return {
    pass: async () => {
      held?.arrival.resolve();
      await held?.exit.promise;
    },
    hold: () => {
      const { arrival, exit } = { arrival: Promise.withResolvers<void>(), exit: Promise.withResolvers<void>() };
      held = { arrival, exit };
      return {
        arrived: arrival.promise,
        release: () => {
          held = undefined;
          exit.resolve();
        },
      };
    },
  };
}
