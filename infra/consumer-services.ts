/**
 * The consumers of events and of dead letters: each a function with its own account, subscription and smallest rights.
 * It must never give one consumer another one's account: each has its own markers, its own pace and its own dead letters.
 */
import type { Construct } from "constructs";
import { environmentNames, type FunctionName } from "../functions/config.ts";
import { DeadLetterPush } from "./constructs/dead-letter-push.ts";
import { FunctionCaller } from "./constructs/function-caller.ts";
import { type Grant, readSecret, useDocuments } from "./constructs/grants.ts";
import { PaymentFunction, type PaymentFunctionProperties } from "./constructs/payment-function.ts";
import { PushConsumer } from "./constructs/push-consumer.ts";
import type { DataStack } from "./data-stack.ts";
import type { ConsumerAccounts, FoundationStack } from "./foundation-stack.ts";
import type { MessagingStack } from "./messaging-stack.ts";
import type { Settings } from "./settings.ts";

/** The stacks that the consumers are deployed after. */
export interface ConsumerStacks {
  readonly foundation: FoundationStack;
  readonly data: DataStack;
  readonly messaging: MessagingStack;
}

/** Declares all of them. */
export function consumerServices(scope: Construct, settings: Settings, stacks: ConsumerStacks): void {
  const { smtpSecret } = stacks.data;
  consumer(scope, settings, stacks, {
    name: "notification",
    accounts: stacks.foundation.accounts.notification,
    description: "Sends a receipt by e-mail for each payment that was taken.",
    takes: ["charge.succeeded", "charge.captured"],
    // A domain that can receive nothing, where no server is named and mails are only recorded.
    environment: { [environmentNames.mailFrom]: settings.mailFrom ?? "receipts@mail.invalid" },
    secrets: smtpSecret === undefined ? {} : { [environmentNames.smtpUrl]: smtpSecret },
    may: smtpSecret === undefined ? [] : [readSecret(smtpSecret)],
  });
  consumer(scope, settings, stacks, {
    name: "invoice",
    accounts: stacks.foundation.accounts.invoice,
    description: "Issues an invoice for each payment that was taken.",
    takes: ["payment_intent.succeeded"],
  });
  consumer(scope, settings, stacks, {
    name: "risk",
    accounts: stacks.foundation.accounts.risk,
    description: "Flags payments of a card or customer that come too fast.",
    takes: ["charge.succeeded", "charge.failed"],
  });
  deadLetterRecorder(scope, settings, stacks);
}

/** What differs between consumers. */
interface ConsumerProperties {
  readonly name: FunctionName;
  readonly accounts: ConsumerAccounts;
  readonly description: string;
  /** Types of events; the subscription's filter lets nothing else through, because every push is paid for. */
  readonly takes: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: PaymentFunctionProperties["secrets"];
  readonly may?: readonly Grant[];
}

function consumer(
  scope: Construct,
  settings: Settings,
  stacks: ConsumerStacks,
  { takes, ...properties }: ConsumerProperties,
): void {
  const { name } = properties;
  const { deployed, caller } = pushed(scope, settings, stacks, { ...properties, callerId: `${name}-push` });
  new PushConsumer(scope, `${name}-events`, {
    ...{ settings, name, topic: stacks.messaging.events, calls: deployed, as: caller },
    path: "/events",
    timeoutSeconds: CONSUMING.timeoutSeconds,
    filter: takes.map((type) => `attributes.event_type = "${type}"`).join(" OR "),
  });
}

function deadLetterRecorder(scope: Construct, settings: Settings, stacks: ConsumerStacks): void {
  const { deployed, caller } = pushed(scope, settings, stacks, {
    name: "dead-letter-recorder",
    callerId: "dead-letter-push",
    accounts: stacks.foundation.accounts.deadLetterRecorder,
    description: "Records the events that a consumer gave up.",
  });
  new DeadLetterPush(scope, "dead-letter-events", {
    ...{ settings, topic: stacks.messaging.events, calls: deployed, as: caller },
    path: "/dead-letters",
    timeoutSeconds: CONSUMING.timeoutSeconds,
  });
}

/** A closed function that uses documents, and the account as which Pub/Sub calls it. */
function pushed(
  scope: Construct,
  settings: Settings,
  { foundation, data }: ConsumerStacks,
  properties: Omit<ConsumerProperties, "takes"> & { readonly callerId: string },
) {
  const { name, callerId, accounts, description, environment = {}, secrets = {}, may = [] } = properties;
  const deployed = new PaymentFunction(scope, name, {
    ...{ settings, foundation, description, secrets },
    ...CONSUMING,
    account: accounts.runs,
    reachedFrom: "platform",
    isPublic: false,
    environment: {
      [environmentNames.project]: settings.projectId,
      [environmentNames.firestoreDatabase]: data.documents.database.name,
      [environmentNames.callerAccount]: accounts.calls.email,
      ...environment,
    },
    may: [useDocuments(data.documents), ...may],
  });
  const caller = new FunctionCaller(scope, callerId, {
    ...{ settings, account: accounts.calls, service: deployed.service },
    products: ["pubsub"],
  });
  return { deployed, caller };
}

/**
 * For a function that mostly waits for one store. Twenty instances with sixteen events each are more than a thousand
 * events a second at 300 ms each; Pub/Sub keeps what is above. An effect outside ends within 7 s, so 30 s are never needed.
 */
const CONSUMING = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 30, instances: { min: 0, max: 20 } };
