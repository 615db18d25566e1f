// What so many payments a day need and cost: Spanner's processing units, queue shards, instances, dollars of a month.
// It must never give a number without what it follows from: the counts of one payment stand here with their sources.

import type { SynthesizedResource } from "../synthesized-stacks.ts";
import { type FunctionSize, secondOf } from "./idle.ts";
import { FUNCTIONS, HOURS_PER_MONTH, SPANNER_REPLICA_HOUR, spannerReplicas } from "./prices.ts";
import type { Cost } from "./table.ts";
import { CALLS, paymentCosts } from "./usage.ts";

/** What is needed, each with the sentence that it follows from. */
export type Capacity = {
  readonly needs: readonly { readonly what: string; readonly amount: number; readonly because: string }[];
  /** In a month of 730 hours. */
  readonly costs: readonly Cost[];
};

/** A day's busiest second beside its average: evenings and sales; a shop that sells tickets has more. */
const PEAK = 3;

/** What Google names for 1,000 processing units in one region: a second's writes and reads of 1 KB (its page on performance, 2026-08). */
const SPANNER_NODE = { writes: 3_500, reads: 22_500 } as const;

/**
 * Of one payment on Spanner: two commits (test/proof/round-trips.test.ts), together some 2 KB of rows and as much of index
 * entries, each KB counted as a write; and the reads of the second transaction, of the API key and of the event's relay.
 */
const SPANNER_PER_PAYMENT = { writes: 4, reads: 3 } as const;

/** Up to a node Spanner is sold by hundreds of units, above it by thousands. */
const [SMALL_STEP, NODE] = [100, 1_000];

/** One webhook a payment, as in the table of costs; a queue of Cloud Tasks starts 500 tasks a second. */
const [WEBHOOKS_PER_PAYMENT, DISPATCHES_PER_SHARD] = [1, 500];

/**
 * CPU time and duration of one call, in seconds: estimates. 10 ms of CPU is above what a payment takes with the real clients
 * on a quiet machine (`npm run bench -- --only requests-on-emulators` shows yours); the others make fewer calls with the same
 * clients. Durations: what stores and acquirer take, and for a webhook a receiver that answers in 300 ms.
 */
const CALL: Readonly<Record<string, { readonly cpuSeconds: number; readonly seconds: number }>> = {
  "payments-api": { cpuSeconds: 0.01, seconds: 0.5 },
  "webhook-dispatcher": { cpuSeconds: 0.005, seconds: 0.4 },
};
const OTHER_CALL = { cpuSeconds: 0.005, seconds: 0.1 } as const;

/** An instance is planned to be this busy: the rest is for garbage, bursts and the time that a new one takes to start. */
const BUSY = 0.6;

/** Needs and costs of `perDay` payments a day on the plan's sizes. */
export function capacityOf(resources: readonly SynthesizedResource[], perDay: number): Capacity {
  const average = perDay / 86_400;
  const peak = average * PEAK;
  const units = spannerUnits(peak);
  const shards = Math.max(1, Math.ceil((peak * WEBHOOKS_PER_PAYMENT) / DISPATCHES_PER_SHARD));
  const functions = functionsOf(resources);
  const perMillion = paymentCosts(resources).filter(({ part }) => !functions.some(({ name }) => name === part));
  const millions = (average * 3_600 * HOURS_PER_MONTH) / 1_000_000;
  return {
    needs: [
      { what: "payments a second", amount: average, because: `${PEAK} times that in the busiest second` },
      { what: "Spanner processing units", amount: units, because: spannerReason(peak) },
      {
        what: "WEBHOOK_QUEUE_SHARDS",
        amount: shards,
        because: `${WEBHOOKS_PER_PAYMENT} webhook a payment, ${DISPATCHES_PER_SHARD} a second for each fast queue`,
      },
      ...functions.map((each) => instancesOf(each, peak)),
    ],
    costs: [
      ...resources.filter(({ type }) => type === "google_spanner_instance").map((one) => spannerCost(one, units)),
      ...perMillion.map((each) => ({ ...each, usd: each.usd * millions })),
      ...functions.map((each) => functionCost(each, average)),
    ],
  };
}

function spannerUnits(peak: number): number {
  const { writes, reads } = SPANNER_PER_PAYMENT;
  const nodes = (peak * writes) / SPANNER_NODE.writes + (peak * reads) / SPANNER_NODE.reads;
  const step = nodes > 1 ? NODE : SMALL_STEP;
  return Math.max(SMALL_STEP, Math.ceil((nodes * NODE) / step) * step);
}

function spannerReason(peak: number): string {
  const { writes, reads } = SPANNER_PER_PAYMENT;
  const perSecond = (count: number) => Math.round(peak * count).toLocaleString("en");
  return `${perSecond(writes)} writes and ${perSecond(reads)} reads of 1 KB a second (${writes} and ${reads} a payment)`;
}

type Sized = { name: string; perPayment: number; size: FunctionSize; concurrency: number };

function functionsOf(resources: readonly SynthesizedResource[]): Sized[] {
  return resources
    .filter(({ type }) => type === "google_cloudfunctions2_function")
    .flatMap(({ attributes }) => {
      const { entry_point: name } = attributes["build_config"] as { entry_point: string };
      const size = attributes["service_config"] as FunctionSize & { max_instance_request_concurrency?: number };
      const perPayment = CALLS[name] ?? 0;
      const concurrency = Number(size.max_instance_request_concurrency ?? 1);
      return perPayment === 0 ? [] : [{ name, perPayment, size, concurrency }];
    });
}

/** By CPU or by the calls that an instance holds at once, whichever takes more instances. */
function loadOf({ name, perPayment, size, concurrency }: Sized, paymentsPerSecond: number) {
  const { cpuSeconds, seconds } = CALL[name] ?? OTHER_CALL;
  const calls = paymentsPerSecond * perPayment;
  const byCpu = (calls * cpuSeconds) / Number(size.available_cpu ?? 1) / BUSY;
  const byCalls = (calls * seconds) / concurrency / BUSY;
  return { calls, cpuSeconds, seconds, instances: Math.max(byCpu, byCalls) };
}

function instancesOf(sized: Sized, peak: number) {
  const { calls, cpuSeconds, seconds, instances } = loadOf(sized, peak);
  const each = `${cpuSeconds * 1_000} ms of CPU, ${seconds * 1_000} ms long, ${sized.concurrency} at once`;
  return {
    what: `instances of ${sized.name}`,
    amount: Math.ceil(instances),
    because: `${Math.round(calls).toLocaleString("en")} calls a second: ${each}, ${BUSY * 100} % busy`,
  };
}

function functionCost(sized: Sized, average: number): Cost {
  const { calls, instances } = loadOf(sized, average);
  const seconds = 3_600 * HOURS_PER_MONTH;
  return {
    part: sized.name,
    basis: `${instances.toFixed(1)} instances on average, and their requests`,
    usd: seconds * (instances * secondOf(sized.size) + calls * FUNCTIONS.request),
  };
}

function spannerCost({ attributes }: SynthesizedResource, units: number): Cost {
  const hour = SPANNER_REPLICA_HOUR[String(attributes["edition"]) as keyof typeof SPANNER_REPLICA_HOUR];
  if (hour === undefined) throw new Error(`no price for a Spanner of edition ${String(attributes["edition"])}`);
  const usd = (units / 100) * hour * spannerReplicas(attributes["config"]) * HOURS_PER_MONTH;
  return { part: "Spanner", basis: `${units} processing units, ${String(attributes["edition"])}`, usd };
}
