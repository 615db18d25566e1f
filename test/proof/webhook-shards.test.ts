// What becomes of deliveries when the number of webhook queues changes while their tasks wait.
// It must never keep a task of a queue that is gone: Cloud Tasks keeps none either.
import { type CreateTaskRequest, cloudTaskQueues } from "../../functions/adapters/cloud-tasks.ts";
import type { DeliveryWakeUp } from "../../functions/domain/webhook-delivery.ts";
import { deliverWebhook } from "../../functions/flows/deliver-webhook.ts";
import { fanOut } from "../../functions/flows/fan-out.ts";
import { sweepDeliveries } from "../../functions/flows/sweep-deliveries.ts";
import { answered, openDeliveryWorld } from "../support/delivery-world.ts";

/** Queues as Cloud Tasks has them, by name; what is put into one that does not exist is refused. */
function openQueues(clock: { now(): number; sleep(milliseconds: number): Promise<void> }) {
  const queues = new Map<string, CreateTaskRequest["task"][]>();
  const names = (kind: string, shards: number) => Array.from({ length: shards }, (_, index) => `${kind}-${index}`);
  return {
    queues,
    /** The stage is deployed with so many shards: the others are gone, with their tasks. */
    deploy: (shards: number) => {
      const kept = [...names("fast", shards), ...names("slow", shards)];
      for (const name of queues.keys()) if (!kept.includes(name)) queues.delete(name);
      for (const name of kept) if (!queues.has(name)) queues.set(name, []);
      const createTask = async ({ parent, task }: CreateTaskRequest) => {
        const queue = queues.get(parent);
        if (queue === undefined) throw Object.assign(new Error("no such queue"), { code: 5 });
        if (queue.some(({ name }) => name === task.name)) throw Object.assign(new Error("exists"), { code: 6 });
        queue.push(task);
      };
      const shardsOf = { webhookFast: names("fast", shards), webhookSlow: names("slow", shards) };
      const calling = cloudTaskQueues({ client: { createTask }, clock, queues: shardsOf, callerAccount: "caller" });
      return calling("https://dispatcher.example");
    },
  };
}

const wakeUpIn = (task: CreateTaskRequest["task"]): DeliveryWakeUp =>
  JSON.parse(Buffer.from(task.httpRequest.body).toString());

test.each([
  [4, 2],
  [1, 3],
])("from %i shards to %i: every event still arrives once, and a sweep brings what was lost", async (before, after) => {
  const world = openDeliveryWorld(() => answered(200));
  for (let index = 0; index < 12; index += 1)
    await world.endpoint({ id: `we_${index}`, url: `https://shop-${index}.example/` });
  const cloud = openQueues(world.clock);
  const event = { id: "evt_1", type: "charge.succeeded", accountId: "acct_first", createdAtMs: world.clock.now() };
  await fanOut({ ...world.deps, tasks: cloud.deploy(before) }, { ...event, render: () => Buffer.from("{}") });
  const spread = [...cloud.queues].filter(([name, tasks]) => name.startsWith("fast") && tasks.length > 0);
  expect(spread).toHaveLength(before);

  const tasks = cloud.deploy(after);
  await world.runUntil(10 * 60_000, { isSwept: false });
  await sweepDeliveries({ ...world.deps, tasks });
  for (const task of [...cloud.queues.values()].flat()) await deliverWebhook({ ...world.deps, tasks }, wakeUpIn(task));

  expect(world.received.map(({ url }) => url).sort()).toEqual(
    Array.from({ length: 12 }, (_, index) => `https://shop-${index}.example/`).sort(),
  );
  expect(world.deliveries.everything().map(({ state }) => state)).toEqual(Array(12).fill("delivered"));
});
