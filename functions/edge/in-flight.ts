/**
 * Knows the requests a process is working on, so that it can end when the last one has been answered.
 * It must never count a request as done because its client went away: the work behind it still runs (field case F10).
 */

/** The requests in work of one process. */
export interface InFlight {
  /** Runs one request's work and counts it until it settles; `giveUp` answers it at once when the process is crashing. */
  track(work: () => Promise<void>, giveUp: () => void): Promise<void>;
  /** How many are in work now. */
  count(): number;
  /** True once `drain` was called: answers then close their connection. */
  isDraining(): boolean;
  /** From now on the process is ending; resolves as soon as nothing is in work. */
  drain(): Promise<void>;
  /** Answers everything in work at once, for a process that will not live to finish it. */
  giveUpAll(): void;
}

/** Nothing in work yet. */
export function countInFlight(): InFlight {
  const working = new Set<() => void>();
  const waiting: (() => void)[] = [];
  let draining = false;
  return {
    async track(work, giveUp) {
      // A function of its own for each request: two requests may pass the same one.
      const entry = () => giveUp();
      working.add(entry);
      try {
        await work();
      } finally {
        working.delete(entry);
        if (working.size === 0) for (const resolve of waiting.splice(0)) resolve();
      }
    },
    count: () => working.size,
    isDraining: () => draining,
    drain() {
      draining = true;
      return working.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
    giveUpAll() {
      for (const giveUp of working) giveUp();
    },
  };
}
