// Endpoints, deliveries and queues in memory around a receiver in the test's hands, with time that jumps from task to task.
// It must never run a task before it is due, nor the sweep more or less often than the schedule does.
import { memoryDeliveries, memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { memoryTaskQueues } from "../../functions/adapters/memory/task-queues.ts";
import { memoryWebhookEndpoints } from "../../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { sealSecrets } from "../../functions/domain/endpoint-secrets.ts";
import type { Exchange } from "../../functions/domain/exchange.ts";
import { signingSecretFrom } from "../../functions/domain/signature.ts";
import type { DeliveryWakeUp } from "../../functions/domain/webhook-delivery.ts";
import type { WebhookEndpoint } from "../../functions/domain/webhook-endpoint.ts";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import { type DeliverDependencies, deliverWebhook } from "../../functions/flows/deliver-webhook.ts";
import { disableEndpoint } from "../../functions/flows/disable-endpoint.ts";
import type { EgressRequest } from "../../functions/flows/egress-ports.ts";
import { fanOut } from "../../functions/flows/fan-out.ts";
import { deliveryGate } from "../../functions/flows/limit-deliveries.ts";
import type { Clock } from "../../functions/flows/ports.ts";
import { sweepDeliveries } from "../../functions/flows/sweep-deliveries.ts";
import type { WakeUp } from "../../functions/flows/task-ports.ts";
import { intercept } from "./interception.ts";

/** When every world begins: 2026-01-15 12:00:00 UTC. */
export const beginMs = Date.UTC(2026, 0, 15, 12, 0, 0);

/** Calls that each webhook queue has in flight at once, as the messaging stack says. */
const concurrentMax = 100;

/** What a receiver answers; the promise may take virtual time by `world.sleep`. */
export type Receiver = (request: EgressRequest, atMs: number) => Exchange | Promise<Exchange>;

/** One POST as the receiver got it. */
export interface Received {
  readonly atMs: number;
  readonly url: string;
  readonly eventId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One world. */
export type DeliveryWorld = ReturnType<typeof openDeliveryWorld>;

/** Opens a world; `gate` has the production's limits unless a test brings its own. */
export function openDeliveryWorld(receiver: Receiver, gateLimits?: Parameters<typeof deliveryGate>[1]) {
  let nowMs = beginMs;
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const sleep = (milliseconds: number) =>
    new Promise<void>((wake) => void sleepers.push({ atMs: nowMs + milliseconds, wake }));
  const clock: Clock = { now: () => nowMs, sleep, after: () => () => {} };
  const received: Received[] = [];
  const notices: BusMessage[] = [];
  const logged: { message: string; [field: string]: unknown }[] = [];
  const log = (_severity: string, message: string, fields: object = {}) => void logged.push({ message, ...fields });
  const box = aesSecretBox("a key for tests which is not a secret at all");
  const stores = {
    deliveries: memoryDeliveries(),
    endpoints: memoryWebhookEndpoints(),
    health: memoryEndpointHealth(),
    tasks: memoryTaskQueues({ clock }),
  };
  const egress = {
    post: async (request: EgressRequest) => {
      received.push({
        atMs: nowMs,
        url: request.url,
        eventId: request.headers["webhook-id"] ?? "",
        headers: request.headers,
      });
      return await receiver(request, nowMs);
    },
  };
  const publisher = { publish: async (messages: readonly BusMessage[]) => void notices.push(...messages) };
  /** One more instance over the same stores, each of its ports disturbable on its own. */
  const startInstance = () => {
    const ports = {
      deliveries: intercept(stores.deliveries),
      endpoints: intercept(stores.endpoints),
      health: intercept(stores.health),
      tasks: intercept(stores.tasks),
      egress: intercept(egress),
      publisher: intercept(publisher),
    };
    const bound = {
      deliveries: ports.deliveries.port,
      endpoints: ports.endpoints.port,
      health: ports.health.port,
      tasks: ports.tasks.port,
      ...{ clock, log, random: systemRandom },
    };
    const renderNotice = ({ eventId }: { eventId: string }) => ({ data: Buffer.from(eventId), attributes: {} });
    const disable = disableEndpoint({ ...bound, publisher: ports.publisher.port, renderNotice });
    const gate = deliveryGate({ clock }, gateLimits);
    const deps: DeliverDependencies = { ...bound, box, gate, disable, egress: ports.egress.port };
    return {
      ports,
      deps,
      deliver: (wakeUp: DeliveryWakeUp) => deliverWebhook(deps, wakeUp),
      sweep: () => sweepDeliveries(deps),
      fanOut: (event: Partial<Parameters<typeof fanOut>[1]>) => fanOut(deps, eventOf(nowMs, event)),
    };
  };
  const main = startInstance();
  let running = main;
  const backlog: WakeUp[] = [];
  const started = new Set<Promise<unknown>>();
  const inFlight = { webhookFast: 0, webhookSlow: 0, settlements: 0 };
  const world = {
    ...stores,
    ...{ received, notices, logged, clock, sleep, box },
    ...main,
    startInstance,
    /** Turns of the event loop, for what was started and is not awaited. */
    turns: async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    /** From now on tasks and sweeps meet a new instance, which knows only what the stores know. */
    upgrade: () => {
      running = startInstance();
    },
    /** Registers an endpoint. */
    endpoint: async (fields: Partial<WebhookEndpoint> = {}): Promise<WebhookEndpoint> => {
      const id = fields.id ?? systemRandom.id("we");
      const secret = signingSecretFrom(Buffer.alloc(32, 7));
      const endpoint = endpointOf(id, nowMs, sealSecrets(box, id, [{ secret, endsAtMs: null }]), fields);
      const { version } = await stores.endpoints.read(endpoint.accountId, null);
      await stores.endpoints.commit({
        ...{ accountId: endpoint.accountId, version, change: null },
        write: { op: "create", endpoint },
      });
      return endpoint;
    },
    /** Moves time to `untilMs` after the beginning: tasks run when they are due, the sweep each full minute. */
    runUntil: async (untilMs: number, { isSwept = true } = {}) => {
      const endMs = beginMs + untilMs;
      const start = (task: WakeUp) => {
        inFlight[task.queue] += 1;
        const run = running.deliver(task.body as unknown as DeliveryWakeUp).finally(() => {
          started.delete(run);
          inFlight[task.queue] -= 1;
        });
        started.add(run);
      };
      /** Starts what is due, as far as each queue may; what must wait is the next to start. */
      const startDue = (): boolean => {
        backlog.push(...stores.tasks.takeDue());
        const isFree = ({ queue }: WakeUp) => inFlight[queue] < concurrentMax;
        const before = backlog.length;
        for (let index = 0; index < backlog.length; ) {
          const task = backlog[index];
          if (task === undefined || !isFree(task)) index += 1;
          else start(...(backlog.splice(index, 1) as [WakeUp]));
        }
        return backlog.length < before;
      };
      for (;;) {
        do await settled(started, sleepers);
        while (startDue());
        const [task] = stores.tasks.waiting().map(({ scheduleAtMs }) => Math.max(scheduleAtMs ?? nowMs, nowMs));
        const minuteMs = isSwept ? (Math.floor(nowMs / 60_000) + 1) * 60_000 : Number.POSITIVE_INFINITY;
        const sleeperMs = Math.min(...sleepers.map(({ atMs }) => atMs));
        const nextMs = Math.min(task ?? Number.POSITIVE_INFINITY, minuteMs, sleeperMs);
        if (nextMs > endMs) break;
        nowMs = nextMs;
        for (const due of sleepers.filter(({ atMs }) => atMs <= nowMs)) {
          sleepers.splice(sleepers.indexOf(due), 1);
          due.wake();
        }
        if (nowMs === minuteMs) await running.sweep();
      }
      nowMs = endMs;
    },
  };
  return world;
}

/** Turns until everything that runs has ended or waits for time to pass. */
async function settled(started: ReadonlySet<unknown>, sleepers: readonly unknown[]): Promise<void> {
  for (let turn = 0; started.size > sleepers.length && turn < 500; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function eventOf(nowMs: number, event: Partial<Parameters<typeof fanOut>[1]>): Parameters<typeof fanOut>[1] {
  const id = event.id ?? "evt_1";
  return {
    id,
    type: "charge.succeeded",
    accountId: "acct_first",
    createdAtMs: nowMs,
    render: (receivers) => Buffer.from(JSON.stringify({ id, pending_webhooks: receivers })),
    ...event,
  };
}

function endpointOf(
  id: string,
  nowMs: number,
  sealedSecrets: string,
  fields: Partial<WebhookEndpoint>,
): WebhookEndpoint {
  return {
    id,
    accountId: "acct_first",
    url: "https://shop.example/hooks",
    enabledEvents: ["*"],
    status: "enabled",
    disabledBecause: null,
    description: null,
    metadata: {},
    apiVersion: null,
    createdAtMs: nowMs,
    enabledAtMs: nowMs,
    sealedSecrets,
    ...fields,
  };
}

/** A receiver's answer with this status. */
export function answered(status: number, retryAfter: string | null = null): Exchange {
  return { kind: "answered", status, retryAfter, excerpt: `said ${status}`, bodyEnd: "complete", durationMs: 12 };
}
