// What is tried under faults: a payment, a refund, a settlement, a fan-out and an attempt, each as its caller asks for it.
// It must never judge: what an operation leaves behind is looked at by the cells.

import { aPaidView } from "../support/payment-fixtures.ts";
import { anEvent, pushOf } from "../support/pushes.ts";
import type { Reply } from "../support/world.ts";
import { platformToken } from "./machine.ts";
import { keyOf } from "./picture.ts";
import { callers, type System } from "./system.ts";

/** Fresh instances of the functions. */
export type Instances = ReturnType<System["startInstances"]>;

/** An operation that is ready to be asked for. */
export interface Ready {
  /** Of this operation's own payment; for deliveries a number that nothing else has. */
  readonly amountMinor: bigint;
  /** The event that is to be delivered; null for what is not about one. */
  readonly eventId: string | null;
  /** Asks for it, any number of times. */
  send(instances: Instances): Promise<Reply>;
}

/** One kind of operation. */
export interface Operation {
  readonly name: string;
  /** `client`: a merchant, who must get the same answer each time. `platform`: a queue or a bus, which only wants a 2xx. */
  readonly caller: "client" | "platform";
  prepare(system: System): Promise<Ready>;
}

/** All of them. */
export const operations: readonly Operation[] = [
  { name: "payment", caller: "client", prepare: async (system) => paymentBy(system, "pm_card_visa") },
  { name: "payment that settles later", caller: "client", prepare: async (system) => paymentBy(system, bankMethod) },
  { name: "refund", caller: "client", prepare: refund },
  { name: "settlement", caller: "platform", prepare: settlement },
  { name: "fan-out", caller: "platform", prepare: fanOut },
  { name: "delivery", caller: "platform", prepare: delivery },
];

/** The functions' hosts. */
export const hosts = { writer: "writer.example", dispatcher: "dispatcher.example" } as const;

/** Asks ledger-writer for a job, as its schedule or its queue does. */
export function askWriter(instances: Instances, path: string, body = ""): Promise<Reply> {
  const account = path === "/settle" ? callers.settlements : callers.schedule;
  return instances.writer.post(path, body, asPlatform(hosts.writer, account));
}

/** Asks the dispatcher, as its subscription, its queue or its schedule does. */
export function askDispatcher(instances: Instances, path: string, body: string): Promise<Reply> {
  return instances.dispatcher.post(path, body, asPlatform(hosts.dispatcher, callers.webhooks));
}

function asPlatform(host: string, account: string) {
  return { headers: { host, "content-type": "application/json", authorization: platformToken(host, account) } };
}

const bankMethod = "pm_usBankAccount_success";
const intents = "/v1/payment_intents";

/** Cents; each payment of a run has an amount that no other one has, by which its rows are found. */
let lastAmountMinor = 10_000n;
function freshAmount(): bigint {
  lastAmountMinor += 1n;
  return lastAmountMinor;
}

function paymentBy(system: System, method: string): Ready {
  const amountMinor = freshAmount();
  const types = method === bankMethod ? "&payment_method_types[]=us_bank_account" : "";
  const form = `amount=${amountMinor}&currency=usd&confirm=true&payment_method=${method}${types}`;
  const sent = { key: keyOf(amountMinor, "pay"), apiKey: system.apiKey };
  return { amountMinor, eventId: null, send: ({ api }) => api.post(intents, form, sent) };
}

async function refund(system: System): Promise<Ready> {
  const { amountMinor, intent } = await paid(system, "pm_card_visa");
  const sent = { key: keyOf(amountMinor, "refund"), apiKey: system.apiKey };
  return {
    amountMinor,
    eventId: null,
    send: ({ api }) => api.post("/v1/refunds", `payment_intent=${intent.id}`, sent),
  };
}

async function settlement(system: System): Promise<Ready> {
  const before = system.taken.calls.length;
  const { amountMinor } = await paid(system, bankMethod);
  const task = system.taken.calls.slice(before).find(({ request }) => request.task.httpRequest.url.endsWith("/settle"));
  if (task === undefined) throw new Error("The payment made no settlement task.");
  const body = Buffer.from(task.request.task.httpRequest.body).toString("utf8");
  system.ran.add(task.request.task.name);
  // The network settles after ten seconds.
  system.clock.moveOn(11_000);
  return { amountMinor, eventId: null, send: (instances) => askWriter(instances, "/settle", body) };
}

async function paid(system: System, method: string) {
  const ready = paymentBy(system, method);
  const instances = system.startInstances();
  const reply = await ready.send(instances);
  if (reply.status !== 200) throw new Error(`The payment before the fault was answered ${reply.text}`);
  await instances.outlet.close();
  return { amountMinor: ready.amountMinor, intent: reply.json as { id: string } };
}

async function fanOut(system: System): Promise<Ready> {
  const amountMinor = freshAmount();
  const eventId = `evt_${amountMinor}`;
  const view = aPaidView({ accountId: system.accountId });
  const event = anEvent("payment_intent.succeeded", view, { id: eventId, atMs: system.clock.now() });
  const body = JSON.stringify(pushOf(event));
  return { amountMinor, eventId, send: (instances) => askDispatcher(instances, "/events", body) };
}

async function delivery(system: System): Promise<Ready> {
  const before = system.taken.calls.length;
  const fanned = await fanOut(system);
  const reply = await fanned.send(system.startInstances());
  const task = system.taken.calls[before]?.request.task;
  if (reply.status !== 200 || task === undefined) throw new Error(`The fan-out before the fault: ${reply.text}`);
  system.ran.add(task.name);
  const body = Buffer.from(task.httpRequest.body).toString("utf8");
  return { ...fanned, send: (instances) => askDispatcher(instances, "/deliver", body) };
}
