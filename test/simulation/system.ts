// All deployed functions over one set of stores, wired as their entries wire them.
// It must never give a process a port that its deployed twin has not, nor one without its faults.
import { carryOutPath, intendedText, outcomeIn } from "../../functions/adapters/intentions.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { strictUrls } from "../../functions/domain/webhook-url.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { deadLetterRecorder } from "../../functions/edge/dead-letter-recorder.ts";
import { invoice } from "../../functions/edge/invoice.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { notification } from "../../functions/edge/notification.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { risk } from "../../functions/edge/risk.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import type { Publisher } from "../../functions/flows/bus-ports.ts";
import type { Egress } from "../../functions/flows/egress-ports.ts";
import type { IntentionCarrier } from "../../functions/flows/intention-ports.ts";
import { eventOutlet } from "../../functions/flows/publish-commits.ts";
import type { TaskQueues } from "../../functions/flows/task-ports.ts";
import { platformRequest, type Service, startService } from "./service.ts";
import type { Stores } from "./stores.ts";
import type { Surroundings, Worker } from "./worker.ts";

/** Names of the functions that a simulation runs. */
export type FunctionName = keyof ReturnType<typeof openSystem>;

/** Who calls what: one account for each, so that a wrong caller is refused as in the cloud. */
export const accounts = {
  schedule: "schedule@simulated.iam.gserviceaccount.com",
  settlements: "settlements@simulated.iam.gserviceaccount.com",
  ledgerWriter: "ledger-writer@simulated.iam.gserviceaccount.com",
  webhooks: "webhooks@simulated.iam.gserviceaccount.com",
  push: "push@simulated.iam.gserviceaccount.com",
} as const;

/** What the platform gives the functions. */
export interface Platform {
  readonly publisher: Publisher;
  readonly tasks: TaskQueues;
  readonly egress: Egress;
}

/** The functions. */
export function openSystem(around: Surroundings, stores: Stores, platform: Platform) {
  const machine = (worker: Worker) => ({
    clock: worker.clock,
    random: worker.random,
    log: (severity: string, message: string, fields: object = {}) => {
      if (severity !== "INFO") around.tell(() => `${worker.name} says ${message} ${JSON.stringify(fields, asText)}`);
    },
  });
  const withOutlet = (worker: Worker) => {
    const ledger = worker.bind("ledger", stores.ledger);
    const publisher = worker.bind("publisher", platform.publisher);
    const outlet = eventOutlet({ ...machine(worker), ledger, publisher, render: busMessageOf });
    return { ledger, publisher, outlet };
  };
  const webhookStores = (worker: Worker) => ({
    endpoints: worker.bind("endpoints", stores.endpoints),
    deliveries: worker.bind("deliveries", stores.deliveries),
    box: stores.box,
  });
  const consuming = (worker: Worker) => ({
    ...machine(worker),
    store: worker.bind("consumers", stores.consumers),
    callerAccount: accounts.push,
  });
  const service = (name: string, open: Parameters<typeof startService>[2]): Service => startService(around, name, open);
  const dispatcher = service("webhook-dispatcher", (worker) => {
    const tasks = worker.bind("tasks", platform.tasks);
    const handler = webhookDispatcher({
      ...machine(worker),
      ...webhookStores(worker),
      health: worker.bind("health", stores.health),
      egress: worker.bind("egress", platform.egress),
      publisher: worker.bind("publisher", platform.publisher),
      tasks: () => tasks,
      callerAccount: accounts.webhooks,
      intentionsCaller: accounts.ledgerWriter,
    });
    return { handler };
  });
  const carrier = carrierTo(around, dispatcher);
  return {
    "payments-api": service("payments-api", (worker) => {
      const { ledger, outlet } = withOutlet(worker);
      const tasks = worker.bind("tasks", platform.tasks);
      const handler = paymentsApi({
        ...machine(worker),
        ...{ ledger, outlet, tasks },
        balances: worker.bind("balances", stores.balances),
        cache: worker.bind("cache", stores.cache),
        stories: worker.bind("stories", stores.stories),
        accounts: worker.bind("accounts", stores.accounts),
        acquirer: worker.bind("acquirer", stores.acquirer),
        webhooks: { ...webhookStores(worker), tasks, urlRules: strictUrls },
      });
      return { handler, close: () => outlet.close() };
    }),
    "ledger-writer": service("ledger-writer", (worker) => {
      const commits = withOutlet(worker);
      const tasks = worker.bind("tasks", platform.tasks);
      const handler = ledgerWriter({
        ...machine(worker),
        ...commits,
        balances: worker.bind("balances", stores.balances),
        seals: worker.bind("seals", stores.seals),
        reconciliation: worker.bind("reconciliation", stores.reconciliation),
        operators: worker.bind("operators", stores.operators),
        outbox: worker.bind("outbox", stores.outbox),
        acquirer: worker.bind("acquirer", stores.acquirer),
        intentions: worker.bind("intentions", carrier),
        tasks: () => tasks,
        callerAccount: accounts.schedule,
        settlementsCaller: accounts.settlements,
      });
      return { handler, close: () => commits.outlet.close() };
    }),
    "webhook-dispatcher": dispatcher,
    notification: service("notification", (worker) => ({
      handler: notification({
        ...consuming(worker),
        mailer: worker.bind("mailer", stores.mailer),
        mailFrom: "receipts@shop.example",
      }),
    })),
    invoice: service("invoice", (worker) => ({ handler: invoice({ ...consuming(worker), invoices: "invoices" }) })),
    risk: service("risk", (worker) => ({
      handler: risk({
        ...consuming(worker),
        observations: worker.bind("observations", stores.observations),
        riskFlags: "riskFlags",
      }),
    })),
    "dead-letter-recorder": service("dead-letter-recorder", (worker) => ({
      handler: deadLetterRecorder({
        ...machine(worker),
        deadLetters: worker.bind("deadLetters", stores.deadLetters),
        callerAccount: accounts.push,
      }),
    })),
  };
}

/** What the adapter does over HTTP: the same bytes, and the same words for silence. */
function carrierTo({ time }: Surroundings, dispatcher: Service): IntentionCarrier {
  return {
    carryOut: async (use, intention) => {
      const body = JSON.parse(intendedText(use, intention));
      const request = platformRequest("webhook-dispatcher.example", accounts.ledgerWriter, carryOutPath, body);
      time.suspended();
      const heard = await dispatcher.call(request, defaultTimings.callTimeoutMs);
      time.resumed();
      if (typeof heard === "string") throw refuse("store_unavailable", `The dispatcher's answer is ${heard}.`);
      return outcomeIn(heard.status, heard.body.toString("utf8"));
    },
  };
}

function asText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
