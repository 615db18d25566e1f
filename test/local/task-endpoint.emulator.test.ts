// The laptop's endpoint of Cloud Tasks, spoken to by the real client: what a function in a process of its own meets.
import { CloudTasksClient } from "@google-cloud/tasks";
import { grpc } from "google-gax";
import { openCloudTasks } from "../../functions/adapters/cloud-tasks-client.ts";
import { openTaskEndpoint, type TaskEndpoint } from "../../local/task-endpoint.ts";
import { taskQueuesContract } from "../contracts/task-queues-contract.ts";
import { openQueued, plannedWithTasks, queueNames } from "./queued.ts";

// Here and not in a test: the first synthesis of a process takes seconds.
const plan = plannedWithTasks();

taskQueuesContract(async () => {
  const { queues, clock, take, close } = await openQueued(plan);
  const endpoint = await openTaskEndpoint(take);
  const client = openCloudTasks({ CLOUD_TASKS_EMULATOR_HOST: endpoint.host });
  return {
    queues: queues(client),
    now: clock.now,
    advance: clock.advance,
    close: async () => {
      await client.close();
      endpoint.close();
      await close();
    },
  };
});

describe("the endpoint", () => {
  let endpoint: TaskEndpoint;
  let client: CloudTasksClient;
  beforeAll(async () => {
    endpoint = await openTaskEndpoint(({ parent }) => {
      if (parent.endsWith("forbidden")) throw Object.assign(new Error("PERMISSION_DENIED: x lacks y"), { code: 7 });
      return `${parent}/tasks/1`;
    });
    const [apiEndpoint, port] = endpoint.host.split(":");
    client = new CloudTasksClient({
      apiEndpoint: apiEndpoint ?? "",
      port: Number(port),
      sslCreds: grpc.credentials.createInsecure(),
    });
  });
  afterAll(async () => {
    await client.close();
    endpoint.close();
  });

  const oidcToken = { serviceAccountEmail: "a@p", audience: "https://x" };
  const httpRequest = { httpMethod: "POST" as const, url: "https://x/y", oidcToken };

  test("gives the name that the queue gave", async () => {
    const [task] = await client.createTask({ parent: queueNames.settlements, task: { httpRequest } });

    expect(task.name).toBe(`${queueNames.settlements}/tasks/1`);
  });

  test("passes a refusal on with its code and its words", async () => {
    await expect(client.createTask({ parent: "forbidden", task: { httpRequest } })).rejects.toMatchObject({
      code: 7,
      details: "PERMISSION_DENIED: x lacks y",
    });
  });

  test.each([
    ["App Engine", { appEngineHttpRequest: { relativeUri: "/" } }],
    ["a dispatch deadline", { httpRequest, dispatchDeadline: { seconds: 60 } }],
    ["a call without an identity token", { httpRequest: { ...httpRequest, oidcToken: null } }],
    ["a task without an HTTP request", {}],
  ])("refuses by name what the laptop does not play: %s", async (what, task) => {
    await expect(client.createTask({ parent: queueNames.settlements, task })).rejects.toMatchObject({
      code: 12,
      details: `The laptop does not play ${what}.`,
    });
  });
});
