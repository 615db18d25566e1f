// What it costs to be seen: CPU time that log lines and traces add to a payment and a replay, and to a cold start.
// It must never compare what ran minutes apart: all ways take turns in one process, in shuffled rounds.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { tracedLog } from "../../functions/adapters/trace-log.ts";
import { type Tracing, tracingWith } from "../../functions/adapters/trace-open.ts";
import { exportRequest } from "../../functions/adapters/trace-otlp.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { tracedHandler } from "../../functions/edge/traced-handler.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import { eventOutlet } from "../../functions/flows/publish-commits.ts";
import type { FinishedSpan } from "../../functions/flows/trace-ports.ts";
import type { BenchOutcome } from "./bench.ts";
import { table } from "./report.ts";
import type { Stores } from "./service.ts";
import { median, shuffled } from "./statistics.ts";

type Say = (line: string) => void;

/** The part `tracing`: requests on stores in memory, where nothing hides the cost, and a cold start. */
export async function benchTracing(say: Say): Promise<BenchOutcome> {
  const { openEmbeddedStores } = await import("../embedded-stores.ts");
  say("Stores in memory: a request is nothing but our own code, so shares are as large as they can be.");
  const requests = await timeWays(say, await openEmbeddedStores(), { requests: 100, rounds: 15 });
  return { figures: { requests, coldStart: await timeStarts(say) }, faults: [] };
}

/** The part `tracing-on-emulators`: the same requests through the real clients, whose CPU time is a request's in the cloud. */
export async function benchTracingOnEmulators(say: Say): Promise<BenchOutcome> {
  const { openEmulatorStores } = await import("./emulator-stores.ts");
  const stores = await openEmulatorStores();
  try {
    say("Google's emulators through the real clients.");
    return { figures: await timeWays(say, stores, { requests: 10, rounds: 9 }), faults: [] };
  } finally {
    await stores.close();
  }
}

/** `off` neither logs nor traces; the share of production records one trace in twenty; the last records and encodes all. */
const ways: readonly { name: string; sampleRatio: number | null; logs: boolean }[] = [
  { name: "off", sampleRatio: null, logs: false },
  { name: "log lines", sampleRatio: null, logs: true },
  { name: "log lines, traces at 0.05", sampleRatio: 0.05, logs: true },
  { name: "log lines, every trace", sampleRatio: 1, logs: true },
];

async function timeWays(say: Say, stores: Stores, sizes: { requests: number; rounds: number }) {
  const opened = ways.map((way) => ({
    way,
    open: openApi(stores, way),
    payUs: [] as number[],
    replayUs: [] as number[],
  }));
  // The first two rounds are for the machine's compiler.
  const began = performance.now();
  for (let round = -2; round < sizes.rounds; round += 1) {
    if (round > roundsMin && performance.now() - began > roundsMsMax) break;
    for (const { open, payUs, replayUs } of shuffled(opened)) {
      const keys = Array.from({ length: sizes.requests }, () => systemRandom.token());
      const paid = await cpuUsOf(open, stores, keys);
      const replayed = await cpuUsOf(open, stores, keys);
      if (round < 0) continue;
      payUs.push(paid);
      replayUs.push(replayed);
    }
  }
  const figures = opened.map(({ way, payUs, replayUs }) => ({
    ...{ name: way.name, paymentCpuUs: median(payUs), replayCpuUs: median(replayUs) },
  }));
  const [off] = figures;
  const added = (us: number, offUs = Number.NaN) => `${(((us - offUs) / offUs) * 100).toFixed(1)} %`;
  const rows = figures.map(({ name, paymentCpuUs, replayCpuUs }) => [
    ...[name, paymentCpuUs.toFixed(0), added(paymentCpuUs, off?.paymentCpuUs)],
    ...[replayCpuUs.toFixed(0), added(replayCpuUs, off?.replayCpuUs)],
  ]);
  say(
    `CPU time of a request in millionths of a second: medians of ${opened[0]?.payUs.length} shuffled rounds of ${sizes.requests}`,
  );
  for (const line of table([["", "payment", "added", "replay", "added"], ...rows], [1, 2, 3, 4])) say(line);
  return figures;
}

/** At least so many; no round begins after so many milliseconds. */
const [roundsMin, roundsMsMax] = [3, 40_000];

/** CPU time of one request, the encoding of its spans included. */
async function cpuUsOf({ handler, encode }: Opened, { apiKey }: Stores, keys: readonly string[]): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (const key of keys) {
    const headers = new Map<string, readonly string[]>([
      ["authorization", [`Bearer ${apiKey}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
      ["idempotency-key", [key]],
    ]);
    const { status } = await handler({ method: "POST", target: "/v1/payment_intents", headers, body: payForm });
    if (status !== 200) throw new Error(`a payment was answered with ${status}`);
  }
  encode();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / keys.length;
}

const payForm = Buffer.from("amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa");

type Opened = { handler: WireHandler; encode: () => void };

function openApi(stores: Stores, { sampleRatio, logs }: (typeof ways)[number]): Opened {
  let spans: FinishedSpan[] = [];
  const sink = (span: FinishedSpan) => void spans.push(span);
  // Rendered and thrown away: a full screen is not part of the cost.
  const log = logs
    ? tracedLog({ service: "payments-api", projectId: "p" }, (line) => void JSON.stringify(line))
    : () => {};
  const now = () => performance.timeOrigin + performance.now();
  const tracing: Tracing | undefined =
    sampleRatio === null ? undefined : tracingWith({ service: "payments-api", sampleRatio, now, sink, log });
  const watch = tracing?.watch ?? (<Ports>(ports: Ports) => ports);
  const { ledger, publisher, ...ports } = watch({
    ...{ ledger: stores.ledger, cache: stores.cache, accounts: stores.accounts, acquirer: stores.acquirer },
    ...{ balances: stores.balances, stories: stores.stories, publisher: memoryPublisher() },
  });
  const machine = { clock: systemClock, random: systemRandom, log, tracer: tracing?.tracer };
  const outlet = eventOutlet({ ...machine, ledger, publisher, render: busMessageOf });
  const api = paymentsApi({ ...ports, ...machine, ledger, outlet, webhooks: stores.webhooks }, unhurried);
  const encode = () => {
    if (spans.length > 0) exportRequest({ "service.name": "payments-api" }, spans);
    spans = [];
  };
  return { handler: tracing === undefined ? api : tracedHandler(tracing.tracer, api), encode };
}

/** A first call to an emulator can take seconds, and a cache that was given up would be another kind of request. */
const unhurried = { ...defaultTimings, cacheDeadlineMs: 10_000 };

/** Starts of each kind that count. */
const startsMax = 11;

/** CPU milliseconds of a process that does nothing, and of one that opens tracing with the clients' spans. */
async function timeStarts(say: Say) {
  const folder = mkdtempSync(path.join(tmpdir(), "tracing-"));
  try {
    const source = path.join(import.meta.dirname, "../../functions/adapters/trace-with-clients.ts");
    const settings = `{ projectId: "p", sampleRatio: 1, collectorUrl: "http://127.0.0.1:9", revision: undefined }`;
    const codes = {
      nothing: "",
      tracing: `import { openTracingWithClients } from ${JSON.stringify(source)}; openTracingWithClients("x", ${settings});`,
    };
    for (const [name, code] of Object.entries(codes)) {
      writeFileSync(path.join(folder, `${name}.ts`), code);
      const outfile = path.join(folder, `${name}.cjs`);
      const entryPoints = [path.join(folder, `${name}.ts`)];
      const nodePaths = [path.join(import.meta.dirname, "../../node_modules")];
      await build({ entryPoints, outfile, nodePaths, bundle: true, minify: true, platform: "node", format: "cjs" });
    }
    const taken = { nothing: [] as number[], tracing: [] as number[] };
    for (let start = 0; start <= startsMax; start += 1) {
      for (const name of shuffled(["nothing", "tracing"] as const)) {
        const told = `require("./${name}.cjs"); const { user, system } = process.cpuUsage(); console.log(user + system);`;
        const cpuUs = Number(execFileSync(process.execPath, ["-e", told], { cwd: folder, encoding: "utf8" }));
        // The first one fills the page cache.
        if (start > 0) taken[name].push(cpuUs / 1_000);
      }
    }
    const figures = { nothingCpuMs: median(taken.nothing), tracingCpuMs: median(taken.tracing) };
    const added = figures.tracingCpuMs - figures.nothingCpuMs;
    say(
      `a process takes ${figures.nothingCpuMs.toFixed(0)} ms of CPU to start, and ${added.toFixed(1)} ms more with log,`,
    );
    say(
      `tracer and the clients' spans (medians of ${startsMax}); the part cold-start has what all of payments-api takes`,
    );
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
