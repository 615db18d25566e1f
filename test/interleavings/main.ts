// `npm run interleave`: explores the schedules of every scenario, or of those whose name holds a text.
// It must never call a scenario explored whose bound on schedules was reached.
import { parseArgs } from "node:util";
import { explore } from "./explore.ts";
import { scenarios } from "./scenarios.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    preemptions: { type: "string" },
    schedules: { type: "string", default: "200000" },
  },
});

const began = performance.now();
let [all, failed] = [0, 0];
for (const { name, preemptionsMax, open } of scenarios.filter((scenario) => scenario.name.includes(values.only))) {
  const startedMs = performance.now();
  // Whoever has the time may bound the bounded ones further out; what is explored whole stays so.
  const bound =
    preemptionsMax === null || values.preemptions === undefined ? preemptionsMax : Number(values.preemptions);
  const found = await explore(open, { preemptionsMax: bound, schedulesMax: Number(values.schedules) });
  all += found.schedules;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const extent = bound === null ? "all" : `at most ${bound} preemptions`;
  const verdict = found.failure !== null ? "FAILED" : found.isWhole ? "hold" : "hold so far, not all were run";
  console.log(`${String(found.schedules).padStart(7)} schedules (${extent}) ${verdict}, ${seconds} s: ${name}`);
  if (found.failure === null) continue;
  failed += 1;
  for (const problem of found.failure.problems) console.log(`        ${problem}`);
  for (const step of found.failure.schedule) console.log(`          ${step}`);
}
console.log(`${all} schedules in ${((performance.now() - began) / 1000).toFixed(0)} s, ${failed} scenarios failed`);
process.exitCode = failed === 0 ? 0 : 1;
