// Shows what the adapter of the queues sends through Cloud Tasks' real client, and what it makes of each failure.
// It must never reach beyond loopback.
import { cloudTaskQueues } from "../../functions/adapters/cloud-tasks.ts";
import { type OpenCloudTasks, openCloudTasks } from "../../functions/adapters/cloud-tasks-client.ts";
import type { TaskQueues, WakeUp } from "../../functions/flows/task-ports.ts";
import { type RecordingTasks, startRecordingTasks } from "../support/recording-tasks.ts";

const settlements = "projects/p/locations/us-central1/queues/settlements-g1";
const targetUrl = "https://ledger-writer-abc.a.run.app";
const callerAccount = "ledger-tasks@p.iam.gserviceaccount.com";

let server: RecordingTasks;
let client: OpenCloudTasks;
beforeAll(async () => {
  server = await startRecordingTasks();
  client = openCloudTasks({ CLOUD_TASKS_EMULATOR_HOST: server.host });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

/** A minute for a call, because the machine may be busy; and a clock with which pauses take no time, but are kept. */
function open(
  through = client,
  time: { callTimeoutMs?: number } = { callTimeoutMs: 60_000 },
): { queues: TaskQueues; pausesMs: number[] } {
  const pausesMs: number[] = [];
  const clock = { now: () => Date.parse("2026-01-15T12:00:00Z"), sleep: async (ms: number) => void pausesMs.push(ms) };
  const calling = cloudTaskQueues({
    client: through,
    clock,
    queues: { settlements: [settlements] },
    callerAccount,
    ...time,
  });
  return { queues: calling(targetUrl), pausesMs };
}

let count = 0;
const wakeUp = (change: Partial<WakeUp> = {}): WakeUp => {
  count += 1;
  return {
    queue: "settlements",
    name: `n${count}`,
    path: "/settle",
    body: { attempt_id: "att_1" },
    scheduleAtMs: null,
    ...change,
  };
};

/** Runs it and gives the calls that it made. */
async function callsOf(run: () => Promise<unknown>) {
  const before = server.calls.length;
  const outcome = await run().catch((error) => ({ code: error.code, cause: error.cause?.code }));
  return { outcome, calls: server.calls.slice(before) };
}

describe("a wake-up", () => {
  test("is a task that POSTs its body to the path on the function, as the queue's caller for that service", async () => {
    const { queues } = open();
    const scheduleAtMs = Date.parse("2026-01-15T12:34:56.789Z");

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp({ name: "a name/with ∆", scheduleAtMs })));

    expect(outcome).toBe("enqueued");
    expect(calls.map(({ request }) => request)).toMatchObject([
      {
        parent: settlements,
        task: {
          name: `${settlements}/tasks/acb485f794780baafa5d96f0a3bf66d62631051addd70d71f29855fc057cf65f`,
          scheduleTime: { seconds: "1768480496", nanos: 789_000_000 },
          httpRequest: {
            httpMethod: "POST",
            url: "https://ledger-writer-abc.a.run.app/settle",
            headers: { "Content-Type": "application/json" },
            oidcToken: { serviceAccountEmail: callerAccount, audience: targetUrl },
          },
        },
      },
    ]);
    expect(JSON.parse(calls[0]?.request.task.httpRequest.body.toString())).toEqual({ attempt_id: "att_1" });
  });

  test("without name and time leaves both to the queue", async () => {
    const { queues } = open();

    const { calls } = await callsOf(() => queues.enqueue(wakeUp({ name: null })));

    expect(calls[0]?.request.task).toMatchObject({ name: "", scheduleTime: null });
  });

  test("has two seconds for a call, and not what the client takes by itself", async () => {
    const { queues } = open(client, {});

    const { calls } = await callsOf(() => queues.enqueue(wakeUp()));

    expect(calls[0]?.leftMs).toBeGreaterThan(0);
    expect(calls[0]?.leftMs).toBeLessThanOrEqual(2_000);
  });

  test("for a queue that the function was not given is a mistake of ours, and nothing is sent", async () => {
    const { queues } = open();

    expect(await callsOf(() => queues.enqueue(wakeUp({ queue: "webhookFast" })))).toEqual({
      outcome: { code: "internal", cause: undefined },
      calls: [],
    });
  });
});

describe("a queue with shards", () => {
  const shards = [1, 2, 3, 4].map((number) => `projects/p/locations/l/queues/webhook-fast-${number}`);
  const parentsOf = async (tasks: readonly Partial<WakeUp>[]) => {
    const asked: string[] = [];
    const recorder = { createTask: async ({ parent }: { parent: string }) => void asked.push(parent) };
    const clock = { now: () => 0, sleep: async () => {} };
    const queues = cloudTaskQueues({ client: recorder, clock, queues: { webhookFast: shards }, callerAccount });
    for (const task of tasks) await queues(targetUrl).enqueue(wakeUp({ queue: "webhookFast", ...task }));
    return asked;
  };

  test("takes all wake-ups about one thing into the same shard, whatever their names and times", async () => {
    const about = ["a", "b", "c"].map((name, index) => ({ name, shardBy: "we_1", scheduleAtMs: index }));

    expect(new Set(await parentsOf(about)).size).toBe(1);
  });

  test("spreads what differs evenly", async () => {
    const parents = await parentsOf(Array.from({ length: 400 }, (_, index) => ({ shardBy: `we_${index}` })));

    for (const shard of shards) expect(parents.filter((parent) => parent === shard).length).toBeGreaterThan(70);
  });

  test("refuses a wake-up that does not say what it is about", async () => {
    await expect(parentsOf([{}])).rejects.toMatchObject({ code: "internal" });
  });
});

describe("a failed call", () => {
  // UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE
  test.each([2, 4, 8, 10, 13, 14])("of a named wake-up is repeated after code %i", async (code) => {
    const { queues, pausesMs } = open();
    server.failNext({ code });

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp()));

    expect([outcome, calls.length, pausesMs]).toEqual(["enqueued", 2, [100]]);
    expect(calls[1]?.request).toEqual(calls[0]?.request);
  });

  test("that took effect is recognised by the name when it is repeated", async () => {
    const { queues } = open();
    server.failNext({ code: 14, lost: true });

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp()));

    expect([outcome, calls.length]).toEqual(["exists", 2]);
  });

  test("is repeated twice at most; then nobody knows whether the task stands", async () => {
    const { queues, pausesMs } = open();
    server.failNext({ code: 14 }, { code: 14 }, { code: 14 });

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp()));

    expect([outcome, calls.length, pausesMs]).toEqual([{ code: "store_unavailable", cause: 14 }, 3, [100, 400]]);
  });

  test("of a wake-up without a name is never repeated: it would be a second task", async () => {
    const { queues } = open();
    server.failNext({ code: 14, lost: true });

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp({ name: null })));

    expect([outcome, calls.length]).toEqual([{ code: "store_unavailable", cause: 14 }, 1]);
  });

  test.each([
    [3, "internal"],
    [5, "store_unavailable"],
    [7, "permission_denied"],
    [9, "store_unavailable"],
    [16, "permission_denied"],
  ])("with code %i is final: %s", async (code, expected) => {
    const { queues } = open();
    server.failNext({ code });

    const { outcome, calls } = await callsOf(() => queues.enqueue(wakeUp()));

    expect([outcome, calls.length]).toEqual([{ code: expected, cause: code }, 1]);
  });

  test("because nobody listens is known at once, after three calls", async () => {
    const nobody = openCloudTasks({ CLOUD_TASKS_EMULATOR_HOST: "127.0.0.1:9" });
    const { queues, pausesMs } = open(nobody);

    await expect(queues.enqueue(wakeUp())).rejects.toMatchObject({ code: "store_unavailable" });
    await nobody.close();

    expect(pausesMs).toEqual([100, 400]);
  });
});
