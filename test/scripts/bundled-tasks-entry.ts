// An entry that puts a task into a queue through the adapter; bundled-tasks.process.test.ts bundles it.
// It must never be deployed: it is no function of the product.
import { http } from "@google-cloud/functions-framework";
import { cloudTaskQueues } from "../../functions/adapters/cloud-tasks.ts";
import { openCloudTasks } from "../../functions/adapters/cloud-tasks-client.ts";
import { systemClock } from "../../functions/adapters/system.ts";

const client = openCloudTasks();
const queues = cloudTaskQueues({
  client,
  clock: systemClock,
  queues: { settlements: ["projects/p/locations/l/queues/settlements"] },
  callerAccount: "caller@p.iam.gserviceaccount.com",
});
process.on("SIGTERM", () => void client.close().then(() => process.exit(0)));

http("bundled-tasks", async (request, response) => {
  if (request.path === "/health") {
    response.json({});
    return;
  }
  const wakeUp = { path: "/settle", body: { attempt_id: "att_1" }, scheduleAtMs: null } as const;
  const enqueue = () => queues("https://function.invalid").enqueue({ ...wakeUp, queue: "settlements", name: "one" });
  response.json([await enqueue().catch(String), await enqueue().catch(String)]);
});
