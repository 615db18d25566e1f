// The laptop's Cloud Tasks from end to end: a task put in by one function reaches another one over HTTP, as in the cloud.
import type { QueueName, WakeUp } from "../../functions/flows/task-ports.ts";
import { taskQueuesContract } from "../contracts/task-queues-contract.ts";
import { grantsOfTasks, openQueued, plannedWithTasks, type Queued, queueNames } from "./queued.ts";

const hourMs = 3_600_000;

// Here and not in a test: the first synthesis of a process takes seconds.
const plan = plannedWithTasks();

/** One for all tests that take no grant away; each has names of its own. */
let opened: Queued;
let answer: (call: number) => number;
beforeAll(async () => {
  opened = await openQueued(plan, (call) => answer(call));
});
beforeEach(async () => {
  await opened.clock.advance(0);
  answer = () => 200;
  for (const queue of Object.values(queueNames)) opened.platform.tasks.purge(queue);
  opened.arrived.splice(0);
});
afterAll(async () => await opened.close());

const wakeUp = (queue: QueueName, change: Partial<WakeUp> = {}): WakeUp => ({
  ...{ queue, name: null, path: "/settle", body: { attempt_id: "att_1" }, scheduleAtMs: null },
  ...change,
});

describe("the queues of the plan", () => {
  taskQueuesContract(async () => {
    const { queues, clock } = opened;
    return { queues: queues(), now: clock.now, advance: clock.advance, close: async () => {} };
  });
});

describe("a task", () => {
  test("reaches the function behind its front, with the platform's headers and a token without its signature", async () => {
    const { queues, clock, arrived } = opened;
    const scheduleAtMs = clock.now() + hourMs;

    await queues().enqueue(wakeUp("settlements", { name: "one", scheduleAtMs }));
    await clock.advance(hourMs);

    expect(arrived).toHaveLength(1);
    const { method, target, headers, body } = arrived[0]?.request ?? {};
    expect([method, target, body?.toString()]).toEqual(["POST", "/settle", '{"attempt_id":"att_1"}']);
    expect(Object.fromEntries([...(headers ?? [])].map(([name, [value]]) => [name, value]))).toMatchObject({
      host: "ledger-writer.function.invalid",
      "content-type": "application/json",
      "user-agent": "Google-Cloud-Tasks",
      "x-cloudtasks-queuename": "settlements-g1",
      "x-cloudtasks-taskname": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
      "x-cloudtasks-taskretrycount": "0",
      "x-cloudtasks-taskexecutioncount": "0",
      "x-cloudtasks-tasketa": (scheduleAtMs / 1_000).toFixed(6),
      authorization: expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.SIGNATURE_REMOVED_BY_GOOGLE$/),
    });
    expect([...(headers?.keys() ?? [])]).not.toContain("x-cloudtasks-taskretryreason");
  });

  test("that fails comes again and says so", async () => {
    answer = (call) => [500, 404, 200][call] ?? 200;
    const { queues, clock, arrived } = opened;

    await queues().enqueue(wakeUp("settlements"));
    await clock.advance(20_000);

    const header = (name: string) => arrived.map(({ request }) => request.headers.get(name)?.[0]);
    expect(header("x-cloudtasks-taskretrycount")).toEqual(["0", "1", "2"]);
    expect(header("x-cloudtasks-taskexecutioncount")).toEqual(["0", "0", "1"]);
    expect(header("x-cloudtasks-taskpreviousresponse")).toEqual([undefined, "500", "404"]);
  });

  test("that always fails is called for 67.4 hours, as the plan's queue says", async () => {
    answer = () => 500;
    const { queues, clock, arrived, platform } = opened;
    const startMs = clock.now();

    await queues().enqueue(wakeUp("webhookSlow"));
    await clock.advance(72 * hourMs);

    // The calls themselves take real time, which counts: up to a minute in all, on a machine that is busy.
    const minutes = arrived.map(({ atMs }) => Math.floor((atMs - startMs) / 60_000));
    expect(minutes).toHaveLength(20);
    expect(minutes.slice(5, 9)).toEqual([5, 10, 21, 42]);
    expect((minutes.at(-1) ?? 0) / 60).toBeCloseTo(67.4, 1);
    expect(platform.tasks.list(queueNames.webhookSlow)).toEqual([]);
  });

  test("that is purged never comes", async () => {
    const { queues, clock, arrived, platform } = opened;
    await queues().enqueue(wakeUp("settlements", { scheduleAtMs: clock.now() + hourMs }));

    platform.tasks.purge(queueNames.settlements);
    await clock.advance(2 * hourMs);

    expect(arrived).toEqual([]);
  });

  test("for a queue that the plan does not have is not taken", async () => {
    expect(() => opened.platform.tasks.createTask({ ...request, parent: "projects/p/queues/q" })).toThrow(
      expect.objectContaining({ code: 5 }),
    );
  });

  test.each([
    ["a method that no function is called by", { httpMethod: "GET" as never }],
    ["a URL that is none", { url: "ledger-writer/settle" }],
    ["a body of more than 100 KB", { body: Buffer.alloc(102_401) }],
  ])("with %s is refused", async (_title, change) => {
    const wrong = { ...request, task: { httpRequest: { ...request.task.httpRequest, ...change } } };

    expect(() => opened.take(wrong)).toThrow(expect.objectContaining({ code: 3 }));
  });
});

const request = {
  parent: queueNames.settlements,
  task: {
    httpRequest: {
      httpMethod: "POST" as const,
      url: "https://ledger-writer.function.invalid/settle",
      headers: {},
      body: Buffer.from("{}"),
      oidcToken: {
        serviceAccountEmail: "ledger-tasks@local-project.iam.gserviceaccount.com",
        audience: "https://ledger-writer.function.invalid",
      },
    },
  },
};

test("a laptop that was stopped calls nobody any more", async () => {
  const { queues, platform, clock, arrived, close } = await openQueued(plan);
  await queues().enqueue(wakeUp("settlements", { scheduleAtMs: clock.now() + hourMs }));

  platform.stop();
  await clock.advance(2 * hourMs);
  await close();

  expect(arrived).toEqual([]);
});

describe("without the grant to", () => {
  /** What is refused, by whose lack; and whether the sender hears of it. */
  const refused = {
    enqueue: [/payments-api@\S+ lacks cloudtasks\.tasks\.create on \S+\/queues\/settlements-g1; .*enqueuer/, true],
    actAs: [/payments-api@\S+ lacks iam\.serviceAccounts\.actAs on \S+\/ledger-tasks@\S+; .*serviceAccountUser/, true],
    sign: [/gcp-sa-cloudtasks\S+ lacks iam\.serviceAccounts\.getOpenIdToken on \S+\/ledger-tasks@/, false],
    invoke: [/ledger-tasks@\S+ lacks run\.routes\.invoke on \S+\/ledger-writer; .*run\.invoker/, false],
  } as const;

  test.each(Object.keys(grantsOfTasks) as (keyof typeof grantsOfTasks)[])("%s no task arrives", async (grant) => {
    const [sentence, isHeard] = refused[grant];
    const { queues, clock, arrived, refusals, close } = await openQueued(plannedWithTasks(grant));

    const heard = await queues()
      .enqueue(wakeUp("settlements"))
      .catch(({ code }) => code);
    await clock.advance(hourMs);
    await close();

    expect([heard, arrived]).toEqual([isHeard ? "permission_denied" : "enqueued", []]);
    expect(refusals).toEqual([expect.stringMatching(sentence)]);
  });
});
