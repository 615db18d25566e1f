// Holds a queue to its name and the right to enqueue to both of its halves.
// It must never repeat the waits: retry-schedule.test.ts adds them up.
import { enqueueInto, TaskQueue } from "../../../infra/constructs/task-queue.ts";
import { only, resources } from "../synthesized.ts";
import { testCaller, testStack } from "./test-stack.ts";

const numbers = {
  dispatchesPerSecondMax: 50,
  concurrentMax: 10,
  retry: { attemptsMax: 5, backoffSecondsMin: 5, backoffSecondsMax: 60, doublings: 4 },
};
const queues = (variables: Record<string, string> = {}) =>
  testStack((scope, settings) => {
    const fast = new TaskQueue(scope, "webhook-fast", { settings, ...numbers });
    const slow = new TaskQueue(scope, "webhook-slow", { settings, ...numbers });
    const { account } = testCaller(scope, settings, ["cloudtasks"]);
    enqueueInto([fast, slow], account)(scope, "serviceAccount:api@p");
  }, variables);
const stack = queues();

describe("a task queue", () => {
  test("carries prefix and generation in its name, so that a new one never meets a deleted one's", () => {
    const named = queues({ PREFIX: "anna", QUEUE_GENERATION: "4" });

    expect(resources(stack, "google_cloud_tasks_queue").map((one) => one["name"])).toEqual([
      "webhook-fast-g1",
      "webhook-slow-g1",
    ]);
    expect(resources(named, "google_cloud_tasks_queue")[0]?.["name"]).toBe("anna-webhook-fast-g4");
  });

  test("says its rates and retries in the API's words", () => {
    expect(resources(stack, "google_cloud_tasks_queue")[0]).toMatchObject({
      rate_limits: { max_dispatches_per_second: 50, max_concurrent_dispatches: 10 },
      retry_config: {
        max_attempts: 5,
        max_retry_duration: "0s",
        min_backoff: "5s",
        max_backoff: "60s",
        max_doublings: 4,
      },
    });
  });
});

describe("an enqueuer", () => {
  test("may create tasks in the named queues alone", () => {
    const grants = resources(stack, "google_cloud_tasks_queue_iam_member");

    expect(grants).toHaveLength(2);
    for (const [index, grant] of grants.entries()) {
      expect(grant).toMatchObject({ role: "roles/cloudtasks.enqueuer", member: "serviceAccount:api@p" });
      expect(grant["name"]).toContain(["webhook-fast", "webhook-slow"][index]);
    }
  });

  test("may name the caller in a task, and Cloud Tasks may sign for it", () => {
    const grants = resources(stack, "google_service_account_iam_member");

    expect(grants.map(({ role, member }) => `${role} ${String(member).replace(/\$\{[^}]*\}/, "N")}`).sort()).toEqual([
      "roles/iam.serviceAccountOpenIdTokenCreator serviceAccount:service-N@gcp-sa-cloudtasks.iam.gserviceaccount.com",
      "roles/iam.serviceAccountUser serviceAccount:api@p",
    ]);
    for (const grant of grants) expect(grant["service_account_id"]).toMatch(/google_service_account\.account\.name\}$/);
    expect(only(stack, "google_cloud_run_v2_service_iam_member")["role"]).toBe("roles/run.invoker");
  });

  test("is ready only when all of its rights are: the last one waits for the others", () => {
    const last = resources(stack, "google_service_account_iam_member").find((one) =>
      String(one["role"]).endsWith("serviceAccountUser"),
    );

    expect(last?.["depends_on"]).toHaveLength(2);
  });
});
