// What a simulation leaves behind: all that the invariants look at (types only).
// It must never hold more than what outlives a process, and what stood outside of all of them.
import type { Client } from "./client.ts";
import type { Faults } from "./faults.ts";
import type { openReceivers } from "./receivers.ts";
import type { Stores } from "./stores.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The rest of a simulation. */
export interface Aftermath {
  readonly stores: Stores;
  readonly time: VirtualTime;
  readonly client: Client;
  readonly receivers: ReturnType<typeof openReceivers>;
  readonly faults: Faults;
  /** Answers of the jobs that judge, by path. */
  readonly judged: ReadonlyMap<string, Record<string, unknown>>;
  /** What each merchant was told of its balance, by account. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire holds.
  readonly balances: ReadonlyMap<string, any>;
  /** Answers of functions with status 500, one line each. */
  readonly broken: readonly string[];
}
