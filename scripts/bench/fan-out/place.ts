// Fan-out and delivery as they are deployed, on stores in memory whose calls are counted, and on queues in shards.
// It must never skip a step of a delivery: every task goes through Cloud Tasks' adapter and comes back by its body.
import { type CreateTaskRequest, cloudTaskQueues } from "../../../functions/adapters/cloud-tasks.ts";
import { memoryDeliveries, memoryEndpointHealth } from "../../../functions/adapters/memory/deliveries.ts";
import { memoryWebhookEndpoints } from "../../../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../../../functions/adapters/secret-box.ts";
import { systemRandom } from "../../../functions/adapters/system.ts";
import { sealSecrets } from "../../../functions/domain/endpoint-secrets.ts";
import { signingSecretFrom } from "../../../functions/domain/signature.ts";
import type { DeliveryWakeUp } from "../../../functions/domain/webhook-delivery.ts";
import { deliverWebhook } from "../../../functions/flows/deliver-webhook.ts";
import type { Egress } from "../../../functions/flows/egress-ports.ts";
import { fanOut } from "../../../functions/flows/fan-out.ts";
import { deliveryGate } from "../../../functions/flows/limit-deliveries.ts";
import type { Clock } from "../../../functions/flows/ports.ts";

/** One place with its stores and queues. */
export type FanOutPlace = ReturnType<typeof openPlace>;

/** How often each call was made, by store and method. */
export type Counts = Map<string, number>;

/** Opens it; `concurrentMax` calls of each queue run at once. */
export function openPlace(deps: { clock: Clock; egress: Egress; shards: number; concurrentMax: number }) {
  const { clock, egress, shards } = deps;
  const counts: Counts = new Map();
  const stores = {
    deliveries: counted("deliveries", memoryDeliveries(), counts),
    endpoints: counted("endpoints", memoryWebhookEndpoints(), counts),
    health: counted("health", memoryEndpointHealth(), counts),
  };
  const box = aesSecretBox("a key for benches which is not a secret at all");
  const queues = new Map<string, DeliveryWakeUp[]>();
  const names = (kind: string) => Array.from({ length: shards }, (_, index) => `${kind}-${index}`);
  for (const name of [...names("fast"), ...names("slow")]) queues.set(name, []);
  const client = {
    createTask: async ({ parent, task }: CreateTaskRequest) => {
      counts.set("tasks", (counts.get("tasks") ?? 0) + 1);
      queues.get(parent)?.push(JSON.parse(Buffer.from(task.httpRequest.body).toString("utf8")) as DeliveryWakeUp);
    },
  };
  const shardsOf = { webhookFast: names("fast"), webhookSlow: names("slow") };
  const calling = cloudTaskQueues({ client, clock, queues: shardsOf, callerAccount: "caller@bench" });
  const gate = deliveryGate({ clock });
  const disable = () => Promise.reject(new Error("nothing is disabled here"));
  const flow = { ...stores, tasks: calling("https://dispatcher.bench"), clock, random: systemRandom, log: () => {} };
  const outcomes = new Map<string, number>();
  return {
    ...{ counts, queues, outcomes },
    /** Registers an endpoint of an account. */
    register: async (accountId: string, url: string) => {
      const id = systemRandom.id("we");
      const sealedSecrets = sealSecrets(box, id, [{ secret: signingSecretFrom(Buffer.alloc(32, 7)), endsAtMs: null }]);
      const { version } = await stores.endpoints.read(accountId, null);
      const about = { id, accountId, url, sealedSecrets, createdAtMs: 0, enabledAtMs: 0 };
      const standing = { enabledEvents: ["*"], status: "enabled", disabledBecause: null } as const;
      const endpoint = { ...about, ...standing, description: null, metadata: {}, apiVersion: null };
      await stores.endpoints.commit({ accountId, version, change: null, write: { op: "create", endpoint } });
    },
    fanOut: async (id: string, accountId: string) => {
      const render = () => Buffer.from(JSON.stringify({ id, object: "event", data: "x".repeat(900) }));
      await fanOut(flow, { id, type: "charge.succeeded", accountId, createdAtMs: clock.now(), render });
    },
    /** Runs what waits in the queues, and what is added meanwhile, `tasksMax` tasks at most; gives how many ran. To be called once. */
    drain: async (tasksMax = Number.POSITIVE_INFINITY) => {
      let ran = 0;
      const worker = async (queue: Iterator<DeliveryWakeUp>) => {
        while (ran < tasksMax) {
          // An iterator, because taking the first of a long array moves all others.
          const { value: wakeUp, done } = queue.next();
          if (done) return;
          ran += 1;
          const outcome = await deliverWebhook({ ...flow, box, egress, gate, disable }, wakeUp);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      };
      const waiting = [...queues.values()].map((queue) => queue.values());
      const workers = waiting.flatMap((queue) => Array.from({ length: deps.concurrentMax }, () => worker(queue)));
      await Promise.all(workers);
      return ran;
    },
  };
}

/** The port, with each call counted under the store's name. */
function counted<Port extends object>(store: string, port: Port, counts: Counts): Port {
  return new Proxy(port, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return (...asked: unknown[]) => {
        const key = `${store} ${String(name)}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return method.apply(target, asked);
      };
    },
  });
}
