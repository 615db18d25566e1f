/**
 * Publishes the events of a commit right after it, beside whatever the request still has to do, and lets a later commit
 * of the same process take their rows from the outbox (design section 6).
 * It must never fail, hold or slow a request by more than its bound, nor take away a row whose event is not published.
 */
import type { PaymentEvent } from "../domain/events.ts";
import type { Change } from "../domain/rows.ts";
import type { Publisher, RenderMessage } from "./bus-ports.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What publishing needs. */
export interface OutletDependencies {
  readonly ledger: Ledger;
  readonly publisher: Publisher;
  readonly render: RenderMessage;
  readonly clock: Clock;
  readonly log: Log;
}

/** One process's way to the bus: it knows what of the outbox it has published and not yet deleted. */
export interface EventOutlet {
  /** For one request. */
  open(): PublishingCommits;
  /** Deletes what is remembered, in a commit of its own: when the process ends. It never rejects. */
  close(): Promise<void>;
}

/** The commits of one request. */
export interface PublishingCommits {
  /** The ledger; every commit through it is published. */
  readonly ledger: Ledger;
  /** Resolves when what was committed is published, or left to the relay; `publishWaitMs` after a commit at the latest. */
  settled(): Promise<void>;
}

/** Makes the outlet; an entry holds one for the life of its instance. */
export function eventOutlet(deps: OutletDependencies): EventOutlet {
  const published = publishedRows(deps);
  const publish = publishing(deps, published);
  return {
    open: () => {
      const waits: Promise<void>[] = [];
      const ledger = publishingLedger(deps.ledger, published, (events) => {
        if (events.length > 0) waits.push(publish(events));
      });
      return { ledger, settled: async () => void (await Promise.all(waits.splice(0))) };
    },
    close: () => published.flush(),
  };
}

/** Longest that an answer waits for the bus, in milliseconds (design section 6); after it the relay has the events. */
export const publishWaitMs = 500;

/** Deletes that one commit carries: a hundred more mutations are far below Spanner's limit of 80,000 and a millisecond's work. */
const carriedMax = 100;

/** Rows remembered at most; what is forgotten is published a second time by the relay, which is harmless. */
const rememberedMax = 10_000;

/**
 * 30 s without a commit that could carry the deletes, half of what the relay waits: then they go by themselves. Where the
 * platform lets no timer run between two requests, the relay publishes the last events of a busy time again.
 */
const idleMs = 30_000;

/** Three failures in a row may be no chance any more; 5 s without a try keep a dead bus from slowing every answer. */
const failuresMax = 3;
const pauseMs = 5_000;

/** The rows of the outbox that are published and still stand. */
interface PublishedRows {
  remember(eventIds: readonly string[]): void;
  /** Rows for one commit to delete; nobody else gets them until they are given back. */
  take(): readonly string[];
  /** They were not deleted. */
  giveBack(eventIds: readonly string[]): void;
  flush(): Promise<void>;
}

function publishedRows({ ledger, clock, log }: OutletDependencies): PublishedRows {
  let remembered: string[] = [];
  let cancelTimer: (() => void) | undefined;
  const keep = (eventIds: readonly string[]) => {
    remembered = [...remembered, ...eventIds].slice(-rememberedMax);
    if (remembered.length > 0) cancelTimer ??= clock.after(idleMs, () => void flush());
  };
  const flush = async () => {
    cancelTimer?.();
    cancelTimer = undefined;
    const rows = remembered.splice(0);
    if (rows.length === 0) return;
    try {
      await ledger.insert("outbox-published", deletesOf(rows));
    } catch (error) {
      log("WARNING", "published events stay in the outbox", { rows: rows.length, reason: reasonOf(error) });
      keep(rows);
    }
  };
  return { remember: keep, take: () => remembered.splice(0, carriedMax), giveBack: keep, flush };
}

/** Publishes and waits, but not longer than the bound; what comes later is remembered all the same. */
function publishing(
  { publisher, render, clock, log }: OutletDependencies,
  published: PublishedRows,
): (events: readonly PaymentEvent[]) => Promise<void> {
  let failuresInARow = 0;
  let pausedUntilMs = 0;
  const fail = (events: readonly PaymentEvent[], reason: string) => {
    failuresInARow += 1;
    if (failuresInARow >= failuresMax) pausedUntilMs = clock.now() + pauseMs;
    log("WARNING", "events left to the relay", { events: events.length, reason });
  };
  return (events) =>
    new Promise((resolve) => {
      if (clock.now() < pausedUntilMs) return resolve();
      let isLeft = false;
      const leave = (reason: string) => {
        if (!isLeft) fail(events, reason);
        isLeft = true;
        resolve();
      };
      const cancel = clock.after(publishWaitMs, () => leave("late"));
      const taken = () => {
        cancel();
        failuresInARow = 0;
        published.remember(events.map(({ id }) => id));
        resolve();
      };
      const refused = (error: unknown) => {
        cancel();
        leave(reasonOf(error));
      };
      const started = (async () => await publisher.publish(events.map(render)))();
      started.then(taken, refused);
    });
}

function publishingLedger(
  ledger: Ledger,
  published: PublishedRows,
  onCommitted: (events: readonly PaymentEvent[]) => void,
): Ledger {
  /** Runs a commit that may carry deletes; `committed` is what it wrote, empty when it wrote nothing. */
  const carrying = async <Result>(
    commit: (deletes: readonly Change[]) => Promise<{ result: Result; committed: readonly Change[] }>,
  ): Promise<Result> => {
    const rows = published.take();
    let done = false;
    try {
      const { result, committed } = await commit(deletesOf(rows));
      done = committed.length > 0;
      onCommitted(publishable(committed));
      return result;
    } finally {
      if (!done) published.giveBack(rows);
    }
  };
  return {
    ...ledger,
    insert: (tag, changes) =>
      carrying(async (deletes) => {
        const result = await ledger.insert(tag, [...changes, ...deletes]);
        return { result, committed: result === "inserted" ? changes : [] };
      }),
    transact: (tag, body) =>
      carrying(async (deletes) => {
        let committed: readonly Change[] = [];
        const result = await ledger.transact(tag, async (scope) => {
          // The body may run again: only what its last run wrote was committed.
          const written: Change[] = [];
          const write = (changes: readonly Change[]) => {
            written.push(...changes);
            scope.write(changes);
          };
          const given = await body({ ...scope, write });
          if (written.length > 0) scope.write(deletes);
          committed = written;
          return given;
        });
        return { result, committed };
      }),
  };
}

function deletesOf(eventIds: readonly string[]): readonly Change[] {
  return eventIds.map((eventId) => ({ op: "delete", table: "outbox", row: { eventId } }));
}

/** The events that a commit put into the outbox. */
function publishable(committed: readonly Change[]): readonly PaymentEvent[] {
  const waiting = new Set(
    committed.flatMap((each) => (each.table === "outbox" && each.op === "insert" ? [each.row.eventId] : [])),
  );
  return committed.flatMap((each) => (each.table === "events" && waiting.has(each.row.id) ? [each.row] : []));
}

/** A code; never the text of a foreign error. */
function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unexpected";
}
