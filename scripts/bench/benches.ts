// The parts of `npm run bench`: a name, what runs, and what it needs beside npm.
// It must never load a part that does not run: each has a process of its own, and its memory is measured.
import type { Bench } from "./bench.ts";

/** In the order in which they run. A part with `emulators` is left out, loudly, where Google's emulators are absent. */
export const benches: readonly (readonly [name: string, run: Bench, needs?: "emulators"])[] = [
  ["requests", async (say) => (await import("./requests.ts")).benchRequests(say)],
  ["requests-on-emulators", async (say) => (await import("./requests.ts")).benchOnEmulators(say), "emulators"],
  ["caches", async (say) => (await import("./caches.ts")).benchCaches(say), "emulators"],
  ["peers", async (say) => (await import("./peers.ts")).benchPeers(say)],
  ["growth", async (say) => (await import("./growth.ts")).benchGrowth(say)],
  ["growth-of-payments", async (say) => (await import("./growth-payments.ts")).benchGrowthOfPayments(say)],
  ["growth-on-emulators", async (say) => (await import("./growth.ts")).benchGrowthOnEmulators(say), "emulators"],
  ["fan-out", async (say) => (await import("./fan-out.ts")).benchFanOut(say)],
  ["tracing", async (say) => (await import("./tracing.ts")).benchTracing(say)],
  ["tracing-on-emulators", async (say) => (await import("./tracing.ts")).benchTracingOnEmulators(say), "emulators"],
  ["cold-start", async (say) => (await import("./cold-start.ts")).benchColdStart(say), "emulators"],
  ["cold-start-of-all", async (say) => (await import("./cold-start-all.ts")).benchColdStartOfAll(say)],
];
