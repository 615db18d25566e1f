// One queue over time: rates, waits, when a task is given up, names that stay blocked.
import type { Log } from "../../functions/flows/ports.ts";
import { type MovableClock, movableClock } from "../../local/movable-clock.ts";
import type { PlannedQueue, TaskRetry } from "../../local/plan-queues.ts";
import { type Dispatch, isUsedUp, type Outcome, taskQueue } from "../../local/task-queue.ts";
import { taskWaitsSeconds } from "../infra/retry-schedule.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";

const startMs = 1_800_000_000_000;
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

const retry: TaskRetry = { attemptsMax: 9, durationMs: 0, firstWaitMs: 10_000, longestWaitMs: 300_000, doublings: 3 };
const planned: PlannedQueue = {
  name: "projects/p/locations/l/queues/q",
  dispatchesPerSecondMax: 500,
  concurrentMax: 100,
  retry,
};

type Call = Dispatch<string> & { atMs: number };
type Answer = (call: Call) => number | Outcome | Promise<number>;

/** A queue on a clock that stands still, whose calls end in the same moment unless an answer is a promise. */
function open(
  change: Partial<PlannedQueue> = {},
  answer: Answer = () => 200,
  clock: ManualClock = manualClock(startMs),
) {
  const calls: Call[] = [];
  const logged: string[] = [];
  const log: Log = (_severity, message) => void logged.push(message);
  const dispatch = async (task: Dispatch<string>): Promise<Outcome> => {
    const call = { ...task, atMs: clock.now() };
    calls.push(call);
    const outcome = await answer(call);
    return typeof outcome === "number" ? { status: outcome, retryAfterMs: 0 } : outcome;
  };
  const standing: MovableClock = { ...clock, hold: (work) => work };
  const queue = taskQueue({ clock: standing, log, dispatch }, { ...planned, ...change });
  const add = (id: string, aheadMs = 0) => queue.add({ id, work: id, dueMs: clock.now() + aheadMs });
  /** Seconds from one call to the next. */
  const waits = () => calls.slice(1).map(({ atMs }, index) => (atMs - (calls[index]?.atMs ?? 0)) / 1_000);
  return { queue, clock, calls, logged, add, waits };
}

describe("a failing task", () => {
  test("is called again after waits that double, then grow evenly, then stay: Google's own example", async () => {
    const { clock, waits, queue, logged, add } = open({}, () => 500);
    add("a");

    await clock.advance(dayMs);

    expect(waits()).toEqual([10, 20, 40, 80, 160, 240, 300, 300]);
    expect([queue.list(), logged.at(-1)]).toEqual([[], "task given up"]);
  });

  /** Worked out by hand: the limits and waits; then how many calls there are, and after how many hours the last one comes. */
  const schedules: readonly (readonly [string, Partial<TaskRetry>, number, number])[] = [
    ["20 attempts", { attemptsMax: 20, firstWaitMs: 10_000, longestWaitMs: 28_800_000, doublings: 11 }, 20, 67.4],
    [
      "20 attempts and 72 h: once more, because both must be used up",
      { attemptsMax: 20, durationMs: 72 * hourMs, firstWaitMs: 10_000, longestWaitMs: 28_800_000, doublings: 11 },
      21,
      75.4,
    ],
    [
      "18 attempts of up to 12 h",
      { attemptsMax: 18, firstWaitMs: 10_000, longestWaitMs: 43_200_000, doublings: 12 },
      18,
      70.8,
    ],
    [
      "20 attempts of up to 6 h",
      { attemptsMax: 20, firstWaitMs: 60_000, longestWaitMs: 21_600_000, doublings: 8 },
      20,
      68.5,
    ],
    [
      "21 attempts from 5 s",
      { attemptsMax: 21, firstWaitMs: 5_000, longestWaitMs: 28_800_000, doublings: 12 },
      21,
      67.4,
    ],
  ];
  test.each(schedules)("with %s ends as worked out", async (_title, numbers, calledTimes, lastAtHours) => {
    const { clock, calls, queue, add } = open({ retry: { ...retry, ...numbers } }, () => 500);
    add("a");

    await clock.advance(5 * dayMs);

    expect([calls.length, queue.list()]).toEqual([calledTimes, []]);
    expect(((calls.at(-1)?.atMs ?? 0) - startMs) / hourMs).toBeCloseTo(lastAtHours, 1);
  });

  test("without any limit goes on until 31 days have passed since it was made", async () => {
    const numbers = { attemptsMax: -1, durationMs: 0, firstWaitMs: hourMs, longestWaitMs: 12 * hourMs, doublings: 4 };
    const { clock, calls, queue, add } = open({ retry: numbers }, () => 500);
    add("a");

    await clock.advance(40 * dayMs);

    const waits = taskWaitsSeconds({
      max_attempts: 100,
      min_backoff: "3600s",
      max_backoff: "43200s",
      max_doublings: 4,
    });
    const times = waits.map((_wait, index) => waits.slice(0, index + 1).reduce((sum, wait) => sum + wait, 0) / 3_600);
    expect(calls.length).toBe(1 + times.filter((hours) => hours <= 31 * 24).length);
    expect(queue.list()).toEqual([]);
  });

  test("starts its wait when it has failed, so that the time of the call comes on top", async () => {
    const ends: (() => void)[] = [];
    const { clock, waits, add } = open({}, () => new Promise((resolve) => ends.push(() => resolve(500))));
    add("a");

    await clock.advance(7_000);
    ends[0]?.();
    await clock.advance(10_000);

    expect(waits()).toEqual([17]);
  });

  test("waits as long as the answer asks, when that is longer", async () => {
    const { clock, waits, add } = open({}, ({ attempts }) => ({
      status: 429,
      retryAfterMs: attempts === 0 ? 120_000 : 1_000,
    }));
    add("a");

    await clock.advance(140_000);

    expect(waits()).toEqual([120, 20]);
  });

  test("tells how often it was called, how often answered without 5xx, and what was answered last", async () => {
    const statuses = [500, 404, 0, 429, 302, 204];
    const { clock, calls, add } = open({}, ({ attempts }) => statuses[attempts] ?? 200);
    add("a");

    await clock.advance(hourMs);

    expect(calls.map(({ attempts, answered, lastStatus }) => [attempts, answered, lastStatus])).toEqual([
      [0, 0, undefined],
      [1, 0, 500],
      [2, 1, 404],
      [3, 1, 0],
      [4, 2, 429],
      [5, 3, 302],
    ]);
  });
});

describe("the rule for giving up", () => {
  const spent = (attempts: number, hours: number) => [attempts, hours * hourMs] as const;
  test.each([
    [{ attemptsMax: 8, durationMs: 72 * hourMs }, spent(8, 1), false],
    [{ attemptsMax: 8, durationMs: 72 * hourMs }, spent(7, 73), false],
    [{ attemptsMax: 8, durationMs: 72 * hourMs }, spent(22, 72), true],
    [{ attemptsMax: 8, durationMs: 0 }, spent(7, 1_000), false],
    [{ attemptsMax: 8, durationMs: 0 }, spent(8, 0), true],
    [{ attemptsMax: -1, durationMs: 72 * hourMs }, spent(1_000, 71), false],
    [{ attemptsMax: -1, durationMs: 72 * hourMs }, spent(1, 72), true],
    [{ attemptsMax: -1, durationMs: 0 }, spent(1_000_000, 10_000), false],
  ] as const)("with %j says of attempts and milliseconds %j: %s", (limits, [attempts, sinceFirstMs], expected) => {
    expect(isUsedUp({ ...retry, ...limits }, attempts, sinceFirstMs)).toBe(expected);
  });
});

describe("the speed of a queue", () => {
  test("is its rate, after a burst of a fifth of a second, however long nothing was called", async () => {
    const { clock, calls, add } = open({ dispatchesPerSecondMax: 50 });
    await clock.advance(hourMs);
    for (let index = 0; index < 30; index += 1) add(`t${index}`);

    await clock.advance(1_000);

    const times = calls.map(({ atMs }) => atMs - startMs - hourMs);
    expect(times.filter((ms) => ms === 0)).toHaveLength(10);
    expect(times.slice(10)).toEqual(Array.from({ length: 20 }, (_, index) => 20 * (index + 1)));
  });

  test("never has more calls in flight than it may, and takes the next one when one has ended", async () => {
    const ends: (() => void)[] = [];
    const { clock, calls, add } = open(
      { concurrentMax: 2 },
      () => new Promise((resolve) => ends.push(() => resolve(200))),
    );
    for (const id of ["a", "b", "c", "d"]) add(id);

    await clock.advance(hourMs);
    const atTheLimit = calls.length;
    ends[0]?.();
    await clock.advance(0);

    expect([atTheLimit, calls.length]).toEqual([2, 3]);
  });

  test.each([429, 503])("is halved by each %i, down to one a second, and comes back with successes", async (status) => {
    const { clock, calls, add } = open({ dispatchesPerSecondMax: 4, retry: { ...retry, attemptsMax: 1 } }, ({ id }) =>
      id.startsWith("bad") ? status : 200,
    );
    for (let index = 0; index < 4; index += 1) add(`bad${index}`);
    for (let index = 0; index < 4; index += 1) add(`good${index}`);

    await clock.advance(minuteMs);

    expect(calls.map(({ atMs }) => (atMs - startMs) / 1_000)).toEqual([0, 0.5, 1.5, 2.5, 3.5, 4, 4.25, 4.5]);
  });

  test("does not suffer from other failures: they are one task's", async () => {
    const { clock, calls, add } = open({ dispatchesPerSecondMax: 5, retry: { ...retry, attemptsMax: 1 } }, () => 500);
    for (let index = 0; index < 4; index += 1) add(`t${index}`);

    await clock.advance(minuteMs);

    expect(calls.map(({ atMs }) => atMs - startMs)).toEqual([0, 200, 400, 600]);
  });

  test("calls what is due first, and of the same time what came first", async () => {
    const { clock, calls, add } = open();
    add("later", 2_000);
    add("soon", 1_000);
    add("soon too", 1_000);

    await clock.advance(2_000);

    expect(calls.map(({ id, atMs }) => [id, atMs - startMs])).toEqual([
      ["soon", 1_000],
      ["soon too", 1_000],
      ["later", 2_000],
    ]);
  });
});

describe("a name", () => {
  test("is taken while its task waits or runs, and for an hour after it was done", async () => {
    const { clock, add } = open();
    const answers = [add("a", minuteMs), add("a")];
    await clock.advance(minuteMs);
    for (const aheadMs of [0, 59 * minuteMs, minuteMs]) {
      await clock.advance(aheadMs);
      answers.push(add("a"));
    }

    expect(answers).toEqual(["created", "exists", "exists", "exists", "created"]);
  });

  test("is blocked for an hour by a purge and by a task that was given up, too", async () => {
    const { clock, queue, add, calls } = open({ retry: { ...retry, attemptsMax: 1 } }, () => 500);
    add("given up");
    add("purged", hourMs);
    await clock.advance(0);
    queue.purge();

    const at0 = [add("given up"), add("purged")];
    await clock.advance(hourMs);
    const at60 = [add("given up"), add("purged")];
    await clock.advance(0);

    expect([at0, at60, calls.length]).toEqual([["exists", "exists"], ["created", "created"], 3]);
  });
});

test("a purge ends a task that runs: it is not called again", async () => {
  const ends: (() => void)[] = [];
  const { clock, queue, calls, add } = open({}, () => new Promise((resolve) => ends.push(() => resolve(500))));
  add("a");
  await clock.advance(0);
  queue.purge();
  ends[0]?.();

  await clock.advance(dayMs);

  expect([calls.length, queue.list()]).toEqual([1, []]);
});

test("three days of a failing task, and 10,000 tasks behind it, pass in less than four seconds", async () => {
  // given the laptop's own clock, on which work holds time
  const clock = movableClock(startMs);
  let calls = 0;
  const dispatch = async ({ id }: Dispatch<string>) => {
    calls += 1;
    return { status: id === "bad" ? 500 : 200, retryAfterMs: 0 };
  };
  const numbers = { ...retry, attemptsMax: 20, longestWaitMs: 8 * hourMs, doublings: 11 };
  const queue = taskQueue({ clock, log: () => {}, dispatch }, { ...planned, retry: numbers });
  queue.add({ id: "bad", work: "", dueMs: startMs });
  for (let index = 0; index < 10_000; index += 1)
    queue.add({ id: `t${index}`, work: "", dueMs: startMs + 3 * dayMs + index });
  const beganMs = performance.now();
  // when
  await clock.advance(3 * dayMs - minuteMs);
  // then
  expect([calls, queue.list().length]).toEqual([20, 10_000]);
  expect(performance.now() - beganMs).toBeLessThan(4_000);
  queue.stop();
});
