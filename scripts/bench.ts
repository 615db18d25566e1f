// `npm run bench`: round trips to the stores per request, beside their budgets; then latency and CPU time.
// It must never fail because a machine is slow: only a count over its budget ends it with an error.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { countedAccounts, countedAcquirer, countedCache, countedLedger } from "./bench/count-ports.ts";
import { type Measured, measure } from "./bench/latency.ts";
import { apartLines, budgetFaults, latencyLines, tripLines } from "./bench/report.ts";
import { countRoundTrips, newKey, pay } from "./bench/round-trips.ts";
import { openService, type Stores } from "./bench/service.ts";
import { newTally } from "./bench/tally.ts";
import { openEmbeddedStores } from "./embedded-stores.ts";

/** On stores in memory, counted at the ports. */
async function benchEmbedded(): Promise<readonly string[]> {
  const stores = await openEmbeddedStores();
  const tally = newTally();
  const counted: Stores = {
    ...stores,
    ledger: countedLedger(stores.ledger, tally),
    cache: countedCache(stores.cache, tally),
    accounts: countedAccounts(stores.accounts, tally),
    acquirer: countedAcquirer(stores.acquirer, tally),
  };
  console.log("Stores in memory; round trips as the ports declare them (--emulators counts the real clients' calls).");
  return await bench(counted, stores, tally, { sequential: 300, concurrent: 960 });
}

/** On Google's emulators, counted as the calls that the real clients send. */
async function benchOnEmulators(): Promise<readonly string[]> {
  const [{ countRpcs }, { openEmulatorStores }] = await Promise.all([
    import("./bench/count-rpcs.ts"),
    import("./bench/emulator-stores.ts"),
  ]);
  const tally = newTally();
  countRpcs(tally);
  const stores = await openEmulatorStores();
  try {
    const counted = { ...stores, acquirer: countedAcquirer(stores.acquirer, tally) };
    console.log("Google's emulators; round trips are the calls that the real clients sent.");
    // The emulator reads slower with every row, and of many read-write transactions at once it aborts all but one: so a
    // few requests one after another will do.
    return await bench(counted, stores, tally, { sequential: 60, concurrent: 0 });
  } finally {
    await stores.close();
  }
}

/** Counts over `counted`, then times over `plain`, which carries no counting. */
async function bench(
  counted: Stores,
  plain: Stores,
  tally: ReturnType<typeof newTally>,
  sizes: { sequential: number; concurrent: number },
): Promise<readonly string[]> {
  const trips = await countRoundTrips(openService(counted), tally);
  tally.pause();
  console.log("\nRound trips to the stores");
  for (const line of tripLines(trips)) console.log(line);
  console.log("Apart");
  for (const line of apartLines(trips)) console.log(line);
  const times = await timeRequests(plain, sizes);
  console.log("\nTimes of this machine, now, without HTTP; CPU time is that of the whole process");
  for (const line of latencyLines(times)) console.log(line);
  const [payment, replay] = times;
  if (payment !== undefined && replay !== undefined) {
    const share = (one: number, other: number) => `${Math.round((100 * one) / other)} %`;
    const { p50Ms, cpuMs } = replay;
    console.log(
      `  a replay takes ${share(p50Ms, payment.p50Ms)} of a new payment's time and ${share(cpuMs, payment.cpuMs)} of its CPU time`,
    );
  }
  return budgetFaults(trips);
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

/** Runs this bench again with the emulators up; returns its exit code. */
async function rerunWithEmulators(): Promise<number> {
  const withEmulators = path.join(import.meta.dirname, "../local/with-emulators.ts");
  const args = [withEmulators, "--", process.execPath, import.meta.filename];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.some((argument) => argument !== "--emulators")) {
    console.error("usage: npm run bench [-- --emulators]");
    return 2;
  }
  const hasEmulators = Boolean(process.env["SPANNER_EMULATOR_HOST"]);
  if (args.includes("--emulators") && !hasEmulators) return await rerunWithEmulators();
  const faults = hasEmulators ? await benchOnEmulators() : await benchEmbedded();
  for (const fault of faults) console.error(`OVER BUDGET: ${fault}`);
  console.log(faults.length === 0 ? "\nall round trips within their budgets" : "");
  return faults.length === 0 ? 0 : 1;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
