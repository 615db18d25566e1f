// The platform between the functions: the bus with its subscriptions and dead letters, the queues, the schedule.
// It must never drop what was not acknowledged, nor deliver in any promised order: so does the real one.
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import type { QueueName, WakeUp } from "../../functions/flows/task-ports.ts";
import { isDone, platformRequest } from "./service.ts";
import type { Stores } from "./stores.ts";
import { accounts, type FunctionName, type openSystem } from "./system.ts";
import type { Surroundings } from "./worker.ts";

type System = ReturnType<typeof openSystem>;

/** Pushes come 10 s after a failure at the earliest, and 600 s at the latest (infra/constructs/push-consumer.ts). */
const backoffMs = { least: 10_000, most: 600_000 } as const;

/** The stack says 100; so few let a consumer's hour of silence end among the dead letters without a night of pushes. */
const pushesMax = 8;

/** A function of the platform's callers ends after a minute, the ledger-writer after four. */
const callMsMax = 60_000;
const jobMsMax = 240_000;

/** Types of events that each consumer's subscription lets through; the dispatcher's has no filter (infra). */
const subscriptions: readonly { readonly name: FunctionName; readonly takes: readonly string[] | null }[] = [
  { name: "notification", takes: ["charge.succeeded", "charge.captured"] },
  { name: "invoice", takes: ["payment_intent.succeeded"] },
  { name: "risk", takes: ["charge.succeeded", "charge.failed"] },
  { name: "webhook-dispatcher", takes: null },
];

/** The bus of one simulation. */
export function openBus(around: Surroundings, system: () => System, isDown: (name: FunctionName) => boolean) {
  const { time, faults, tell } = around;
  let published = 0;
  let waiting = 0;
  const push = async (name: FunctionName, path: string, message: object, attempt: number): Promise<boolean> => {
    const account = name === "webhook-dispatcher" ? accounts.webhooks : accounts.push;
    const body = { message, subscription: `projects/simulated/subscriptions/${name}`, deliveryAttempt: attempt };
    if (isDown(name)) return false;
    return isDone(await system()[name].call(platformRequest(`${name}.example`, account, path, body), 30_000));
  };
  const deliver = (name: FunctionName, message: Pushed, attempt: number, waitMs: number) => {
    waiting += 1;
    time.at(time.now() + waitMs, () => {
      void push(name, "/events", message, attempt).then((taken) => {
        waiting -= 1;
        if (taken) return;
        if (attempt >= pushesMax) return bury(name, message);
        deliver(name, message, attempt + 1, Math.min(backoffMs.least * 2 ** (attempt - 1), backoffMs.most));
      });
    });
  };
  const bury = (name: FunctionName, message: Pushed) => {
    tell(() => `${name} gave ${message.attributes["event_id"]} up`);
    const attributes = {
      ...message.attributes,
      CloudPubSubDeadLetterSourceDeliveryCount: String(pushesMax),
      CloudPubSubDeadLetterSourceSubscription: name,
      CloudPubSubDeadLetterSourceSubscriptionProject: "simulated",
      CloudPubSubDeadLetterSourceTopicPublishTime: message.publishTime,
    };
    const record = (attempt: number) => {
      waiting += 1;
      time.at(time.now() + backoffMs.least, () => {
        void push("dead-letter-recorder", "/dead-letters", { ...message, attributes }, attempt).then((taken) => {
          waiting -= 1;
          if (!taken) record(attempt + 1);
        });
      });
    };
    record(1);
  };
  const publish = async (messages: readonly BusMessage[]) => {
    for (const { data, attributes } of messages) {
      published += 1;
      const message: Pushed = {
        attributes: { ...attributes },
        data: Buffer.from(data).toString("base64"),
        messageId: String(published),
        publishTime: new Date(time.now()).toISOString(),
      };
      for (const { name, takes } of subscriptions) {
        if (takes !== null && !takes.includes(attributes["event_type"] ?? "")) continue;
        const lateMs = faults.happens("reorder", 0.05) ? faults.chance.whole(1_000, 120_000) : 0;
        deliver(name, message, 1, faults.chance.whole(5, 80) + lateMs);
        if (faults.happens("duplicate", 0.05)) deliver(name, message, 1, faults.chance.whole(5, 20_000));
      }
    }
  };
  return { publisher: { publish }, waiting: () => waiting };
}

interface Pushed {
  readonly attributes: Readonly<Record<string, string>>;
  readonly data: string;
  readonly messageId: string;
  readonly publishTime: string;
}

/** How each queue tries again when its function failed (infra/messaging-stack.ts), and whom it calls as whom. */
const queues: Readonly<
  Record<QueueName, { name: FunctionName; account: string; attemptsMax: number; firstMs: number; mostMs: number }>
> = {
  webhookFast: { ...dispatcherQueue() },
  webhookSlow: { ...dispatcherQueue() },
  settlements: {
    ...{ name: "ledger-writer", account: accounts.settlements },
    ...{ attemptsMax: 5, firstMs: 5_000, mostMs: 60_000 },
  },
};

function dispatcherQueue() {
  const name = "webhook-dispatcher" as const;
  return { name, account: accounts.webhooks, attemptsMax: 20, firstMs: 10_000, mostMs: 28_800_000 };
}

/** The queues of one simulation: they start what is due in the memory queues. */
export function openQueues({ time, faults, tell }: Surroundings, stores: Stores, system: () => System) {
  const dispatch = (task: WakeUp, attempt: number) => {
    const { name, account, attemptsMax, firstMs, mostMs } = queues[task.queue];
    const request = platformRequest(`${name}.example`, account, task.path, task.body);
    void system()
      [name].call(request, callMsMax)
      .then((heard) => {
        if (isDone(heard) || attempt >= attemptsMax) return;
        const waitMs = Math.min(firstMs * 2 ** (attempt - 1), mostMs);
        time.at(time.now() + waitMs, () => dispatch(task, attempt + 1));
      });
  };
  const startDue = () => {
    for (const task of stores.tasks.takeDue()) {
      const lateMs = faults.happens("reorder", 0.03) ? faults.chance.whole(1_000, 60_000) : 0;
      time.at(time.now() + lateMs + 1, () => dispatch(task, 1));
      if (faults.happens("duplicate", 0.03))
        time.at(time.now() + faults.chance.whole(1, 5_000), () => dispatch(task, 1));
    }
  };
  return {
    tasks: {
      enqueue: async (task: WakeUp) => {
        const end = await stores.tasks.enqueue(task);
        if (end === "enqueued") time.at(Math.max(time.now(), task.scheduleAtMs ?? 0) + 1, startDue);
        return end;
      },
    },
    purge: (queue: QueueName) => {
      faults.count("queue purge");
      tell(() => `queue ${queue} loses its tasks`);
      stores.tasks.purge(queue);
    },
  };
}

/** Jobs of the schedule, with minutes between two runs (infra/services-stack.ts, webhook-services.ts). */
const jobs = [
  ...[{ name: "ledger-writer", path: "/complete", everyMs: 60_000 } as const],
  ...[{ name: "ledger-writer", path: "/relay", everyMs: 60_000 } as const],
  ...[{ name: "webhook-dispatcher", path: "/sweep", everyMs: 60_000 } as const],
  ...[{ name: "ledger-writer", path: "/checkpoint", everyMs: 5 * 60_000 } as const],
  ...[{ name: "ledger-writer", path: "/seal", everyMs: 5 * 60_000 } as const],
  ...[{ name: "ledger-writer", path: "/expire", everyMs: 15 * 60_000 } as const],
];

/**
 * The schedule. Once faults are over, each job's pause grows with the time since, by a fifth of it: a job that runs late is
 * all that a long quiet time needs, and a run that finds nothing to do costs the machine the same as one that does.
 */
export function startSchedule({ time, faults }: Surroundings, system: () => System, calmFromMs: number): void {
  const run = ({ name, path }: (typeof jobs)[number]) => {
    const account = name === "webhook-dispatcher" ? accounts.webhooks : accounts.schedule;
    return system()[name].call(platformRequest(`${name}.example`, account, path, {}), jobMsMax);
  };
  for (const job of jobs) {
    const plan = () => {
      const calmMs = Math.max(0, time.now() - calmFromMs);
      const lateMs = faults.happens("delay", 0.02) ? faults.chance.whole(1_000, 200_000) : 0;
      time.at(time.now() + Math.max(job.everyMs, calmMs / 5) + lateMs, () => void run(job).then(plan));
    };
    time.at(time.now() + faults.chance.whole(0, job.everyMs), () => void run(job).then(plan));
  }
}
