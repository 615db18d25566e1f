// Round trips to the stores per request, beside their budgets; then latency and CPU time of each kind of request.
// It must never time what it counts: the counted stores are other ones than the timed ones.
import type { BenchOutcome } from "./bench.ts";
import { countedAccounts, countedAcquirer, countedCache, countedLedger } from "./count-ports.ts";
import { type Measured, measure } from "./latency.ts";
import { apartLines, budgetFaults, latencyLines, tripLines } from "./report.ts";
import { countRoundTrips, newKey, pay } from "./round-trips.ts";
import { openService, type Stores } from "./service.ts";
import { newTally, type Tally } from "./tally.ts";

type Say = (line: string) => void;

/** On stores in memory, counted at the ports. */
export async function benchRequests(say: Say): Promise<BenchOutcome> {
  const { openEmbeddedStores } = await import("../embedded-stores.ts");
  const stores = await openEmbeddedStores();
  const tally = newTally();
  const counted: Stores = {
    ...stores,
    ledger: countedLedger(stores.ledger, tally),
    cache: countedCache(stores.cache, tally),
    accounts: countedAccounts(stores.accounts, tally),
    acquirer: countedAcquirer(stores.acquirer, tally),
  };
  say("Stores in memory; round trips as the ports declare them.");
  return await bench(say, { counted, plain: stores, tally }, { sequential: 300, concurrent: 960 });
}

/** On Google's emulators, counted as the calls that the real clients send. */
export async function benchOnEmulators(say: Say): Promise<BenchOutcome> {
  const [{ countRpcs }, { openEmulatorStores }] = await Promise.all([
    import("./count-rpcs.ts"),
    import("./emulator-stores.ts"),
  ]);
  const tally = newTally();
  countRpcs(tally);
  const stores = await openEmulatorStores();
  try {
    const counted = { ...stores, acquirer: countedAcquirer(stores.acquirer, tally) };
    say("Google's emulators; round trips are the calls that the real clients sent.");
    // The emulator reads slower with every row, and of many read-write transactions at once it aborts all but one: so a
    // few requests one after another will do.
    return await bench(say, { counted, plain: stores, tally }, { sequential: 60, concurrent: 0 });
  } finally {
    await stores.close();
  }
}

/** Counts over `counted`, then times over `plain`, which carries no counting. */
async function bench(
  say: Say,
  { counted, plain, tally }: { counted: Stores; plain: Stores; tally: Tally },
  sizes: { sequential: number; concurrent: number },
): Promise<BenchOutcome> {
  const trips = await countRoundTrips(openService(counted), tally);
  tally.pause();
  say("Round trips to the stores");
  for (const line of tripLines(trips)) say(line);
  say("Apart");
  for (const line of apartLines(trips)) say(line);
  const times = await timeRequests(plain, sizes);
  say("Times of this machine, now, without HTTP; CPU time is that of the whole process");
  for (const line of latencyLines(times)) say(line);
  const [payment, replay] = times;
  if (payment !== undefined && replay !== undefined) {
    const share = (one: number, other: number) => `${Math.round((100 * one) / other)} %`;
    const { p50Ms, cpuMs } = replay;
    say(
      `a replay takes ${share(p50Ms, payment.p50Ms)} of a new payment's time and ${share(cpuMs, payment.cpuMs)} of its CPU time`,
    );
  }
  return { figures: { trips, times }, faults: budgetFaults(trips) };
}

async function timeRequests(stores: Stores, sizes: { sequential: number; concurrent: number }): Promise<Measured[]> {
  const service = openService(stores);
  const key = newKey();
  const payment = { name: "new payment", send: () => pay(service, newKey()) };
  const replay = { name: "replay", send: () => pay(service, key) };
  const isNew = ({ status, replayed }: { status: number; replayed: boolean }) => status === 200 && !replayed;
  const isReplay = ({ status, replayed }: { status: number; replayed: boolean }) => status === 200 && replayed;
  await pay(service, key);
  // Before anything is timed, the machine's compiler has to see the code a few times.
  await measure({ ...payment, requests: 50, atOnce: 1 }, isNew);
  const oneByOne = [
    await measure({ ...payment, requests: sizes.sequential, atOnce: 1 }, isNew),
    await measure({ ...replay, requests: sizes.sequential, atOnce: 1 }, isReplay),
  ];
  if (sizes.concurrent === 0) return oneByOne;
  return [
    ...oneByOne,
    await measure({ ...payment, requests: sizes.concurrent, atOnce: 16 }, isNew),
    await measure({ ...replay, requests: sizes.concurrent, atOnce: 16 }, isReplay),
  ];
}
