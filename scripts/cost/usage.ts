// What a million payments cost in operations, for the parts that the plan has; one webhook each, no free tiers.
// It must never count on concurrency: a call is charged as if it were alone on its instance, which is the worst case.

import type { SynthesizedResource } from "../synthesized-stacks.ts";
import { historyCosts, isOfLogs } from "./history.ts";
import { CALL_SECONDS, type FunctionSize, secondOf } from "./idle.ts";
import {
  FIRESTORE,
  FUNCTIONS,
  LOGGING_GIB,
  PUBSUB_TIB,
  SPANNER_STORAGE_GB,
  spannerReplicas,
  TASKS_OPERATION,
} from "./prices.ts";
import type { Cost } from "./table.ts";

/** One line per part of the plan that works for a payment. */
export function paymentCosts(resources: readonly SynthesizedResource[]): Cost[] {
  const count = (type: string) => resources.filter((resource) => resource.type === type).length;
  const calls = functionCalls(resources);
  return [
    // With Memorystore the record is in the instance that is paid for by the hour.
    ...(count("google_firestore_database") > 0 && count("google_redis_instance") === 0 ? [firestore()] : []),
    ...(count("google_cloud_tasks_queue") > 0 ? [tasks()] : []),
    ...pubsub(resources),
    ...calls.map(functionCost),
    ...calls.flatMap(documentsCost),
    logging(calls),
    ...historyCosts(resources, linesPerPayment(calls)),
    ...resources.filter(({ type }) => type === "google_spanner_instance").map(spannerStorage),
  ];
}

const MILLION = 1_000_000;
const GIB_PER_KB = 1_000 / 2 ** 30;

/** Claim and result are written, the claim and that of a twin or a retry read beside it, and the policy of expiry deletes. */
function firestore(): Cost {
  const usd = MILLION * (2 * FIRESTORE.write + 2 * FIRESTORE.read + FIRESTORE.delete);
  return { part: "Firestore", basis: "2 writes, 2 reads, 1 delete of the idempotency record", usd };
}

/** The task is created, and delivered once. */
function tasks(): Cost {
  return { part: "Cloud Tasks", basis: "1 task created and delivered", usd: MILLION * 2 * TASKS_OPERATION };
}

/** An event is 1 KB, the least that is charged: once in, and once out for each subscription that pushes or writes. */
function pubsub(resources: readonly SynthesizedResource[]): Cost[] {
  const subscriptions = resources.filter(({ type }) => type === "google_pubsub_subscription");
  const isDelivering = ({ attributes }: SynthesizedResource, how: string) => attributes[how] !== undefined;
  const pushes = subscriptions.filter((one) => isDelivering(one, "push_config") && !isOfDead(one)).length;
  const tables = subscriptions.filter((one) => isDelivering(one, "bigquery_config") && !isOfLogs(one)).length;
  if (pushes + tables === 0) return [];
  const tib = (MILLION * GIB_PER_KB) / 1024;
  const usd = tib * (PUBSUB_TIB.publish + pushes * PUBSUB_TIB.push + tables * PUBSUB_TIB.bigQuery);
  return [{ part: "Pub/Sub", basis: `1 event of 1 KB, pushed to ${pushes}, written to ${tables} tables`, usd }];
}

/** What hears of dead letters hears nothing of a payment that went well. */
function isOfDead({ attributes }: SynthesizedResource): boolean {
  return /dead/i.test(String(attributes["topic"]));
}

/**
 * Calls per payment by function (design section 2): the API once, the test acquirer once, a webhook is one call that fans
 * out and one attempt, each consumer hears the event once. What is not in the list is not on the path of a payment.
 */
export const CALLS: Readonly<Record<string, number>> = {
  "payments-api": 1,
  "test-acquirer": 1,
  "webhook-dispatcher": 2,
  notification: 1,
  invoice: 1,
  risk: 1,
};

type Calls = { name: string; perPayment: number; size: FunctionSize };

function functionCalls(resources: readonly SynthesizedResource[]): Calls[] {
  return resources
    .filter(({ type }) => type === "google_cloudfunctions2_function")
    .flatMap(({ attributes }) => {
      const { entry_point: entry } = attributes["build_config"] as { entry_point: string };
      const perPayment = CALLS[entry] ?? 0;
      const size = attributes["service_config"] as FunctionSize;
      return perPayment === 0 ? [] : [{ name: entry, perPayment, size }];
    });
}

function functionCost({ name, perPayment, size }: Calls): Cost {
  const usd = MILLION * perPayment * (FUNCTIONS.request + CALL_SECONDS * secondOf(size));
  const { available_cpu: cpu = "1", available_memory: memory = "512Mi" } = size;
  return { part: name, basis: `${perPayment} calls of ${CALL_SECONDS * 1000} ms, ${cpu} CPU, ${memory}`, usd };
}

/**
 * What a function does with documents for one payment, and the policy of expiry after it: two markers and what it keeps;
 * a mail's markers are written when it is claimed and when it is done, and the velocity rule looks around once.
 */
const DOCUMENTS: Readonly<Record<string, { writes: number; reads: number; deletes: number }>> = {
  notification: { writes: 4, reads: 0, deletes: 2 },
  invoice: { writes: 3, reads: 0, deletes: 2 },
  risk: { writes: 3, reads: 1, deletes: 3 },
  // One delivery (calls counted by `npm run bench -- --only fan-out`): made, claimed and recorded; the record once, and at
  // fan-out and attempt the account's list, its endpoint and the endpoint's health.
  "webhook-dispatcher": { writes: 3, reads: 7, deletes: 1 },
};

function documentsCost({ name }: Calls): Cost[] {
  const used = DOCUMENTS[name];
  if (used === undefined) return [];
  const { writes, reads, deletes } = used;
  const usd = MILLION * (writes * FIRESTORE.write + reads * FIRESTORE.read + deletes * FIRESTORE.delete);
  return [{ part: `${name}'s documents`, basis: `${writes} writes, ${reads} reads, ${deletes} deletes`, usd }];
}

/** Two lines a call, 1 KB each. */
function linesPerPayment(calls: readonly Calls[]): number {
  return 2 * calls.reduce((sum, { perPayment }) => sum + perPayment, 0);
}

function logging(calls: readonly Calls[]): Cost {
  const lines = linesPerPayment(calls);
  return { part: "Logging", basis: `${lines} lines of 1 KB`, usd: MILLION * lines * GIB_PER_KB * LOGGING_GIB };
}

/** About 2 KB of rows and index entries a payment, and paid for each month that they are kept. */
function spannerStorage({ attributes }: SynthesizedResource): Cost {
  const usd = MILLION * 2 * GIB_PER_KB * SPANNER_STORAGE_GB * spannerReplicas(attributes["config"]);
  return { part: "Spanner storage", basis: "2 KB a payment, each month that it is kept", usd };
}
