// Runs the queues' contract on the memory twin, and shows what tests may do with it beyond the port.
// It must never need anything but this process.
import { memoryTaskQueues } from "../../functions/adapters/memory/task-queues.ts";
import type { WakeUp } from "../../functions/flows/task-ports.ts";
import { manualClock } from "../support/manual-clock.ts";
import { taskQueuesContract } from "./task-queues-contract.ts";

const startMs = 1_800_000_000_000;

taskQueuesContract(async () => {
  const clock = manualClock(startMs);
  const queues = memoryTaskQueues({ clock });
  const advance = async (milliseconds: number) => {
    await clock.advance(milliseconds);
    queues.takeDue();
  };
  return { queues, now: clock.now, advance, close: async () => {} };
});

describe("the queues in memory", () => {
  const task: WakeUp = { queue: "webhookFast", name: "a", path: "/deliver", body: { n: 1 }, scheduleAtMs: null };
  const open = () => {
    const clock = manualClock(startMs);
    return { clock, queues: memoryTaskQueues({ clock }) };
  };

  test("give what is due in order of its time, once", async () => {
    const { clock, queues } = open();
    for (const [name, aheadMs] of [
      ["late", 2_000],
      ["soon", 1_000],
      ["later", 2_001],
    ] as const)
      await queues.enqueue({ ...task, name, scheduleAtMs: startMs + aheadMs });
    await clock.advance(2_000);

    expect(queues.takeDue().map(({ name }) => name)).toEqual(["soon", "late"]);
    expect(queues.takeDue()).toEqual([]);
    expect(queues.waiting().map(({ name }) => name)).toEqual(["later"]);
  });

  test("forget what was purged, of one queue only, and keep its name blocked for an hour", async () => {
    const { clock, queues } = open();
    await queues.enqueue(task);
    await queues.enqueue({ ...task, queue: "webhookSlow" });

    queues.purge("webhookFast");

    expect(queues.waiting().map(({ queue }) => queue)).toEqual(["webhookSlow"]);
    expect(await queues.enqueue(task)).toBe("exists");
    await clock.advance(60 * 60_000);
    expect(await queues.enqueue(task)).toBe("enqueued");
  });
});
