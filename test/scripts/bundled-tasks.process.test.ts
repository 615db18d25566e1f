// Shows that what the build leaves out of Cloud Tasks' client is not needed: a bundle puts a task into a queue.
// It must never import the client itself for that call.
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleFunction } from "../../scripts/build/bundle.ts";
import { startBundle } from "../../scripts/build/start-bundle.ts";
import { startRecordingTasks } from "../support/recording-tasks.ts";

const root = path.join(import.meta.dirname, "..", "..");

test("a bundled function can put a task into a queue, and hears when it is there already", async () => {
  // given
  const server = await startRecordingTasks();
  const folder = await mkdtemp(path.join(tmpdir(), "bundled-tasks-"));
  const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const entry = path.join(import.meta.dirname, "bundled-tasks-entry.ts");
  const metafile = await bundleFunction({ name: "bundled-tasks", entry, out: folder, lockfile });
  // when
  const environment = { CLOUD_TASKS_EMULATOR_HOST: server.host, METADATA_SERVER_DETECTION: "none" };
  const started = await startBundle({ name: "bundled-tasks", folder, environment });
  try {
    const answers = await (await fetch(started.baseUrl)).json();
    // then
    expect(answers).toEqual(["enqueued", "exists"]);
    expect(server.calls.map(({ request }) => request.task.httpRequest.url)).toEqual(
      Array(2).fill("https://function.invalid/settle"),
    );
    // The client, its description and gRPC; the generated classes alone would be 3.7 MB.
    expect(Object.values(metafile.outputs)[0]?.bytes).toBeLessThan(1_500_000);
  } finally {
    await started.stop();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);
