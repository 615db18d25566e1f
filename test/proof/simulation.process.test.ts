// The simulation and the interleavings as their commands run them: a part that everybody waits for.
// It must never run so much that nobody waits for it: `npm run simulate -- --seeds 10000` and `npm run interleave` do.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const program =
  (main: string) =>
  async (...options: string[]) => {
    const running = run(process.execPath, ["scripts/node.cjs", main, ...options], { maxBuffer: 2 ** 27 });
    // One that found something ends with 1, and what it said is what a failing test has to show.
    return await running.then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
const simulate = program("test/simulation/main.ts");
const interleave = program("test/interleavings/main.ts");

test("two hundred seeds of payments, webhooks and faults end with every invariant intact", async () => {
  const told = await simulate("--seeds", "200", "--workers", "2");
  expect(told).toContain("all invariants hold");
  expect(told).toMatch(/^200 seeds from 1, /m);
  // Every kind of fault was met, or the seeds prove less than they say.
  const counts = [...(/^faults: (.*)$/m.exec(told)?.[1] ?? "").matchAll(/([a-z ]+) (\d+)/g)];
  expect(counts).toHaveLength(13);
  for (const [, kind, count] of counts) expect([kind, Number(count) > 20]).toEqual([kind, true]);
}, 380_000);

test("a seed tells the same steps each time", async () => {
  const [first, second] = await Promise.all([
    simulate("--seed", "3", "--verbose"),
    simulate("--seed", "3", "--verbose"),
  ]);
  const steps = (told: string) => told.split("\n").filter((line) => !/ms of CPU/.test(line));
  expect(steps(first).length).toBeGreaterThan(1_000);
  expect(steps(first)).toEqual(steps(second));
}, 60_000);

test("the first schedules of every interleaving hold, and those of two workers are all of them", async () => {
  const whole = await interleave("--only", "two workers", "--schedules", "110");
  expect(whole).toMatch(/^ +\d+ schedules \(all\) hold, [\d.]+ s: two workers$/m);
  const some = await interleave("--schedules", "25");
  expect(some).not.toContain("FAILED");
  expect(some.trimEnd().split("\n").at(-1)).toMatch(/^\d+ schedules in \d+ s, 0 scenarios failed$/);
}, 240_000);
