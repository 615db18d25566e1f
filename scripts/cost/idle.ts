// What a stage costs in a month in which nobody uses it, from the synthesized plan.
// It must never be lower than the bill: where a rule is unsure, the dearer reading is taken.

import type { SynthesizedResource } from "../synthesized-stacks.ts";
import {
  CONNECTOR_INSTANCE_HOUR,
  FUNCTIONS,
  HOURS_PER_MONTH,
  MEMORYSTORE_GB_HOUR,
  SCHEDULER_JOB,
  SECRET_VERSION,
  SPANNER_REPLICA_HOUR,
  spannerReplicas,
} from "./prices.ts";
import type { Cost } from "./table.ts";

/** One line per part that costs something while idle. */
export function idleCosts(resources: readonly SynthesizedResource[]): Cost[] {
  return [
    ...spanner(resources),
    ...warmInstances(resources),
    ...schedules(resources),
    ...secrets(resources),
    ...memoryStore(resources),
  ];
}

type Attributes = SynthesizedResource["attributes"];

function ofType(resources: readonly SynthesizedResource[], type: string): Attributes[] {
  return resources.filter((resource) => resource.type === type).map(({ attributes }) => attributes);
}

function spanner(resources: readonly SynthesizedResource[]): Cost[] {
  return ofType(resources, "google_spanner_instance").map(({ config, edition, processing_units, instance_type }) => {
    if (instance_type === "FREE_INSTANCE") return { part: "Spanner", basis: "free trial, 90 days", usd: 0 };
    const units = Number(processing_units);
    const hour = SPANNER_REPLICA_HOUR[String(edition) as keyof typeof SPANNER_REPLICA_HOUR];
    if (!(units > 0) || hour === undefined) throw new Error(`no price for a Spanner of ${units} units, ${edition}`);
    return {
      part: "Spanner",
      basis: `${units} processing units, ${edition}, ${config}`,
      usd: (units / 100) * hour * spannerReplicas(config) * HOURS_PER_MONTH,
    };
  });
}

/** A waiting instance has a lower price of its own, which is not in the table: the price of a working one is taken. */
function warmInstances(resources: readonly SynthesizedResource[]): Cost[] {
  return ofType(resources, "google_cloudfunctions2_function").flatMap(({ name, service_config }) => {
    const { min_instance_count: count = 0, ...size } = service_config as FunctionSize & { min_instance_count?: number };
    if (count === 0) return [];
    const usd = count * HOURS_PER_MONTH * SECONDS_PER_HOUR * secondOf(size);
    return [{ part: `${name}, ${count} warm`, basis: "at most, at the price of a working instance", usd }];
  });
}

/** Each run wakes a function; the size of a small one is taken, and that it works for 100 ms. */
function schedules(resources: readonly SynthesizedResource[]): Cost[] {
  return ofType(resources, "google_cloud_scheduler_job").map(({ name, schedule }) => {
    const runs = runsPerMonth(String(schedule));
    const run = FUNCTIONS.request + CALL_SECONDS * secondOf({ available_cpu: "1", available_memory: "512Mi" });
    return { part: `schedule ${name}`, basis: `${runs} runs`, usd: SCHEDULER_JOB + runs * run };
  });
}

function secrets(resources: readonly SynthesizedResource[]): Cost[] {
  const count = ofType(resources, "google_secret_manager_secret").length;
  return count === 0 ? [] : [{ part: "secrets", basis: `${count}, one version each`, usd: count * SECRET_VERSION }];
}

/** Memorystore as the idempotency cache is paid for by the hour, used or not, and so is the way into its network. */
function memoryStore(resources: readonly SynthesizedResource[]): Cost[] {
  const instances = ofType(resources, "google_redis_instance").map(({ tier, memory_size_gb: gb }) => {
    const hour = MEMORYSTORE_GB_HOUR[String(tier) as keyof typeof MEMORYSTORE_GB_HOUR];
    if (hour === undefined || !(Number(gb) <= 4)) throw new Error(`no price for a Memorystore of ${gb} GB, ${tier}`);
    return { part: "Memorystore", basis: `${gb} GB, ${tier}`, usd: Number(gb) * hour * HOURS_PER_MONTH };
  });
  const connectors = ofType(resources, "google_vpc_access_connector").map(({ min_instances: count, machine_type }) => ({
    part: "connector into its network",
    basis: `${count} instances of ${machine_type}, at least`,
    usd: Number(count) * CONNECTOR_INSTANCE_HOUR * HOURS_PER_MONTH,
  }));
  return [...instances, ...connectors];
}

/** Runs of a cron expression in a month of 730 hours, from its minutes and hours; other fields count as `*`. */
export function runsPerMonth(schedule: string): number {
  const [minutes = "*", hours = "*"] = schedule.trim().split(/\s+/);
  return Math.round(timesIn(minutes, 60) * timesIn(hours, 24) * (HOURS_PER_MONTH / 24));
}

/** How often a field of cron comes up in its range: `*`, every n-th with `*` and `/n`, or a list. */
function timesIn(field: string, range: number): number {
  const step = /^\*\/(\d+)$/.exec(field)?.[1];
  if (field === "*") return range;
  return step === undefined ? field.split(",").length : Math.ceil(range / Number(step));
}

/** The part of a function's configuration that its price depends on. */
export type FunctionSize = { available_cpu?: string; available_memory?: string };

/** A second of one busy instance in USD. */
export function secondOf({ available_cpu = "1", available_memory = "512Mi" }: FunctionSize): number {
  const [, amount = "0", unit = ""] = /^(\d+)(Mi|Gi)$/.exec(available_memory) ?? [];
  const gib = unit === "Gi" ? Number(amount) : Number(amount) / 1024;
  return Number(available_cpu) * FUNCTIONS.cpuSecond + gib * FUNCTIONS.gibSecond;
}

/** How long a call keeps an instance busy: three round trips to stores and the acquirer's answer. */
export const CALL_SECONDS = 0.1;

const SECONDS_PER_HOUR = 3_600;
