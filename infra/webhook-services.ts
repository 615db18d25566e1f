/**
 * Webhooks: the dispatcher with its subscription, its queues and its sweep, what payments-api needs to wake it, and what
 * ledger-writer needs to ask it. It must never let anybody else into the dispatcher.
 */
import type { Construct } from "constructs";
import { environmentNames } from "../functions/config.ts";
import { publishTo } from "./constructs/event-topic.ts";
import { FunctionCaller } from "./constructs/function-caller.ts";
import { type Grant, readSecret, useDocuments } from "./constructs/grants.ts";
import { invoke, PaymentFunction } from "./constructs/payment-function.ts";
import { PushConsumer } from "./constructs/push-consumer.ts";
import { Schedule } from "./constructs/schedule.ts";
import { enqueueInto, type TaskQueue } from "./constructs/task-queue.ts";
import type { DataStack } from "./data-stack.ts";
import type { FoundationStack } from "./foundation-stack.ts";
import type { MessagingStack } from "./messaging-stack.ts";
import type { Settings } from "./settings.ts";

/** Variables of a function, and its rights. */
export interface WebhookAccess {
  readonly environment: Readonly<Record<string, string>>;
  readonly may: readonly Grant[];
}

/** What other functions are given. */
export interface WebhookServices {
  /** For payments-api: a delivery that a person sends again is a task in the dispatcher's queues. */
  readonly waking: WebhookAccess;
  /** For ledger-writer: the dispatcher carries out what a dead worker announced. */
  readonly asking: WebhookAccess;
}

/** Declares all of it. */
export function webhookServices(
  scope: Construct,
  settings: Settings,
  { foundation, data, messaging }: { foundation: FoundationStack; data: DataStack; messaging: MessagingStack },
): WebhookServices {
  const { webhookDispatcher, webhookCaller, ledgerWriter } = foundation.accounts;
  const { webhookFast, webhookSlow } = messaging.queues;
  const queues = {
    [environmentNames.webhookFastQueues]: namesOf(webhookFast),
    [environmentNames.webhookSlowQueues]: namesOf(webhookSlow),
    [environmentNames.webhookCaller]: webhookCaller.email,
  };
  const dispatcher = new PaymentFunction(scope, "webhook-dispatcher", {
    ...{ settings, foundation },
    ...SENDING,
    instances: { min: 0, max: SPARE_INSTANCES + INSTANCES_PER_SHARD * settings.webhookQueueShards },
    account: webhookDispatcher,
    description: "Sends events to the endpoints of merchants.",
    // A function that calls another does not count as internal: it stands open to the two accounts that may invoke it.
    reachedFrom: "anywhere",
    isPublic: false,
    secrets: { [environmentNames.endpointSecretKey]: data.endpointSecretKey },
    environment: {
      [environmentNames.project]: settings.projectId,
      [environmentNames.firestoreDatabase]: data.documents.database.name,
      [environmentNames.eventsTopic]: messaging.events.topic.id,
      // Plain http only where no real event is sent.
      [environmentNames.webhookHttpAllowed]: String(settings.stage === "dev"),
      ...{ [callerAccount]: webhookCaller.email, [intentionsCaller]: ledgerWriter.email },
      ...queues,
    },
    may: [
      useDocuments(data.documents),
      readSecret(data.endpointSecretKey),
      publishTo(messaging.events),
      enqueueInto([...webhookFast, ...webhookSlow], webhookCaller),
    ],
  });
  const caller = new FunctionCaller(scope, "webhook-caller", {
    settings,
    account: webhookCaller,
    service: dispatcher.service,
    products: ["pubsub", "cloudtasks", "cloudscheduler"],
  });
  new PushConsumer(scope, "webhook-dispatcher-events", {
    ...{ settings, name: "webhook-dispatcher", topic: messaging.events, calls: dispatcher, as: caller },
    path: "/events",
    timeoutSeconds: SENDING.timeoutSeconds,
  });
  new Schedule(scope, "sweep-deliveries", {
    settings,
    description: "Makes tasks anew for webhook deliveries whose task was lost.",
    every: "* * * * *",
    calls: dispatcher,
    path: "/sweep",
    as: caller,
    deadlineSeconds: SENDING.timeoutSeconds,
  });
  return {
    waking: {
      environment: { ...queues, [environmentNames.webhookTarget]: dispatcher.url },
      may: [enqueueInto(webhookFast, webhookCaller)],
    },
    asking: {
      environment: { [intentionsUrl]: dispatcher.url, [intentionsAudience]: dispatcher.url },
      may: [invoke(dispatcher, settings)],
    },
  };
}

const { callerAccount, intentionsAudience, intentionsCaller, intentionsUrl } = environmentNames;

/** The order is part of the meaning: a shard is a place in this list. */
function namesOf(shards: readonly TaskQueue[]): string {
  return shards.map(({ queue }) => queue.id).join(",");
}

/** For a function that mostly waits for receivers: an attempt is 17 s at most, and 60 hold it with its stores. */
const SENDING = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 60 };

/** The two hundred calls that both queues of a shard may have in flight are thirteen instances with sixteen each. */
const INSTANCES_PER_SHARD = 13;

/** For fan-out and the sweep. */
const SPARE_INSTANCES = 7;
