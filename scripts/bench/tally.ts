// Keeps the round trips of one request in the order in which they were made.
// It must never time anything: a count is the same on every machine, and only counts are judged.

/** One round trip to a store, or a call that is printed apart. */
export type Trip = {
  readonly store: "cache" | "ledger" | "apart";
  /** The port's method or the RPC, for example `commit`. */
  readonly name: string;
  /** True once it changed something in a store. */
  wrote: boolean;
};

/** The one round trip that finds an account by its API key. */
export const keyLookUp = "API key look-up";

/** What was counted since the last `take`. */
export type Tally = {
  /** Counts a trip, unless the tally is paused, and gives it back so that its outcome can be noted. */
  count(store: Trip["store"], name: string): Trip;
  /** Counts nothing until `resume`: what other requests do meanwhile is not this one's. */
  pause(): void;
  resume(): void;
  take(): readonly Trip[];
};

/** An empty tally that counts. */
export function newTally(): Tally {
  let trips: Trip[] = [];
  let isPaused = false;
  return {
    count: (store, name) => {
      const trip = { store, name, wrote: false };
      if (!isPaused) trips.push(trip);
      return trip;
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
