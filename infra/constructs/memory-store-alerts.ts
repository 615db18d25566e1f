/**
 * The alerts of a stage whose idempotency cache is Memorystore; each has a page of the same name in docs/runbooks.
 * It must never fire for one answer that was given up: that is what a cache is for.
 */
import { Construct } from "constructs";
import { Alert, type AlertProperties, isAbove } from "./alert.ts";
import type { MemoryStore } from "./memory-store.ts";

/** The alerts. */
export class MemoryStoreAlerts extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { store, ...to }: Pick<AlertProperties, "settings" | "tells"> & { readonly store: MemoryStore },
  ) {
    super(scope, id);
    const shared = { ...to, severity: "WARNING" as const, after: [] };
    const metric = (name: string) =>
      `resource.type = "redis_instance" AND metric.type = "redis.googleapis.com/${name}" AND resource.labels.instance_id = "${store.instance.id}"`;

    new Alert(this, "cache-memory", {
      ...shared,
      says: "The idempotency cache is nearly full.",
      when: [
        isAbove("more than nine tenths of the memory that it may use are used", {
          filter: metric("stats/memory/usage_ratio"),
          above: 0.9,
          seconds: 300,
          aligner: "ALIGN_MEAN",
          reducer: "REDUCE_MAX",
        }),
      ],
    });
    new Alert(this, "cache-evictions", {
      ...shared,
      says: "The idempotency cache gives up answers before they end.",
      when: [
        isAbove("more than a hundred answers were given up in five minutes", {
          filter: metric("stats/evicted_keys"),
          above: 100,
          seconds: 300,
          aligner: "ALIGN_DELTA",
          reducer: "REDUCE_SUM",
        }),
      ],
    });
    new Alert(this, "cache-connections", {
      ...shared,
      says: "More connections to the idempotency cache are open than instances can have.",
      when: [
        isAbove("twice as many as instances may run", {
          filter: metric("clients/connected"),
          // Each instance has one; while a new revision takes over, two of each may live.
          above: 2 * to.settings.instances.max + OWN_CONNECTIONS,
          seconds: 300,
          aligner: "ALIGN_MEAN",
          reducer: "REDUCE_MAX",
        }),
      ],
    });
  }
}

/** What Google itself keeps open to watch and to copy. */
const OWN_CONNECTIONS = 10;
