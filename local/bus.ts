// Plays Pub/Sub: the plan's topics and subscriptions, in memory, delivered by real HTTP, in time that tests can move.
// It must never deliver a message that its subscription does not ask for, nor do for anybody what the grants do not give.

import type { BusMessage } from "../functions/flows/bus-ports.ts";
import type { Log } from "../functions/flows/ports.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedBus, PlannedSubscription } from "./plan-bus.ts";
import { push } from "./push-request.ts";
import { type Delivery, openSubscription, type PublishedMessage, type RunningSubscription } from "./subscription.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/** What the bus needs. */
export type BusDependencies = {
  clock: MovableClock;
  issuer: TokenIssuer;
  log: Log;
  /** Undefined when Pub/Sub's agent may do it, else the reason. */
  mayAgent(permission: string, resource: string): string | undefined;
  /** Writes a row into a table (`project.dataset.table`) for a subscription; throws when it cannot. */
  archive(table: string, subscription: string, message: PublishedMessage): void;
};

/** A running bus. */
export type Bus = {
  /**
   * Puts messages on a topic (full name) and gives their ids. The caller's right is checked before.
   * Throws for a topic that the plan does not have, and for a message without anything in it.
   */
  publish(topic: string, messages: readonly BusMessage[]): string[];
  /** The subscription with this full name; throws when the plan does not have it. */
  subscription(name: string): RunningSubscription;
  /** Begins to push, when it is known where functions are; throws when one is nowhere. */
  start(localUrl: (url: string) => string): void;
  stop(): void;
};

/** A bus for the plan, with nothing on it; what is published before `start` waits. */
export function openBus(deps: BusDependencies, planned: PlannedBus): Bus {
  const ending = new AbortController();
  const urls = new Map<string, string>();
  const subscriptions = planned.subscriptions.map((subscription) =>
    openSubscription(
      {
        ...deps,
        deliver: async (to, delivery) =>
          to.delivery.kind === "archive"
            ? archive(deps, to.delivery.table, to, delivery)
            : await deliver(deps, urls.get(to.name) ?? "", ending.signal, to, delivery),
        bury: (from, delivery) => bury(deps, publish, from, delivery),
      },
      subscription,
    ),
  );
  let published = 0;
  const publish = (topic: string, messages: readonly BusMessage[]) => {
    if (!planned.topics.includes(topic)) throw new Error(`there is no topic ${topic}`);
    if (messages.some(isEmpty)) throw new Error("a message needs data or an attribute");
    return messages.map(({ data, attributes }) => {
      published += 1;
      const message: PublishedMessage = {
        id: String(published),
        publishedAtMs: deps.clock.now(),
        data: Buffer.from(data),
        attributes: { ...attributes },
      };
      for (const subscription of subscriptions) {
        if (subscription.planned.topic === topic) subscription.add(message);
      }
      return message.id;
    });
  };
  return {
    publish,
    subscription: (name) => {
      const found = subscriptions.find((candidate) => candidate.planned.name === name);
      if (found === undefined) throw new Error(`there is no subscription ${name}`);
      return found;
    },
    start: (localUrl) => {
      for (const { name, delivery } of planned.subscriptions) {
        if (delivery.kind === "push") urls.set(name, localUrl(delivery.url));
      }
      for (const subscription of subscriptions) subscription.start();
    },
    stop: () => {
      ending.abort();
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}

function isEmpty({ data, attributes }: BusMessage): boolean {
  return data.length === 0 && Object.keys(attributes).length === 0;
}

/** As the account that the subscription names, whose tokens Pub/Sub's agent must be allowed to sign. */
async function deliver(
  { issuer, mayAgent }: BusDependencies,
  url: string,
  ending: AbortSignal,
  to: PlannedSubscription,
  delivery: Delivery,
) {
  const token = to.delivery.kind === "push" ? to.delivery.token : undefined;
  const project = to.name.split("/")[1];
  const refusal =
    token && mayAgent("iam.serviceAccounts.getOpenIdToken", `projects/${project}/serviceAccounts/${token.account}`);
  if (refusal !== undefined) return { answer: refusal };
  return await push({ url, authorization: token && `Bearer ${issuer.issue(token)}`, ending }, to, delivery);
}

/** What the agent may do to tables is held by tests on the plan: nobody here can miss it. */
function archive({ archive }: BusDependencies, table: string, { name }: PlannedSubscription, { message }: Delivery) {
  try {
    archive(table, name, message);
    return undefined;
  } catch (error) {
    return { answer: error instanceof Error ? error.message : "unknown" };
  }
}

/** Takes both grants of the agent: to publish there, and to take it from here. Names are short, as Pub/Sub writes them. */
function bury(
  { mayAgent }: BusDependencies,
  publish: Bus["publish"],
  from: PlannedSubscription,
  { message, attempt }: Delivery,
): string | undefined {
  if (from.deadLetter === undefined) return "there is no dead-letter topic";
  const { topic } = from.deadLetter;
  const refusal = mayAgent("pubsub.topics.publish", topic) ?? mayAgent("pubsub.subscriptions.consume", from.name);
  if (refusal !== undefined) return refusal;
  const [, project = "", , name = ""] = from.name.split("/");
  const attributes = {
    ...message.attributes,
    CloudPubSubDeadLetterSourceDeliveryCount: String(attempt),
    CloudPubSubDeadLetterSourceSubscription: name,
    CloudPubSubDeadLetterSourceSubscriptionProject: project,
    CloudPubSubDeadLetterSourceTopicPublishTime: new Date(message.publishedAtMs).toISOString(),
  };
  publish(topic, [{ data: message.data, attributes }]);
  return undefined;
}
