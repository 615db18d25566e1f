// Holds the calculator to an example of Google's own and the queues and subscriptions to the numbers that they explain.
// It must never wait for anything: seconds are only added up.
import { messageWaitsSeconds, taskWaitsSeconds, totalSeconds } from "./retry-schedule.ts";
import { resources, synthesized } from "./synthesized.ts";

const { messaging } = synthesized({ STAGE: "dev" });
const retryOf = (name: string) =>
  resources(messaging, "google_cloud_tasks_queue").find((queue) => queue["name"] === name)?.["retry_config"];
const hour = 3_600;

describe("the calculator", () => {
  test("reproduces the example of the Cloud Tasks documents", () => {
    expect(taskWaitsSeconds({ max_attempts: 9, min_backoff: "10s", max_backoff: "300s", max_doublings: 3 })).toEqual([
      10, 20, 40, 80, 160, 240, 300, 300,
    ]);
  });
});

describe("the retries of the queues", () => {
  test.each(["webhook-fast-g1", "webhook-slow-g1"])("%s keeps a task for 67.4 h and 20 attempts", (name) => {
    const waits = taskWaitsSeconds(retryOf(name));

    expect(waits.slice(0, 4)).toEqual([10, 20, 40, 80]);
    expect(waits[11]).toBe(5 * hour + 41 * 60 + 20);
    expect(waits.slice(12)).toEqual(Array(7).fill(8 * hour));
    expect(totalSeconds(waits) / hour).toBeCloseTo(67.4, 1);
    expect(totalSeconds(waits)).toBeLessThan(72 * hour);
  });

  test("settlements gives a task up after 75 s, because the sweep comes each minute", () => {
    expect(taskWaitsSeconds(retryOf("settlements-g1"))).toEqual([5, 10, 20, 40]);
  });

  test("have no limit of time, with which a queue would stop only once both were used up", () => {
    for (const { retry_config } of resources(messaging, "google_cloud_tasks_queue")) {
      expect(retry_config.max_retry_duration).toBe("0s");
      expect(retry_config.max_attempts).toBeGreaterThan(0);
    }
  });
});

describe("the deliveries of a subscription", () => {
  test("go on for 15 h 40 min before a message is dead, well inside its retention", () => {
    const [subscription] = resources(messaging, "google_pubsub_subscription").filter((one) => one["retry_policy"]);
    const attempts = subscription?.["dead_letter_policy"].max_delivery_attempts;
    const waits = messageWaitsSeconds(subscription?.["retry_policy"], attempts);

    expect(attempts).toBe(100);
    expect(totalSeconds(waits)).toBe(15 * hour + 40 * 60 + 30);
    expect(totalSeconds(waits)).toBeLessThan(Number.parseInt(subscription?.["message_retention_duration"], 10));
  });
});
