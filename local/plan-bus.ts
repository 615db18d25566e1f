// The topics and subscriptions of the synthesized stacks: who gets which messages how, and what becomes of refused ones.
// It must never leave out what a subscription says: what is not understood stops the laptop.

import { type MessageFilter, parseFilter } from "./bus-filter.ts";
import { durationMs } from "./plan-durations.ts";
import type { PlannedResource } from "./plan-resources.ts";

/** Everything that carries messages. */
export type PlannedBus = { topics: string[]; subscriptions: PlannedSubscription[] };

/** One subscription; names are full resource names. */
export type PlannedSubscription = {
  name: string;
  topic: string;
  filter: MessageFilter;
  delivery: PlannedDelivery;
  /** How long a delivery may take. */
  ackDeadlineMs: number;
  /** Waits between deliveries of one message; without a policy it comes back at once. */
  retry: { firstWaitMs: number; longestWaitMs: number };
  deadLetter: { topic: string; attemptsMax: number } | undefined;
  /** How long a message is kept that nobody takes. */
  retentionMs: number;
};

/** `push` calls a function, `pull` waits to be asked, `archive` writes into a table (`project.dataset.table`). */
export type PlannedDelivery =
  | { kind: "push"; url: string; token: { account: string; audience: string } | undefined }
  | { kind: "pull" }
  | { kind: "archive"; table: string };

/** All topics and subscriptions in the resources. What is not said has Pub/Sub's own default. */
export function readBus(resources: readonly PlannedResource[]): PlannedBus {
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  return {
    topics: ofType("google_pubsub_topic").map((topic) => topic.text("id")),
    subscriptions: ofType("google_pubsub_subscription").map(subscriptionOf),
  };
}

function subscriptionOf(resource: PlannedResource): PlannedSubscription {
  const { address, text, value } = resource;
  const duration = (path: string, byDefault: string) => durationMs(address, value(path) ?? byDefault);
  for (const unknown of ["cloud_storage_config", "enable_message_ordering", "push_config.no_wrapper"]) {
    if (value(unknown) !== undefined)
      throw new Error(`plan: ${address} has ${unknown}, which the laptop does not play`);
  }
  const hasPolicy = value("retry_policy") !== undefined;
  return {
    name: text("id"),
    topic: text("topic"),
    filter: filterOf(address, value("filter")),
    delivery: deliveryOf(resource),
    ackDeadlineMs: Number(value("ack_deadline_seconds") ?? 10) * 1000,
    retry: hasPolicy
      ? {
          firstWaitMs: duration("retry_policy.minimum_backoff", "10s"),
          longestWaitMs: duration("retry_policy.maximum_backoff", "600s"),
        }
      : { firstWaitMs: 0, longestWaitMs: 0 },
    deadLetter:
      value("dead_letter_policy") === undefined
        ? undefined
        : {
            topic: text("dead_letter_policy.dead_letter_topic"),
            attemptsMax: Number(value("dead_letter_policy.max_delivery_attempts") ?? 5),
          },
    retentionMs: duration("message_retention_duration", "604800s"),
  };
}

function deliveryOf({ value, text }: PlannedResource): PlannedDelivery {
  if (value("bigquery_config") !== undefined) return { kind: "archive", table: text("bigquery_config.table") };
  if (value("push_config") === undefined) return { kind: "pull" };
  const url = text("push_config.push_endpoint");
  const account = value("push_config.oidc_token.service_account_email");
  if (account === undefined) return { kind: "push", url, token: undefined };
  const audience = String(value("push_config.oidc_token.audience") ?? url);
  return { kind: "push", url, token: { account: String(account), audience } };
}

function filterOf(address: string, text: unknown): MessageFilter {
  try {
    return parseFilter(String(text ?? ""));
  } catch (error) {
    throw new Error(`plan: ${address}: ${(error as Error).message}`, { cause: error });
  }
}
