// Plays one subscription of Pub/Sub: every message again and again until it is taken, or buried, or too old.
// It must never deliver what is taken, nor drop what could not be buried: without both grants it goes on trying.

import type { Log } from "../functions/flows/ports.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedSubscription } from "./plan-bus.ts";

/** A message as the topic keeps it. */
export type PublishedMessage = {
  id: string;
  publishedAtMs: number;
  data: Buffer;
  attributes: Readonly<Record<string, string>>;
};

/** A message on its way to one subscriber; `attempt` counts deliveries from 1. */
export type Delivery = { message: PublishedMessage; attempt: number };

/** What a subscription needs from the bus around it. */
export type SubscriptionDependencies = {
  clock: MovableClock;
  log: Log;
  /** Delivers once; undefined when it was taken, else the reason. Never rejects. */
  deliver(planned: PlannedSubscription, delivery: Delivery): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Publishes on the dead-letter topic; undefined when done, else the missing grant. */
  bury(planned: PlannedSubscription, delivery: Delivery): string | undefined;
};

/** A running subscription. */
export type RunningSubscription = {
  planned: PlannedSubscription;
  add(message: PublishedMessage): void;
  /** Begins to push or archive what was added; a subscription that is pulled never does. */
  start(): void;
  /** Hands out what waits, at most `limit`, and waits for `acknowledge` until the deadline; then it comes again. */
  pull(limit: number): { ackId: string; delivery: Delivery }[];
  acknowledge(ackIds: readonly string[]): void;
  /** How many messages are neither taken nor buried. */
  backlog(): number;
  stop(): void;
};

/** A subscription with nothing in it. */
export function openSubscription(deps: SubscriptionDependencies, planned: PlannedSubscription): RunningSubscription {
  const state = { ready: [] as Delivery[], waiting: new Map<Delivery, () => void>(), inFlight: 0, isRunning: false };
  const again = (delivery: Delivery, waitMs: number) => {
    if (waitMs === 0) {
      state.ready.push(delivery);
      return pump();
    }
    const cancel = deps.clock.after(waitMs, () => {
      state.waiting.delete(delivery);
      state.ready.push(delivery);
      pump();
    });
    state.waiting.set(delivery, cancel);
  };
  const refused = (delivery: Delivery) => {
    const next = afterRefusal(deps, planned, delivery);
    if (next !== undefined) again(next.delivery, next.waitMs);
  };
  const leases = openLeases(deps.clock, planned.ackDeadlineMs, refused);
  const push = async (delivery: Delivery) => {
    const failure = await deps.clock.hold(deps.deliver(planned, delivery));
    state.inFlight -= 1;
    if (state.isRunning && failure !== undefined) {
      deps.log("INFO", "push not taken", { subscription: planned.name, attempt: delivery.attempt, ...failure });
      refused(delivery);
    }
    pump();
  };
  const pump = () => {
    while (state.isRunning && state.inFlight < IN_FLIGHT_MAX) {
      const delivery = state.ready.shift();
      if (delivery === undefined) return;
      state.inFlight += 1;
      void push(delivery);
    }
  };
  return {
    planned,
    add: (message) => {
      if (!planned.filter(message.attributes)) return;
      state.ready.push({ message, attempt: 1 });
      pump();
    },
    start: () => {
      state.isRunning = planned.delivery.kind !== "pull";
      pump();
    },
    pull: (limit) => state.ready.splice(0, limit).map((delivery) => ({ ackId: leases.lease(delivery), delivery })),
    acknowledge: (ackIds) => {
      for (const ackId of ackIds) leases.end(ackId);
    },
    backlog: () => state.ready.length + state.waiting.size + state.inFlight + leases.count(),
    stop: () => {
      state.isRunning = false;
      for (const cancel of state.waiting.values()) cancel();
      leases.stop();
    },
  };
}

/** What was pulled and is not acknowledged; whoever is late gives the message back. */
function openLeases(clock: MovableClock, deadlineMs: number, onLate: (delivery: Delivery) => void) {
  const cancels = new Map<string, () => void>();
  const end = (ackId: string) => {
    cancels.get(ackId)?.();
    cancels.delete(ackId);
  };
  return {
    lease: (delivery: Delivery) => {
      const ackId = `${delivery.message.id}-${delivery.attempt}`;
      const late = () => {
        end(ackId);
        onLate(delivery);
      };
      cancels.set(ackId, clock.after(deadlineMs, late));
      return ackId;
    },
    end,
    count: () => cancels.size,
    stop: () => {
      for (const ackId of [...cancels.keys()]) end(ackId);
    },
  };
}

/** Pub/Sub's window grows with success; a laptop's functions are as good as one that has grown. */
const IN_FLIGHT_MAX = 100;

/** The next try and its wait; undefined when the message is buried, or dropped because it is too old. */
function afterRefusal(
  { clock, log, bury }: SubscriptionDependencies,
  planned: PlannedSubscription,
  { message, attempt }: Delivery,
): { delivery: Delivery; waitMs: number } | undefined {
  const { deadLetter, retry, name } = planned;
  if (deadLetter !== undefined && attempt >= deadLetter.attemptsMax) {
    const refusal = bury(planned, { message, attempt });
    if (refusal === undefined) return undefined;
    log("WARNING", "dead letter not forwarded", { subscription: name, messageId: message.id, attempt, refusal });
  }
  const waitMs = Math.min(retry.longestWaitMs, retry.firstWaitMs * 2 ** (attempt - 1));
  if (clock.now() + waitMs - message.publishedAtMs >= planned.retentionMs) {
    log("ERROR", "message dropped: older than its subscription keeps it", {
      subscription: name,
      messageId: message.id,
    });
    return undefined;
  }
  return { delivery: { message, attempt: attempt + 1 }, waitMs };
}
