/**
 * Webhook endpoints in memory, for the laptop and for tests: the same answers as Firestore's, call by call.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoredOutcome } from "../../domain/idempotency.ts";
import type { WebhookEndpoint } from "../../domain/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../flows/webhook-endpoint-ports.ts";

/** No endpoints. */
export function memoryWebhookEndpoints(): MemoryWebhookEndpoints {
  const accounts = new Map<string, { version: string; endpoints: readonly WebhookEndpoint[] }>();
  const changes = new Map<string, StoredOutcome>();
  let commits = 0;
  return {
    read: async (accountId, changeId) => {
      await nextTurn();
      const { endpoints, version } = accounts.get(accountId) ?? { endpoints: [], version: null };
      const done = changeId === null ? undefined : changes.get(changeId);
      return { endpoints: structuredClone([...endpoints].sort(newestFirst)), version, done: done && copyOf(done) };
    },
    commit: async ({ accountId, version, write, change }) => {
      const offered = structuredClone(write);
      const outcome = change && copyOf(change.outcome);
      await nextTurn();
      const standing = accounts.get(accountId);
      if ((standing?.version ?? null) !== version || (change !== null && changes.has(change.id))) return "conflict";
      const id = offered.op === "delete" ? offered.endpointId : offered.endpoint.id;
      // As a document's own precondition: what is created must not stand, what is changed or deleted must.
      if ((standing?.endpoints ?? []).some((endpoint) => endpoint.id === id) === (offered.op === "create"))
        return "conflict";
      const others = (standing?.endpoints ?? []).filter((endpoint) => endpoint.id !== id);
      commits += 1;
      accounts.set(accountId, {
        version: String(commits),
        endpoints: offered.op === "delete" ? others : [...others, offered.endpoint],
      });
      if (change !== null && outcome !== null) changes.set(change.id, outcome);
      return "committed";
    },
    everything: () => structuredClone([...accounts.values()].flatMap(({ endpoints }) => endpoints)),
  };
}

/** The endpoints with what tests may see beyond the port. */
export interface MemoryWebhookEndpoints extends WebhookEndpoints {
  /** A copy of all endpoints. */
  everything(): readonly WebhookEndpoint[];
}

function newestFirst(one: WebhookEndpoint, other: WebhookEndpoint): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}

function copyOf({ status, body }: StoredOutcome): StoredOutcome {
  return { status, body: body && Uint8Array.from(body) };
}
