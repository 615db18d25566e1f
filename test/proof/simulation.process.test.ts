// The simulation as its command runs it: so many seeds hold, and the same seed is the same story each time.
// It must never run so many seeds here that nobody waits for them: `npm run simulate -- --seeds 10000` does.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const simulate = async (...options: string[]) =>
  (await run(process.execPath, ["scripts/node.cjs", "test/simulation/main.ts", ...options], { maxBuffer: 2 ** 27 }))
    .stdout;

test("two hundred seeds of payments, webhooks and faults end with every invariant intact", async () => {
  const told = await simulate("--seeds", "200", "--workers", "2");
  expect(told).toMatch(/^200 seeds from 1, /m);
  expect(told.trimEnd().split("\n").at(-1)).toBe("all invariants hold");
  // Every kind of fault was met, or the seeds prove less than they say.
  const counts = [...(/^faults: (.*)$/m.exec(told)?.[1] ?? "").matchAll(/([a-z ]+) (\d+)/g)];
  expect(counts).toHaveLength(13);
  for (const [, kind, count] of counts) expect([kind, Number(count) > 20]).toEqual([kind, true]);
}, 240_000);

test("a seed tells the same steps each time", async () => {
  const [first, second] = await Promise.all([
    simulate("--seed", "3", "--verbose"),
    simulate("--seed", "3", "--verbose"),
  ]);
  const steps = (told: string) => told.split("\n").filter((line) => !/ms of CPU/.test(line));
  expect(steps(first).length).toBeGreaterThan(1_000);
  expect(steps(first)).toEqual(steps(second));
}, 60_000);
