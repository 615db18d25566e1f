// Keeps the round trips of one request in the order in which they were made.
// It must never time anything: a count is the same on every machine, and only counts are judged.

/** One round trip to a store, or a call that is printed apart. */
export type Trip = {
  readonly store: "cache" | "ledger" | "apart";
  /** The port's method or the RPC, for example `commit`. */
  readonly name: string;
  /** True once it changed something in a store. */
  wrote: boolean;
  /** Its place among all beginnings and ends; a trip that was never closed ended as it began. */
  readonly began: number;
  ended: number;
};

/** The one round trip that finds an account by its API key. */
export const keyLookUp = "API key look-up";

/** What was counted since the last `take`. */
export type Tally = {
  /** Counts a trip, unless the tally is paused, and gives it back so that its outcome can be noted. */
  count(store: Trip["store"], name: string): Trip;
  /** Notes that the answer of a trip is here, so that trips side by side can be told from trips one after another. */
  close(trip: Trip): void;
  /** Counts nothing until `resume`: what other requests do meanwhile is not this one's. */
  pause(): void;
  resume(): void;
  take(): readonly Trip[];
};

/** An empty tally that counts. */
export function newTally(): Tally {
  let trips: Trip[] = [];
  let isPaused = false;
  let moments = 0;
  return {
    count: (store, name) => {
      moments += 1;
      const trip: Trip = { store, name, wrote: false, began: moments, ended: moments };
      if (!isPaused) trips.push(trip);
      return trip;
    },
    close: (trip) => {
      moments += 1;
      trip.ended = moments;
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    take: () => {
      const taken = trips;
      trips = [];
      return taken;
    },
  };
}

/** Trips to the stores: what a budget limits. */
export function storeTrips(trips: readonly Trip[]): readonly Trip[] {
  return trips.filter(({ store }) => store !== "apart");
}

/** How many of the trips a request waits for one after another: the longest row of them in which each began after the last ended. */
export function sequentialTrips(trips: readonly Trip[]): number {
  let [length, lastEnd] = [0, 0];
  for (const { began, ended } of [...trips].sort((one, other) => one.ended - other.ended)) {
    if (began <= lastEnd) continue;
    length += 1;
    lastEnd = ended;
  }
  return length;
}
