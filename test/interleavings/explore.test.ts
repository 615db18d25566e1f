// The search itself, on processes of two steps: it meets the order that breaks them, and leaves out only what is the same.
// It must never be judged by a scenario of the product: there nobody knows the number of schedules beforehand.
import { explore, type Run } from "./explore.ts";
import type { Action } from "./stage.ts";

/** Two processes that read a counter, then write what they read plus one; each to a counter of its own if so asked. */
function counting({ apart }: { apart: boolean }) {
  return async (): Promise<Run> => {
    const counters = new Map<string, number>();
    const steps = ["A", "B"].flatMap((actor) => {
      const store = apart && actor === "B" ? "cache" : "ledger";
      let seen = 0;
      const step = (id: string, isWrite: boolean, happen: () => void) =>
        ({ id, actor, touches: store, isWrite, happen }) as const;
      return [
        step(`${actor} reads`, false, () => {
          seen = counters.get(store) ?? 0;
        }),
        step(`${actor} writes`, true, () => void counters.set(store, seen + 1)),
      ];
    });
    const next = (): readonly ((typeof steps)[number] & Action)[] =>
      ["A", "B"].flatMap((actor) => steps.find((step) => step.actor === actor) ?? []);
    return {
      actions: next,
      take: async (id) => {
        const index = steps.findIndex((step) => step.id === id);
        steps.splice(index, 1)[0]?.happen();
      },
      judge: async () =>
        [...counters.values()].reduce((sum, count) => sum + count, 0) === 2 ? [] : ["an update is lost"],
    };
  };
}

test("an update that only one order loses is found, and the order is told", async () => {
  const found = await explore(counting({ apart: false }), { preemptionsMax: null, schedulesMax: 100 });
  expect(found.failure).toEqual({
    schedule: ["A reads", "B reads", "B writes", "A writes"],
    problems: ["an update is lost"],
  });
});

test("without a preemption nobody loses it, and one is enough", async () => {
  const open = counting({ apart: false });
  const none = await explore(open, { preemptionsMax: 0, schedulesMax: 100 });
  expect([none.schedules, none.isWhole, none.failure]).toEqual([2, true, null]);
  expect((await explore(open, { preemptionsMax: 1, schedulesMax: 100 })).failure).not.toBeNull();
});

test("processes that touch nothing in common have one schedule, and bounded or not it holds", async () => {
  const open = counting({ apart: true });
  expect(await explore(open, { preemptionsMax: null, schedulesMax: 100 })).toMatchObject({
    schedules: 1,
    isWhole: true,
    failure: null,
  });
  expect(await explore(open, { preemptionsMax: 9, schedulesMax: 100 })).toMatchObject({ schedules: 6, failure: null });
  expect(await explore(open, { preemptionsMax: 9, schedulesMax: 3 })).toMatchObject({ schedules: 3, isWhole: false });
});
