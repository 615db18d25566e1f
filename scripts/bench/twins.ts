// Times twins: each is sent while its payment is held at the card network, and waits once.
// It must never count what the payment takes: the clocks stand while that goes on.
import { type Measured, percentilesOf, rates } from "./latency.ts";
import { newKey, pay } from "./round-trips.ts";
import type { Service } from "./service.ts";

/** One twin after the other. */
export async function measureTwins(service: Service, requests: number): Promise<Measured> {
  const times: number[] = [];
  const cpu = { us: 0 };
  let failures = 0;
  for (let sent = 0; sent < requests; sent += 1) {
    const key = newKey();
    const network = service.network.hold();
    const waits = service.waits.hold();
    const first = pay(service, key);
    await network.arrived;
    const asking = clocks();
    const twin = pay(service, key);
    await waits.arrived;
    const asked = asking();
    network.release();
    await first;
    const waiting = clocks();
    waits.release();
    const { replayed } = await twin;
    const answered = waiting();
    if (!replayed) failures += 1;
    times.push(asked.ms + answered.ms);
    cpu.us += asked.cpuUs + answered.cpuUs;
  }
  const elapsedMs = times.reduce((sum, each) => sum + each, 0);
  const run = { name: "twin", requests, atOnce: 1, failures };
  return { ...run, ...percentilesOf(times), ...rates(requests, elapsedMs, cpu.us) };
}

function clocks(): () => { ms: number; cpuUs: number } {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(startCpu);
    return { ms: performance.now() - startMs, cpuUs: user + system };
  };
}
