/**
 * Opens Cloud Tasks' client over gRPC; `CLOUD_TASKS_EMULATOR_HOST` in the environment (`host:port`) sends it elsewhere.
 * It must never be opened per request, nor loaded by an instance that puts no task into a queue.
 */
import { setTimeout as waitMs } from "node:timers/promises";
import type { CloudTasksClient } from "@google-cloud/tasks";
import type { TaskQueuesCalling } from "../flows/task-ports.ts";
import { type CloudTaskQueuesDependencies, cloudTaskQueues, type TaskCreator } from "./cloud-tasks.ts";

/** The queues of one function over a client of their own, which is opened by their first task. */
export function openTaskQueues(deps: Omit<CloudTaskQueuesDependencies, "client">): OpenTaskQueues {
  const client = openCloudTasks();
  return { calling: cloudTaskQueues({ ...deps, client }), close: client.close };
}

/** Queues that can be closed; `close` is that of `OpenCloudTasks`. */
export interface OpenTaskQueues {
  readonly calling: TaskQueuesCalling;
  close(): Promise<void>;
}

/** Opens nothing yet: the client is loaded, in about 0.2 s of a CPU, by the first task of an instance. */
export function openCloudTasks(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): OpenCloudTasks {
  let opened: Promise<CloudTasksClient> | undefined;
  return {
    createTask: async (request, { timeout }) => {
      opened ??= open(environment["CLOUD_TASKS_EMULATOR_HOST"]);
      return await (await opened).createTask(request, { timeout });
    },
    close: async () => {
      if (opened === undefined) return;
      const closed = opened.then((client) => client.close());
      await Promise.race([closed.catch(() => {}), waitMs(closeMsMax, undefined, { ref: false })]);
    },
  };
}

/** A client that can be closed. */
export interface OpenCloudTasks extends TaskCreator {
  /** Closes its channel, within a second; without it the process does not end by itself. It never rejects. */
  close(): Promise<void>;
}

/** 1 s, as for the other stores: a function has ten after SIGTERM. */
const closeMsMax = 1_000;

async function open(emulatorHost: string | undefined): Promise<CloudTasksClient> {
  const { CloudTasksClient } = await import("@google-cloud/tasks");
  if (emulatorHost === undefined) return new CloudTasksClient();
  // The client knows no variable of this kind, and the credentials must be of its own copy of gRPC.
  const { grpc } = await import("google-gax");
  const { hostname, port } = new URL(`http://${emulatorHost}`);
  return new CloudTasksClient({
    apiEndpoint: hostname,
    port: Number(port),
    sslCreds: grpc.credentials.createInsecure(),
  });
}
