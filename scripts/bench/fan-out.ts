// Webhooks: one event to many endpoints, many events over real HTTP through four queue shards, and what a backlog costs.
// It must never judge a speed; that the counts of a delivery do not grow with the backlog is a test's affair too.
import { once } from "node:events";
import http from "node:http";
import { egressGuard } from "../../functions/adapters/egress.ts";
import { systemClock } from "../../functions/adapters/system.ts";
import { parseLoopbackOrigins } from "../../functions/domain/webhook-url.ts";
import type { Egress } from "../../functions/flows/egress-ports.ts";
import type { BenchOutcome } from "./bench.ts";
import { type Counts, openPlace } from "./fan-out/place.ts";
import { table } from "./report.ts";

const endpointsOfOne = 16;
const [events, accounts, shards] = [10_000, 100, 4];
/** Calls in flight of one queue: what a small machine's sockets bear; a queue in the cloud has a hundred. */
const concurrentMax = 16;
/** Each backlog's first so many tasks are run and counted. */
const sample = 1_000;
const backlogs = [100, 1_000, 10_000, 100_000];
/** A larger backlog is left out, and that is said, when the ones before it took this long. */
const backlogMsMax = 45_000;

/** The part `fan-out`. */
export async function benchFanOut(say: (line: string) => void): Promise<BenchOutcome> {
  const receiver = await openReceiver();
  try {
    const one = await toManyEndpoints(say, receiver.url);
    const many = await manyEvents(say, receiver);
    return { figures: { one, many, backlog: await growBacklog(say) }, faults: [] };
  } finally {
    await receiver.close();
  }
}

/** A merchant on this machine that answers 200 to everything. */
async function openReceiver() {
  let received = 0;
  const server = http.createServer((request, response) => {
    request.resume().once("end", () => {
      received += 1;
      response.end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, received: () => received, close };
}

const guard: Egress = egressGuard({
  urls: { httpAllowed: true, loopback: parseLoopbackOrigins("http://127.0.0.1:*") },
});

async function toManyEndpoints(say: (line: string) => void, url: string) {
  const place = openPlace({ clock: systemClock, egress: guard, shards, concurrentMax });
  for (let index = 0; index < endpointsOfOne; index += 1) await place.register("acct_1", `${url}/${index}`);
  place.counts.clear();
  const began = performance.now();
  await place.fanOut("evt_1", "acct_1");
  const fannedOutMs = performance.now() - began;
  await place.drain();
  const deliveredMs = performance.now() - began;
  say(`One event to ${endpointsOfOne} endpoints: fanned out in ${ms(fannedOutMs)}, delivered in ${ms(deliveredMs)}`);
  return {
    endpoints: endpointsOfOne,
    fannedOutMs,
    deliveredMs,
    perDelivery: perDelivery(place.counts, endpointsOfOne),
  };
}

async function manyEvents(say: (line: string) => void, receiver: { url: string; received: () => number }) {
  const place = openPlace({ clock: systemClock, egress: guard, shards, concurrentMax });
  for (let index = 0; index < accounts; index += 1) await place.register(`acct_${index}`, `${receiver.url}/${index}`);
  place.counts.clear();
  globalThis.gc?.();
  const [before, memoryBefore, cpuBefore] = [receiver.received(), process.memoryUsage().rss, process.cpuUsage()];
  const began = performance.now();
  for (let event = 0; event < events; event += accounts) {
    const batch = Array.from({ length: accounts }, (_, account) =>
      place.fanOut(`evt_${event + account}`, `acct_${account}`),
    );
    await Promise.all(batch);
  }
  const fannedOutMs = performance.now() - began;
  await place.drain();
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const memoryBytes = process.memoryUsage().rss - memoryBefore;
  const delivered = receiver.received() - before;
  const figures = {
    ...{ events, accounts, shards, delivered, seconds, deliveriesPerSecond: delivered / seconds, memoryBytes },
    ...{ fanOutsPerSecond: (events * 1_000) / fannedOutMs, cpuMsPerDelivery: (user + system) / 1_000 / events },
    ...{ outcomes: Object.fromEntries(place.outcomes), perDelivery: perDelivery(place.counts, events) },
  };
  say(
    `${events} events over ${accounts} accounts, ${shards} shards, real HTTP on this machine, receiver in this process:`,
  );
  say(
    `  ${figures.deliveriesPerSecond.toFixed(0)} deliveries/s, fan-out alone ${figures.fanOutsPerSecond.toFixed(0)} events/s, ${figures.cpuMsPerDelivery.toFixed(2)} ms of CPU each, ${(memoryBytes / 2 ** 20).toFixed(0)} MiB more`,
  );
  say(`  ${delivered} received; outcomes: ${JSON.stringify(figures.outcomes)}`);
  say(`  calls per delivery: ${JSON.stringify(figures.perDelivery)}`);
  return figures;
}

/** Deliveries wait in virtual time: the clock stands, and a receiver answers at once. */
async function growBacklog(say: (line: string) => void) {
  const rows: { backlog: number; cpuUsPerDelivery: number; callsPerDelivery: number; memoryBytes: number }[] = [];
  const began = performance.now();
  for (const backlog of backlogs) {
    if (performance.now() - began > backlogMsMax) {
      say(`LEFT OUT: a backlog of ${backlog}, this machine is too busy`);
      continue;
    }
    rows.push(await costIn(backlog));
  }
  say(`What a delivery costs in a backlog (virtual time, ${accounts} accounts, the first ${sample} run):`);
  const head = ["waiting", "CPU us each", "calls each", "MiB"];
  const cells = rows.map((row) => [
    ...[String(row.backlog), row.cpuUsPerDelivery.toFixed(0), row.callsPerDelivery.toFixed(2)],
    (row.memoryBytes / 2 ** 20).toFixed(0),
  ]);
  for (const line of table([head, ...cells], [0, 1, 2, 3])) say(line);
  return rows;
}

/** Fans out `backlog` events and runs the first of their tasks. */
export async function costIn(backlog: number) {
  const atMs = Date.UTC(2026, 0, 15, 12, 0, 0);
  const clock = { now: () => atMs, sleep: async () => {}, after: () => () => {} };
  const answer = {
    kind: "answered",
    status: 200,
    retryAfter: null,
    excerpt: "",
    bodyEnd: "complete",
    durationMs: 1,
  } as const;
  const place = openPlace({ clock, egress: { post: async () => answer }, shards, concurrentMax });
  for (let index = 0; index < accounts; index += 1) await place.register(`acct_${index}`, "https://shop.example/");
  for (let event = 0; event < backlog; event += accounts) {
    const size = Math.min(accounts, backlog - event);
    await Promise.all(
      Array.from({ length: size }, (_, account) => place.fanOut(`evt_${event + account}`, `acct_${account}`)),
    );
  }
  place.counts.clear();
  const before = process.cpuUsage();
  const ran = await place.drain(sample);
  const { user, system } = process.cpuUsage(before);
  const calls = [...place.counts.values()].reduce((sum, count) => sum + count, 0);
  const memoryBytes = process.memoryUsage().rss;
  return { backlog, ran, cpuUsPerDelivery: (user + system) / ran, callsPerDelivery: calls / ran, memoryBytes };
}

function perDelivery(counts: Counts, deliveries: number): Record<string, number> {
  return Object.fromEntries([...counts].map(([name, count]) => [name, Math.round((count * 100) / deliveries) / 100]));
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}
