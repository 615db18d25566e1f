// Follows secrets through journeys that go well and badly, and then looks for them in every log line, row, document, event,
// message and answer. It must never look at one spelling only: a secret that was encoded is a secret.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { httpAcquirer } from "../../functions/adapters/acquirer.ts";
import { memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { frontDoor } from "../../functions/edge/front-door.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import { checkpointBalances } from "../../functions/flows/checkpoint-balances.ts";
import { completeAttempts } from "../../functions/flows/complete-attempts.ts";
import type { EgressRequest } from "../../functions/flows/egress-ports.ts";
import { completerOf } from "../support/completer.ts";
import { openConsumerWorld } from "../support/consumer-world.ts";
import { type DashboardWorld, openDashboard, sessionKey } from "../support/dashboard.ts";
import { push, pusher, pushOf } from "../support/pushes.ts";
import { apiKeys, clientOf, payForm, type Reply, webhookPorts } from "../support/world.ts";

const acquirerSecret = "canary-acquirer-secret-7f3a";
const foreignSecret = "canary-in-a-foreign-error-5b1c";
const wrongKey = "sk_test_canary_that_nobody_has_8888";
const card = "4242424242424242";
/** What the stores may keep for the merchant, and no log may. */
const merchantTexts = {
  key: "canary-idempotency-key",
  description: "canary-description",
  email: "canary@buyer.example",
};

const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

/** Everything that was written, said and sent, by name. */
let traces: Readonly<Record<string, string>>;
/** Secrets by name; the endpoint's signing secrets are known once it was made. */
let secrets: Readonly<Record<string, string>>;

beforeAll(async () => {
  const dash = await openDashboard();
  const { world } = dash;
  const acquirerLog: string[] = [];
  const log = (severity: string, message: string, fields: object = {}) =>
    void acquirerLog.push(textOf({ severity, message, fields }));
  const acquirer = testAcquirer({ journal: world.journal, clock: world.clock, log, secret: acquirerSecret });
  const good = apiOver(dash, await serve(frontDoor(acquirer)));
  const echoing = apiOver(dash, await serve(echo));
  const answers: Reply[] = [];
  const said = async (reply: Promise<Reply>) => void answers.push(await reply);

  const endpoint = await good.post("/v1/webhook_endpoints", "url=https://shop.example/&enabled_events[]=*", {
    key: "we",
  });
  const rotated = await good.post(`/v1/webhook_endpoints/${endpoint.json.id}/rotate_secret`, "", { key: "rotate" });
  secrets = { ...fixedSecrets, signing: endpoint.json.secret, rotated: rotated.json.secret };
  await goThroughTheApi(good, said);
  await said(echoing.post("/v1/payment_intents", payForm, { key: "echoing" }));
  await failEveryPort(dash, said);
  const { excerpts, dispatcherLog } = await deliver(dash);
  const consumers = await consume(dash);
  const pages = await lookAtTheDashboard(dash);

  const { ledger, cache, webhookEndpoints, deliveries, wakeUps, journal } = world;
  const tables = [
    "payment_intents",
    "charges",
    "refunds",
    "attempts",
    "ledger_transactions",
    "events",
    "outbox",
  ] as const;
  traces = {
    logs: [...world.logged, ...dash.logged, ...acquirerLog, ...dispatcherLog, ...consumers.logs].join("\n"),
    rows: textOf(tables.map((table) => ledger.rows(table))),
    keys: textOf(ledger.rows("idempotency_keys")),
    cache: textOf([...cache.records().values()]),
    endpoints: textOf(webhookEndpoints.everything()),
    deliveries: textOf([deliveries.everything(), wakeUps.waiting(), excerpts]),
    messages: textOf(ledger.rows("events").map(busMessageOf)),
    acquirer: textOf(await journal.list(100)),
    mails: consumers.mails,
    answers: answers.map(({ text, headers }) => `${text} ${JSON.stringify(headers)}`).join("\n"),
    pages,
  };
});

const fixedSecrets = {
  "API key": apiKeys.first,
  "API key that was wrong": wrongKey,
  "key of the endpoints' secrets": "a key for tests which is not a secret at all",
  "key of the sessions": sessionKey,
  "acquirer's secret": acquirerSecret,
  "text of a foreign error": foreignSecret,
  "card number": card,
};

describe("after payments, refusals, failures, deliveries, mails and pages", () => {
  test.each([...Object.keys(fixedSecrets), "signing", "rotated"])("no trace holds the secret: %s", (name) => {
    const secret = secrets[name] ?? "";
    expect(secret.length).toBeGreaterThan(12);
    const found = Object.entries(traces).filter(([, text]) => spellings(secret).some((each) => text.includes(each)));
    expect(found.map(([trace]) => trace)).toEqual([]);
  });

  test.each(Object.entries(merchantTexts))("no log line holds what is the merchant's: %s", (_name, text) => {
    expect(spellings(text).filter((each) => traces["logs"]?.includes(each))).toEqual([]);
    // It would prove nothing if it had never come in.
    expect(traces["rows"]?.includes(text) || traces["keys"]?.includes(text)).toBe(true);
  });

  test("there was something to look through everywhere", () => {
    for (const [name, text] of Object.entries(traces)) expect([name, text.length > 100]).toEqual([name, true]);
  });
});

type Api = ReturnType<typeof clientOf>;
type Said = (reply: Promise<Reply>) => Promise<void>;

function apiOver({ world }: DashboardWorld, baseUrl: string): Api {
  const { ledger, balances, stories, cache, accounts, clock, log, webhookEndpoints, deliveries, wakeUps } = world;
  const webhooks = { ...webhookPorts(), endpoints: webhookEndpoints, deliveries, tasks: wakeUps };
  const acquirer = httpAcquirer({ baseUrl, secret: acquirerSecret });
  const stores = { ledger, balances, stories, cache, accounts, webhooks };
  return clientOf(paymentsApi({ ...stores, acquirer, clock, log, random: systemRandom }));
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An acquirer that breaks and says back whatever it was sent. */
const echo: RequestListener = (request, response) => {
  response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify(request.headers));
};

async function goThroughTheApi(api: Api, said: Said): Promise<void> {
  const { key, description, email } = merchantTexts;
  const form = `${payForm}&description=${description}&receipt_email=${email}`;
  await said(api.post("/v1/payment_intents", form, { key }));
  await said(api.post("/v1/payment_intents", form, { key }));
  await said(api.post("/v1/payment_intents", `${form}&metadata[a]=b`, { key }));
  await said(api.post("/v1/payment_intents", payForm.replace("pm_card_visa", "pm_card_chargeDeclined"), { key: "d" }));
  await said(api.post("/v1/payment_intents", `${payForm}&description=${card}`));
  await said(api.get("/v1/payment_intents", { apiKey: wrongKey }));
  await said(api.get(`/v1/payment_intents?customer=${card}`));
  await said(api.get("/v1/payment_intents?limit=1"));
  await said(api.get("/v1/webhook_endpoints"));
  await said(api.get(`/v1/idempotency_keys/life?key=${key}`));
  await said(api.post("/v1/refunds", "payment_intent=pi_nobody", { key: "r" }));
}

/** Each port throws an error that quotes a secret, as foreign libraries do: at once, half way, and in jobs. */
async function failEveryPort({ world }: DashboardWorld, said: Said): Promise<void> {
  const error = new Error(`cannot log in with ${foreignSecret}`);
  const foreign = { at: "before", act: "throw", error } as const;
  for (const name of ["ledger", "cache", "acquirer", "accounts"] as const) {
    const server = world.startServer();
    server.ports[name].disturbAll(foreign);
    await said(server.post("/v1/payment_intents", payForm, { key: `failing ${name}` }));
  }
  const half = world.startServer();
  half.ports.ledger.disturb("transact", foreign);
  half.ports.ledger.disturb("transact", foreign);
  await said(half.post("/v1/payment_intents", payForm, { key: "half done" }));
  await world.clock.advance(60_000);
  const refusing = { ...world.startServer().ports.acquirer.port, authorize: () => Promise.reject(error) };
  const { clock, log, balances } = world;
  await completeAttempts({ ...completerOf(world, refusing), log });
  await checkpointBalances({ clock, log, balances, ledger: { insert: () => Promise.reject(error) } });
}

/** Fans one event out and delivers it to a receiver that says back what it got. */
async function deliver({ world }: DashboardWorld) {
  const dispatcherLog: string[] = [];
  const excerpts: string[] = [];
  const dispatcher = webhookDispatcher({
    ...{ deliveries: world.deliveries, endpoints: world.webhookEndpoints, health: memoryEndpointHealth() },
    ...{ box: webhookPorts().box, publisher: world.bus, tasks: () => world.wakeUps, clock: world.clock },
    egress: {
      post: async (request: EgressRequest) => {
        excerpts.push(textOf(request));
        const excerpt = JSON.stringify(request.headers);
        return { kind: "answered", status: 500, retryAfter: null, excerpt, bodyEnd: "complete", durationMs: 1 };
      },
    },
    ...{ random: systemRandom, callerAccount: pusher.account, intentionsCaller: pusher.account },
    log: (severity, message, fields = {}) => void dispatcherLog.push(textOf({ severity, message, fields })),
  });
  for (const event of world.ledger.rows("events")) await push(dispatcher, pushOf(busMessageOf(event)));
  await world.clock.advance(1_000);
  for (const { path, body } of world.wakeUps.takeDue()) await push(dispatcher, body, { target: path });
  return { excerpts, dispatcherLog };
}

async function consume({ world }: DashboardWorld) {
  const consumers = openConsumerWorld();
  for (const event of world.ledger.rows("events")) {
    for (const handler of [consumers.notification, consumers.invoice, consumers.risk])
      await push(handler, pushOf(busMessageOf(event)));
  }
  consumers.ports.mailer.disturbAll({ at: "before", act: "throw", error: new Error(`535 ${foreignSecret}`) });
  for (const event of world.ledger.rows("events").slice(0, 4))
    await push(
      consumers.notification,
      pushOf(busMessageOf({ ...event, id: `${event.id}x`, objectId: `${event.objectId}x` })),
    );
  return { logs: consumers.logged.map(textOf), mails: textOf(consumers.handedOver) };
}

async function lookAtTheDashboard(dash: DashboardWorld): Promise<string> {
  const visitor = dash.visitor();
  const seen = [await visitor.signIn(wrongKey), await visitor.signIn()];
  for (const path of ["/payments", "/webhooks", "/dead-letters", "/nowhere"]) seen.push(await visitor.get(path));
  return seen.map(({ text, headers }) => `${text} ${JSON.stringify(headers)}`).join("\n");
}

/** Bytes as the text they are, so that nothing hides in an encoding of ours. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return String(part);
    if (part instanceof Uint8Array) return Buffer.from(part).toString("utf8");
    return part?.type === "Buffer" ? Buffer.from(part.data).toString("utf8") : part;
  });
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = (["base64", "base64url", "hex"] as const).map((encoding) =>
    bytes.toString(encoding).replace(/=+$/, ""),
  );
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...encoded];
}
