// What all queues of tasks must do: the memory twin, Cloud Tasks' client and the laptop's queues run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { TaskQueues, WakeUp } from "../../functions/flows/task-ports.ts";

/** Queues for one suite, empty at its start. */
export interface TaskQueuesUnderTest {
  readonly queues: TaskQueues;
  now(): number;
  /** Moves the queues' clock forward; what comes due on the way runs with success. */
  advance(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Registers the suite. */
export function taskQueuesContract(open: () => Promise<TaskQueuesUnderTest>): void {
  let subject: TaskQueuesUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const inAnHour = (): WakeUp => ({
    queue: "settlements",
    name: `settle-${randomBytes(8).toString("hex")}`,
    path: "/settle",
    body: { attempt_id: "att_1" },
    scheduleAtMs: subject.now() + hourMs,
  });

  test("a second wake-up of a name exists while the first one waits", async () => {
    const task = inAnHour();

    expect(await subject.queues.enqueue(task)).toBe("enqueued");
    expect(await subject.queues.enqueue({ ...task, scheduleAtMs: null })).toBe("exists");
  });

  test("the same name in another queue is another wake-up", async () => {
    const task = inAnHour();
    await subject.queues.enqueue(task);

    expect(await subject.queues.enqueue({ ...task, queue: "webhookSlow" })).toBe("enqueued");
  });

  test("two wake-ups without a name are two", async () => {
    const task = { ...inAnHour(), name: null };

    expect([await subject.queues.enqueue(task), await subject.queues.enqueue(task)]).toEqual(["enqueued", "enqueued"]);
  });

  test("of 20 parallel wake-ups of one name one is put in", async () => {
    const task = inAnHour();

    const answers = await Promise.all(Array.from({ length: 20 }, () => subject.queues.enqueue(task)));

    expect(answers.filter((answer) => answer === "enqueued")).toHaveLength(1);
  });

  test.each([
    ["with a slash, a line's end and a letter from elsewhere", "an id: att_1/∆ with\nanything"],
    ["of 2,000 letters", "x".repeat(2_000)],
  ])("a name may be any text, even one %s", async (_title, name) => {
    const task = { ...inAnHour(), name };

    expect([await subject.queues.enqueue(task), await subject.queues.enqueue(task)]).toEqual(["enqueued", "exists"]);
  });

  test("a name is free again an hour after its wake-up ran, and not before", async () => {
    const task = { ...inAnHour(), scheduleAtMs: null };
    const answers = [await subject.queues.enqueue(task)];
    await subject.advance(0);
    await subject.advance(59 * 60_000);
    answers.push(await subject.queues.enqueue(task));
    await subject.advance(2 * 60_000);
    answers.push(await subject.queues.enqueue(task));

    expect(answers).toEqual(["enqueued", "exists", "enqueued"]);
  });

  test.each([
    ["more than 30 days ahead", () => ({ scheduleAtMs: subject.now() + 30 * dayMs + 60_000 })],
    ["with a path that is none", () => ({ path: "settle" })],
    ["of more than 32 KiB", () => ({ body: { text: "x".repeat(33 * 1024) } })],
  ])("a wake-up %s is refused as a mistake of ours", async (_title, wrong) => {
    await expect(subject.queues.enqueue({ ...inAnHour(), ...wrong() })).rejects.toMatchObject({ code: "internal" });
  });

  test("29 days ahead is not too far", async () => {
    expect(await subject.queues.enqueue({ ...inAnHour(), scheduleAtMs: subject.now() + 29 * dayMs })).toBe("enqueued");
  });
}
