/**
 * One consumer of a topic: a subscription that pushes each message to a function with a signed token, retries for hours,
 * and buries what was never taken.
 * It must never expire, and never retry at once: a consumer in trouble would get every message back in the same second.
 */
import { PubsubSubscription } from "@cdktf/provider-google/lib/pubsub-subscription/index.js";
import { PubsubSubscriptionIamMember } from "@cdktf/provider-google/lib/pubsub-subscription-iam-member/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { type EventTopic, NEVER } from "./event-topic.ts";
import type { FunctionCaller } from "./function-caller.ts";
import { ServiceAgents } from "./service-agents.ts";

/** What a consumer is. */
export interface PushConsumerProperties {
  readonly settings: Settings;
  /** The consumer's name, by which its subscription is known. */
  readonly name: string;
  readonly topic: EventTopic;
  /** Its consumer: base URL without a trailing slash, which is the token's audience too. */
  readonly calls: { readonly url: string };
  /** Where the consumer takes messages, with the leading slash. */
  readonly path: string;
  /** Whom the token names; the consumer refuses everybody else. */
  readonly as: FunctionCaller;
  /** Timeout of the consumer: Pub/Sub waits as long for its answer. 10 to 600. */
  readonly timeoutSeconds: number;
  /** Which messages, by their attributes only; all of them by default. At most 256 bytes, and a change replaces the subscription. */
  readonly filter?: string;
}

/** The subscription with its grants. */
export class PushConsumer extends Construct {
  readonly subscription: PubsubSubscription;

  constructor(scope: Construct, id: string, properties: PushConsumerProperties) {
    super(scope, id);
    const { settings, topic, calls, as, filter } = properties;
    this.subscription = new PubsubSubscription(this, "subscription", {
      project: settings.projectId,
      name: subscriptionName(settings, topic, properties.name),
      topic: topic.topic.id,
      pushConfig: {
        pushEndpoint: `${calls.url}${properties.path}`,
        // By default the audience is the whole endpoint with its path, which no function accepts.
        oidcToken: { serviceAccountEmail: as.account.email, audience: calls.url },
      },
      ackDeadlineSeconds: properties.timeoutSeconds,
      ...deliveryUntilDeath(topic),
      ...(filter === undefined ? {} : { filter }),
      dependsOn: [...as.grants],
    });
    takesDeadLetters(this, settings, this.subscription);
  }
}

/** `payment-events-to-notification`: the prefix by which alerts know a subscription that somebody has to empty. */
export function subscriptionName(settings: Settings, topic: EventTopic, consumer: string): string {
  return named(settings, `${topic.node.id}-to-${consumer}`);
}

/** How every subscription of a topic retries, buries and lives. */
export function deliveryUntilDeath(topic: EventTopic) {
  return {
    retryPolicy: { minimumBackoff: "10s", maximumBackoff: "600s" },
    deadLetterPolicy: { deadLetterTopic: topic.deadLetters.id, maxDeliveryAttempts: ATTEMPTS_MAX },
    messageRetentionDuration: RETENTION,
    expirationPolicy: NEVER,
  };
}

/** The second grant of a dead letter: Pub/Sub's own account takes the message from the subscription that gave up. */
export function takesDeadLetters(scope: Construct, settings: Settings, subscription: PubsubSubscription) {
  return new PubsubSubscriptionIamMember(scope, "pubsub-takes-dead-letters", {
    project: settings.projectId,
    subscription: subscription.name,
    role: "roles/pubsub.subscriber",
    member: ServiceAgents.of(scope, settings).member("pubsub"),
  });
}

/**
 * The most that Pub/Sub allows. Waits double from 10 s to 600 s and stay there, so a hundred attempts take 15 h 40 min:
 * a consumer may be broken for a night. With the default of five, a message would be dead after two and a half minutes.
 */
const ATTEMPTS_MAX = 100;

/** 7 days: more than ten times as long as the attempts take, so no message is dropped before it is buried. */
const RETENTION = "604800s";
