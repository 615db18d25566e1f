// The whole payments API in one process on memory stores, with a clock in the test's hands and every port disturbable.
// It must never share state between two worlds; two servers of one world share the stores and nothing else.

import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryDeliveries } from "../../functions/adapters/memory/deliveries.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import { memoryOutbox } from "../../functions/adapters/memory/outbox.ts";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { memoryTaskQueues } from "../../functions/adapters/memory/task-queues.ts";
import { memoryWebhookEndpoints } from "../../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import { strictUrls } from "../../functions/domain/webhook-url.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { crashTour } from "../../functions/edge/crash-tour.ts";
import type { WebhookApiPorts } from "../../functions/edge/endpoint.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import type { Publisher } from "../../functions/flows/bus-ports.ts";
import { eventOutlet } from "../../functions/flows/publish-commits.ts";
import { intercept } from "./interception.ts";
import { manualClock } from "./manual-clock.ts";
import { expectValidAnswer } from "./schemas.ts";

/** When every world begins: 2026-01-15 12:00:00 UTC. */
export const beginMs = Date.UTC(2026, 0, 15, 12, 0, 0);

/** API keys of the two accounts of every world. */
export const apiKeys = { first: "sk_test_first_account_1111", second: "sk_test_second_account_2222" } as const;

/** One world; see the file's first line. */
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Opens a world. */
export async function openWorld(timings: Timings = defaultTimings) {
  const clock = manualClock(beginMs);
  const tables = memoryTables();
  const [ledger, balances, seals] = [memoryLedger(tables), memoryBalances(tables), memorySeals(tables)];
  const stories = memoryStories(tables, seals);
  const outbox = memoryOutbox(tables);
  const [reconciliation, operators] = [memoryReconciliation(tables), memoryOperators()];
  const bus = memoryPublisher();
  const cache = memoryIdempotencyCache();
  const accounts = memoryAccounts();
  const journal = memoryAcquirerJournal();
  const webhookEndpoints = memoryWebhookEndpoints();
  const deliveries = memoryDeliveries();
  const wakeUps = memoryTaskQueues({ clock });
  const logged: string[] = [];
  const log = (severity: string, message: string, fields: object = {}) =>
    void logged.push(
      JSON.stringify({ severity, message, ...fields }, (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      ),
    );
  const network = networkOver({ journal, clock, log });
  for (const [name, secret] of Object.entries(apiKeys)) {
    const account = await accounts.ensureAccount({ id: `acct_${name}`, name, createdAtMs: beginMs });
    await accounts.addKey({
      digest: apiKeyDigest(secret),
      accountId: account.id,
      lastFour: secret.slice(-4),
      createdAtMs: beginMs,
      revokedAtMs: null,
    });
  }
  /** One more process over the same stores, each of its ports disturbable on its own; one that publishes if so asked. */
  const startServer = ({ publishes = false } = {}) => {
    const ports = {
      ledger: intercept(ledger),
      balances: intercept(balances),
      stories: intercept(stories),
      cache: intercept(cache),
      acquirer: intercept(network),
      accounts: intercept(accounts),
      webhookEndpoints: intercept(webhookEndpoints),
      deliveries: intercept(deliveries),
      wakeUps: intercept(wakeUps),
      publisher: intercept<Publisher>(bus),
    };
    const publishing = { ledger: ports.ledger.port, publisher: ports.publisher.port, render: busMessageOf, clock, log };
    const outlet = eventOutlet(publishing);
    const handler = answersChecked(
      crashTour(
        true,
        {
          ledger: ports.ledger.port,
          balances: ports.balances.port,
          stories: ports.stories.port,
          cache: ports.cache.port,
          acquirer: ports.acquirer.port,
          accounts: ports.accounts.port,
          webhooks: {
            ...webhookPorts(),
            ...{ endpoints: ports.webhookEndpoints.port, deliveries: ports.deliveries.port, tasks: ports.wakeUps.port },
          },
          clock,
          random: systemRandom,
          log,
          ...(publishes ? { outlet } : {}),
        },
        timings,
      ),
    );
    return { handler, ports, outlet, ...clientOf(handler) };
  };
  const stores = {
    ledger,
    balances,
    stories,
    seals,
    reconciliation,
    operators,
    outbox,
    bus,
    cache,
    accounts,
    journal,
    webhookEndpoints,
    deliveries,
    wakeUps,
  };
  return { ...stores, clock, log, logged, startServer, ...startServer() };
}

/** What the API needs for webhooks, for tests that are about something else. */
export function webhookPorts(): WebhookApiPorts {
  return {
    endpoints: memoryWebhookEndpoints(),
    deliveries: memoryDeliveries(),
    tasks: memoryTaskQueues({ clock: { now: () => beginMs } }),
    box: aesSecretBox("a key for tests which is not a secret at all"),
    urlRules: strictUrls,
  };
}

/** The handler, with every answer of every test held against the schemas. */
function answersChecked(handler: WireHandler): WireHandler {
  return async (request) => {
    const response = await handler(request);
    if (request.target.startsWith("/v1/") && !response.hangsUp)
      expectValidAnswer(JSON.parse(response.body.toString("utf8")));
    return response;
  };
}

/** An answer as a test reads it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Body as text, byte for byte. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds, and a wrong path fails the test.
  readonly json: any;
}

/** What a test sends besides method and path. */
export interface Sent {
  readonly key?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Requests to a handler, without a socket. */
export function clientOf(handler: WireHandler) {
  const send = async (method: string, target: string, body: string, sent: Sent = {}): Promise<Reply> => {
    const headers = new Map<string, readonly string[]>([
      ["authorization", [`Bearer ${sent.apiKey ?? apiKeys.first}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
    ]);
    if (sent.key !== undefined) headers.set("idempotency-key", [sent.key]);
    for (const [name, value] of Object.entries(sent.headers ?? {}))
      headers.set(name, typeof value === "string" ? [value] : value);
    const response = await handler({ method, target, headers, body: Buffer.from(body, "utf8") });
    const text = response.body.toString("utf8");
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text || "null") };
  };
  return {
    send,
    post: (target: string, body: string, sent?: Sent) => send("POST", target, body, sent),
    postJson: (target: string, value: unknown, sent: Sent = {}) =>
      send("POST", target, typeof value === "string" ? value : JSON.stringify(value), {
        ...sent,
        headers: { "content-type": "application/json", ...sent.headers },
      }),
    get: (target: string, sent?: Sent) => send("GET", target, "", sent),
  };
}

/** A form that creates and confirms 20.00 USD. */
export const payForm = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa";

/** Counts what stands in the ledger, for the question "how many payments are there". */
export function countRows(world: World) {
  const count = (table: Parameters<World["ledger"]["rows"]>[0]) => world.ledger.rows(table).length;
  return {
    intents: count("payment_intents"),
    charges: count("charges"),
    bookings: count("ledger_transactions"),
    keys: count("idempotency_keys"),
    events: count("events"),
    outbox: count("outbox"),
  };
}
