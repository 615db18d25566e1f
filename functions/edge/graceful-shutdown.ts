/**
 * Ends a function's process the way Cloud Run asks for: no new requests, the running ones answered, clients closed, gone.
 * It must never outlive its bound, nor end while a payment's request is still in work within it.
 */
import process from "node:process";
import { setTimeout as waitMs } from "node:timers/promises";
import type { InstalledDoor } from "./install-front-door.ts";

/** What an ending process still does. */
export interface ShutdownOptions {
  /** Run when nothing is in work any more: close clients, take back what is remembered. */
  readonly onDrained?: () => Promise<unknown>;
  /** Longest time from the signal to the end, in milliseconds. */
  readonly boundMs?: number;
}

/** 9 s: Cloud Run kills 10 s after SIGTERM, and one second is kept for a busy machine. */
const defaultBoundMs = 9_000;

/** Cloud Run sends SIGTERM, a terminal's Ctrl-C SIGINT; both mean the same to a function. */
const signals = ["SIGTERM", "SIGINT"] as const;

/**
 * From now on SIGTERM and SIGINT end this process gracefully: exit code 0, or 1 when the bound cut something off.
 * To be called once per process, at the top level of an entry.
 */
export function shutDownGracefully(door: InstalledDoor, options: ShutdownOptions = {}): void {
  let ending = false;
  const onSignal = () => {
    // A second signal (npm passes Ctrl-C on to a child that already has it) changes nothing: the bound ends it anyway.
    if (ending) return;
    ending = true;
    endProcess(door, options);
  };
  for (const signal of signals) own(signal, onSignal);
}

/** For `onDrained`: closes the first, which still uses the others, and then those that there are, all at once. */
export function closing(first: Closable, ...others: readonly (Closable | undefined)[]): () => Promise<unknown> {
  return async () => {
    await first.close();
    await Promise.all(others.map((other) => other?.close()));
  };
}

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Makes `listener` the only one of a signal, now and later. The Functions Framework ends the process at once from its own
 * listener, and importing the Spanner package adds one that does nothing (facts on the Spanner client, 2.12).
 */
function own(signal: NodeJS.Signals, listener: () => void): void {
  process.removeAllListeners(signal);
  process.on(signal, listener);
  process.on("newListener", (event, added) => {
    // The event is emitted before the listener is added, so it can only be removed afterwards.
    if (event === signal && added !== listener) process.nextTick(() => process.removeListener(signal, added));
  });
}

function endProcess(door: InstalledDoor, { onDrained, boundMs = defaultBoundMs }: ShutdownOptions): void {
  setTimeout(() => {
    log("ERROR", "cut off by the bound", { inFlight: door.inFlight.count(), boundMs });
    process.exit(1);
  }, boundMs);
  drain(door)
    .then(() => onDrained?.())
    .then(
      () => process.exit(0),
      (error: unknown) => {
        log("ERROR", "closing failed", { error: error instanceof Error ? error.name : typeof error });
        process.exit(1);
      },
    );
}

/** Stops accepting (idle connections close, busy ones after their answer) and waits for the requests in work. */
async function drain(door: InstalledDoor): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    const server = door.server();
    if (server === undefined) resolve();
    else server.close(() => resolve());
  });
  await door.inFlight.drain();
  await Promise.race([closed, waitMs(lastArrivalsMs)]);
  await door.inFlight.drain();
}

/** 250 ms: a request whose first bytes are on their way still gets counted; then silence on a connection is taken for idle. */
const lastArrivalsMs = 250;

function log(severity: "ERROR", message: string, fields: Readonly<Record<string, string | number>>): void {
  process.stderr.write(`${JSON.stringify({ severity, message, ...fields })}\n`);
}
