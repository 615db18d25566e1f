/**
 * What a function needs that puts settlements into their queue: the queue's name, whom it calls as, and the two rights.
 * It must never let the queue call with the schedule's name: whoever enqueues may act as the queue's caller.
 */
import { environmentNames } from "../functions/config.ts";
import type { Grant } from "./constructs/grants.ts";
import { enqueueInto } from "./constructs/task-queue.ts";
import type { FoundationStack } from "./foundation-stack.ts";
import type { MessagingStack } from "./messaging-stack.ts";

/** For every enqueuer; one that is not the called function itself needs its address too (`settlementsTarget`). */
export function settlementsOf({ foundation, messaging }: SettlementStacks): {
  readonly environment: Readonly<Record<string, string>>;
  readonly mayBeEnqueued: Grant;
} {
  const { settlements } = messaging.queues;
  const { ledgerTasks } = foundation.accounts;
  return {
    environment: {
      [environmentNames.settlementsQueue]: settlements.queue.id,
      [environmentNames.settlementsCaller]: ledgerTasks.email,
    },
    mayBeEnqueued: enqueueInto([settlements], ledgerTasks),
  };
}

/** The stacks that hold the queue and the account. */
export interface SettlementStacks {
  readonly foundation: FoundationStack;
  readonly messaging: MessagingStack;
}
