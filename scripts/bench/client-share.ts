// The share of Google's client libraries in the CPU time of a whole payment and of a replay, by V8's profiler; and, as a
// check from the other side, the CPU time of the same requests on stores in memory, where no client takes part.
// It must never time and profile the same requests: the profiler costs time itself.
import { openEmbeddedStores } from "../embedded-stores.ts";
import { type CpuShare, owners, partOf, profiled } from "./cpu-share.ts";
import { measure } from "./latency.ts";
import { table } from "./report.ts";
import { newKey, pay } from "./round-trips.ts";
import { openService, type Service, type Stores } from "./service.ts";

type Say = (line: string) => void;

/** Samples come twice in a millisecond: of so many requests each owner has hundreds. */
const requests = { payment: 60, replay: 200 } as const;

/** Says the shares on `stores`, which reach the emulators through the real clients. */
export async function benchCpuShare(say: Say, stores: Stores) {
  const onEmulators = kindsOf(openService(stores));
  const inMemory = kindsOf(openService(await openEmbeddedStores()));
  const figures: { name: string; cpuMs: number; inMemoryCpuMs: number; profiledMs: CpuShare }[] = [];
  for (const name of ["payment", "replay"] as const) {
    const run = { name, requests: requests[name], atOnce: 1 };
    const always = () => true;
    await measure({ ...run, send: inMemory[name] }, always);
    const inMemoryCpuMs = (await measure({ ...run, send: inMemory[name] }, always)).cpuMs;
    const { cpuMs } = await measure({ ...run, send: onEmulators[name] }, always);
    const profiledMs = await profiled(() => measure({ ...run, send: onEmulators[name] }, always));
    figures.push({ name, cpuMs, inMemoryCpuMs, profiledMs });
  }
  say("Whose code the CPU time goes to, by samples of V8's profiler; Node's own code counts for whoever called it");
  const head = ["request", "CPU ms each", ...owners, "on memory, CPU ms"];
  const rows = figures.map(({ name, cpuMs, inMemoryCpuMs, profiledMs }) => [
    name,
    cpuMs.toFixed(2),
    ...owners.map((owner) => `${Math.round(100 * partOf(profiledMs, owner))} %`),
    inMemoryCpuMs.toFixed(2),
  ]);
  for (const line of table([head, ...rows], [1, 2, 3, 4, 5, 6, 7])) say(line);
  return figures;
}

function kindsOf(service: Service) {
  const key = newKey();
  const send = async (asked: string) => {
    const reply = await pay(service, asked);
    if (reply.status !== 200) throw new Error(`it was answered ${reply.text}`);
    return reply;
  };
  return { payment: () => send(newKey()), replay: () => send(key) };
}
