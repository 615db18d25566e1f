/**
 * Deliveries and endpoints' health in memory, for the laptop and for tests: the same answers as Firestore's.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EndpointHealth } from "../../domain/endpoint-health.ts";
import type { WebhookDelivery } from "../../domain/webhook-delivery.ts";
import type { Deliveries, DeliveryQuery, EndpointHealthStore } from "../../flows/delivery-ports.ts";

/** No deliveries. */
export function memoryDeliveries(): MemoryDeliveries {
  const records = new Map<string, { readonly delivery: WebhookDelivery; readonly version: string }>();
  let writes = 0;
  const put = (delivery: WebhookDelivery): string => {
    writes += 1;
    const version = String(writes);
    records.set(delivery.id, { delivery, version });
    return version;
  };
  return {
    create: async (offered) => {
      const delivery = copyOf(offered);
      await nextTurn();
      if (records.has(delivery.id)) return "exists";
      put(delivery);
      return "created";
    },
    read: async (id) => {
      await nextTurn();
      const found = records.get(id);
      return found && { ...found, delivery: copyOf(found.delivery) };
    },
    replace: async (version, offered) => {
      const delivery = copyOf(offered);
      await nextTurn();
      const found = records.get(delivery.id);
      if (found === undefined || found.version !== version) return { kind: "lost" };
      return { kind: "replaced", version: put({ ...delivery, body: found.delivery.body }) };
    },
    overdue: async (nowMs, limit) => {
      await nextTurn();
      const overdue = [...records.values()].filter(({ delivery }) => (delivery.sweepAtMs ?? Infinity) <= nowMs);
      overdue.sort((one, other) => (one.delivery.sweepAtMs ?? 0) - (other.delivery.sweepAtMs ?? 0));
      return overdue.slice(0, limit).map((found) => ({ ...found, delivery: copyOf(found.delivery) }));
    },
    list: async (query) => {
      await nextTurn();
      return page([...records.values()].map(({ delivery }) => delivery).sort(newestFirst), query);
    },
    everything: () => [...records.values()].map(({ delivery }) => copyOf(delivery)),
  };
}

/** The deliveries with what tests may see beyond the port. */
export interface MemoryDeliveries extends Deliveries {
  /** A copy of all of them. */
  everything(): readonly WebhookDelivery[];
}

/** Nothing known of any endpoint. */
export function memoryEndpointHealth(): EndpointHealthStore {
  const records = new Map<string, EndpointHealth>();
  return {
    read: async (endpointId) => {
      await nextTurn();
      return structuredClone(records.get(endpointId));
    },
    write: async (endpointId, offered) => {
      const health = structuredClone(offered);
      await nextTurn();
      records.set(endpointId, health);
    },
  };
}

function page(all: readonly WebhookDelivery[], query: DeliveryQuery) {
  const { startingAfter, endingBefore, limit } = query;
  const matching = all
    .filter(({ accountId }) => accountId === query.accountId)
    .filter(({ endpointId }) => query.endpointId === null || endpointId === query.endpointId)
    .filter(({ eventId }) => query.eventId === null || eventId === query.eventId)
    .filter(({ state }) => query.state === null || state === query.state)
    .filter((each) => startingAfter === null || newestFirst(each, startingAfter) > 0)
    .filter((each) => endingBefore === null || newestFirst(each, endingBefore) < 0);
  // Before a cursor the page nearest to it is wanted.
  const isBackward = endingBefore !== null && startingAfter === null;
  const rows = isBackward ? matching.slice(-limit) : matching.slice(0, limit);
  return { deliveries: rows.map(copyOf), hasMore: matching.length > limit };
}

function newestFirst(one: WebhookDelivery, other: WebhookDelivery): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : Number(one.id > other.id) * -1);
}

/** `structuredClone` would copy the whole pool behind a small Buffer. */
function copyOf({ body, ...fields }: WebhookDelivery): WebhookDelivery {
  return { ...structuredClone(fields), body: Uint8Array.from(body) };
}
