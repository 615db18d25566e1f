// Round trips to the stores per request, beside their budgets; then latency and CPU time of each kind of request.
// It must never time what it counts: the counted stores are other ones than the timed ones.
import type { BenchOutcome } from "./bench.ts";
import { benchCpuShare } from "./client-share.ts";
import { countedAccounts, countedAcquirer, countedCache, countedLedger } from "./count-ports.ts";
import { type Measured, measure } from "./latency.ts";
import { apartLines, budgetFaults, latencyLines, tripLines } from "./report.ts";
import { countRoundTrips, declined, newKey, pay } from "./round-trips.ts";
import { openService, type Reply, type Service, type Stores } from "./service.ts";
import { newTally, sequentialTrips, storeTrips, type Tally } from "./tally.ts";
import { measureTwins } from "./twins.ts";

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
    const outcome = await bench(say, { counted, plain: stores, tally }, { sequential: 60, concurrent: 0 });
    return { ...outcome, figures: { ...(outcome.figures as object), cpu: await benchCpuShare(say, stores) } };
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
  say("a twin's time and CPU time are its own: its pause of 100 ms is in the time, its payment is in neither");
  const [payment, ...others] = times.filter(({ atOnce }) => atOnce === 1);
  const share = (one: number, other = Number.NaN) => `${Math.round((100 * one) / other)} %`;
  for (const { name, p50Ms, cpuMs } of others) {
    // The time of a twin is mostly that of its pause.
    const time = name === "twin" ? "" : `${share(p50Ms, payment?.p50Ms)} of a new payment's time and `;
    say(
      `a ${name} takes ${time}${share(cpuMs, payment?.cpuMs)} of ${time === "" ? "a new payment's" : "its"} CPU time`,
    );
  }
  const counts = trips.map((each) => ({ ...each, oneByOne: sequentialTrips(storeTrips(each.trips)) }));
  return { figures: { trips: counts, times }, faults: budgetFaults(trips) };
}

/** The four kinds, one after another and, where `concurrent` says so, many at once. */
async function timeRequests(stores: Stores, sizes: { sequential: number; concurrent: number }): Promise<Measured[]> {
  const service = openService(stores);
  const key = newKey();
  await pay(service, key);
  const kinds = [
    { name: "new payment", send: () => pay(service, newKey()), isRight: answered(200, false) },
    { name: "replay", send: () => pay(service, key), isRight: answered(200, true) },
    { name: "mismatch", send: () => pay(service, key, declined), isRight: answered(400, false) },
  ];
  // Before anything is timed, the machine's compiler has to see the code a few times.
  for (const kind of kinds) await measure({ ...kind, requests: 50, atOnce: 1 }, kind.isRight);
  const times: Measured[] = [];
  for (const [requests, atOnce] of [
    [sizes.sequential, 1],
    [sizes.concurrent, 16],
  ] as const) {
    if (requests === 0) continue;
    for (const kind of kinds) times.push(await measure({ ...kind, requests, atOnce }, kind.isRight));
    // A twin waits by the clock, so a third of the requests will do.
    const twins = Math.ceil(requests / 3);
    const both = { name: "payment and its twin", requests: twins, atOnce, send: () => payTwice(service) };
    times.push(atOnce === 1 ? await measureTwins(service, twins) : await measure(both, answered(200, true)));
  }
  return times;
}

/** A payment and, at the same time, its twin; gives the twin's answer, which is always the later one. */
async function payTwice(service: Service): Promise<Reply> {
  const key = newKey();
  const [one, other] = await Promise.all([pay(service, key), pay(service, key)]);
  return one.replayed ? one : other;
}

function answered(status: number, replayed: boolean): (reply: Reply) => boolean {
  return (reply) => reply.status === status && reply.replayed === replayed;
}
