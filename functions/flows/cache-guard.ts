/**
 * Keeps a slow, broken or forbidden cache from holding or failing a request (design section 4.1).
 * It must never reject and never wait longer than its deadline: `unknown` means that the ledger alone guards.
 */
import { hasCode } from "../domain/errors.ts";
import type { Clock, GuardedCache, IdempotencyCache, Log, Unknown } from "./ports.ts";

/** The cache with a deadline of `deadlineMs` for each call, and a breaker over all of them. */
export function guardCache(deps: GuardDependencies, limits: { readonly deadlineMs: number }): GuardedCache {
  const { cache, clock, log } = deps;
  const breaker = makeBreaker(clock, log);
  const noteRefusal = makeRefusalLog(log);
  const untilLate = makeDeadlines(clock, limits.deadlineMs);

  const guarded = async <Answer>(operation: string, call: () => Promise<Answer>): Promise<Answer | Unknown> => {
    const pass = breaker.enter();
    if (pass === "refused") return unknown;
    const ending = await endingWithin(untilLate, call);
    breaker.leave(pass, ending.kind === "answered");
    noteRefusal(ending);
    if (ending.kind === "answered") return ending.answer;
    log("WARNING", "cache call without an answer", {
      operation,
      reason: reasonOf(ending),
      deadlineMs: limits.deadlineMs,
    });
    return unknown;
  };

  return {
    claim: (keyHash, record) => guarded("claim", () => cache.claim(keyHash, record)),
    read: (keyHash) =>
      guarded("read", async () => {
        const found = await cache.read(keyHash);
        return found === undefined ? ({ kind: "none" } as const) : ({ kind: "found", ...found } as const);
      }),
    replace: (keyHash, version, record) => guarded("replace", () => cache.replace(keyHash, version, record)),
  };
}

/** What the guard needs. */
export interface GuardDependencies {
  readonly cache: IdempotencyCache;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Three: one failure may be chance, and a request makes about three cache calls, so at 300 ms each a dead cache holds
 * the first request for less than a second and the following ones not at all.
 */
const failuresMax = 3;

/** 5 s: a dead cache costs one request in five seconds one deadline, and one that came back is used again within five. */
const openMs = 5_000;

const unknown: Unknown = { kind: "unknown" };

/** How one call ended, as far as the request could wait for it. */
type Ending<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "late" };

/** Waits for a call until its deadline; what it answers later, also a rejection, is received and dropped. */
function endingWithin<Answer>(untilLate: UntilLate, call: () => Promise<Answer>): Promise<Ending<Answer>> {
  return new Promise((resolve) => {
    const cancel = untilLate(() => resolve({ kind: "late" }));
    const fail = (error: unknown) => {
      cancel();
      resolve({ kind: "failed", error });
    };
    // Every request passes here two or three times, so no promise is made that nobody needs.
    try {
      call().then((answer) => {
        cancel();
        resolve({ kind: "answered", answer });
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Calls back at the deadline of a call that begins now, unless what it gives is called once before. */
type UntilLate = (isLate: () => void) => () => void;

/**
 * One timer for all calls that begin in the same millisecond: setting and clearing one for each was an eighth of the CPU
 * time of the idempotent path. It is cleared when the last of them has its answer.
 */
function makeDeadlines(clock: Clock, deadlineMs: number): UntilLate {
  let newest: Batch | undefined;
  const open = (beganMs: number): Batch => {
    const late: (() => void)[] = [];
    const clear = clock.after(deadlineMs, () => {
      for (const isLate of late) isLate();
    });
    return { beganMs, late, running: 0, clear };
  };
  return (isLate) => {
    const nowMs = clock.now();
    if (newest === undefined || newest.running === 0 || newest.beganMs !== nowMs) newest = open(nowMs);
    const batch = newest;
    batch.late.push(isLate);
    batch.running += 1;
    return () => {
      batch.running -= 1;
      if (batch.running === 0) batch.clear();
    };
  };
}

/** Calls under one timer. */
interface Batch {
  readonly beganMs: number;
  readonly late: (() => void)[];
  running: number;
  readonly clear: () => void;
}

type Breaker = { enter(): "normal" | "trial" | "refused"; leave(pass: "normal" | "trial", answered: boolean): void };

/** Closed, or open until a time; after that one call at a time tries whether the cache is back. */
function makeBreaker(clock: Clock, log: Log): Breaker {
  let failuresInARow = 0;
  let openUntilMs: number | undefined;
  let trialRuns = false;
  const open = (message: string) => {
    openUntilMs = clock.now() + openMs;
    log("WARNING", message, { openMs });
  };
  return {
    enter: () => {
      if (openUntilMs === undefined) return "normal";
      if (trialRuns || clock.now() < openUntilMs) return "refused";
      trialRuns = true;
      return "trial";
    },
    leave: (pass, answered) => {
      if (pass === "trial") {
        trialRuns = false;
        if (!answered) return open("cache breaker stays open");
        openUntilMs = undefined;
        failuresInARow = 0;
        return log("INFO", "cache breaker closed");
      }
      // A call that began before the breaker opened says nothing about the time after: only a trial does.
      if (openUntilMs !== undefined) return;
      failuresInARow = answered ? 0 : failuresInARow + 1;
      if (failuresInARow >= failuresMax) open("cache breaker opened");
    },
  };
}

/** A missing grant is nothing that time heals, so its begin is an ERROR for an operator, once; its end is told too. */
function makeRefusalLog(log: Log): (ending: Ending<unknown>) => void {
  let refused = false;
  return (ending) => {
    const refusedNow = ending.kind === "failed" && hasCode(ending.error, "permission_denied");
    if (refusedNow && !refused)
      log("ERROR", "the cache refuses this function: grant missing", { code: "permission_denied" });
    if (ending.kind === "answered" && refused) log("INFO", "the cache accepts this function again");
    if (refusedNow || ending.kind === "answered") refused = refusedNow;
  };
}

/** A code, or that the deadline passed; never the text of a foreign error. */
function reasonOf(ending: Exclude<Ending<unknown>, { kind: "answered" }>): string {
  if (ending.kind === "late") return "late";
  const { error } = ending;
  return error instanceof Error && "code" in error ? String(error.code) : "unexpected";
}
