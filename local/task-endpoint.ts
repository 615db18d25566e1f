// A gRPC server on loopback that speaks Cloud Tasks' CreateTask for one function, so that its process uses the real client.
// It must never pass over a field of a task that the laptop does not play: such a task is refused by name.

import { createRequire } from "node:module";
import path from "node:path";
import { GrpcClient, grpc } from "google-gax";
import type { CreateTaskRequest } from "../functions/adapters/cloud-tasks.ts";

/** A running server. */
export type TaskEndpoint = {
  /** `127.0.0.1:PORT`, for CLOUD_TASKS_EMULATOR_HOST. */
  host: string;
  close(): void;
};

/** Starts it on a free port. `take` takes a task of the function, gives its full name, or throws an error with a gRPC code. */
export async function openTaskEndpoint(take: (request: CreateTaskRequest) => string): Promise<TaskEndpoint> {
  const createTask = (call: grpc.ServerUnaryCall<Sent, object>, reply: grpc.sendUnaryData<object>) => {
    try {
      reply(null, { name: take(requestOf(call.request)) });
    } catch (error) {
      const { code = grpc.status.INTERNAL, message } = error as Error & { code?: number };
      reply({ code, details: message });
    }
  };
  const server = new grpc.Server();
  server.addService(serviceDefinition(), { createTask });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { host: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

/** A request as gRPC's reader gives it: texts that are not there are empty, messages null, long numbers text. */
type Sent = {
  parent: string;
  task: {
    name: string;
    scheduleTime: { seconds: string; nanos: number } | null;
    dispatchDeadline: unknown;
    appEngineHttpRequest?: unknown;
    httpRequest?: {
      httpMethod: string;
      url: string;
      headers: Record<string, string>;
      body: Buffer;
      oidcToken?: { serviceAccountEmail: string; audience: string };
      oauthToken?: unknown;
    };
  } | null;
};

function requestOf({ parent, task }: Sent): CreateTaskRequest {
  const http = task?.httpRequest;
  const unplayed =
    (task?.appEngineHttpRequest && "App Engine") ||
    (!http && "a task without an HTTP request") ||
    (task?.dispatchDeadline && "a dispatch deadline") ||
    (!http?.oidcToken && "a call without an identity token");
  if (!task || !http?.oidcToken || unplayed)
    throw Object.assign(new Error(`The laptop does not play ${unplayed}.`), { code: grpc.status.UNIMPLEMENTED });
  const { name, scheduleTime } = task;
  const { url, headers, body, oidcToken, httpMethod } = http;
  return {
    parent,
    task: {
      ...(name === "" ? {} : { name }),
      ...(scheduleTime === null
        ? {}
        : { scheduleTime: { seconds: Number(scheduleTime.seconds), nanos: scheduleTime.nanos } }),
      // Checked by the service, which takes nothing but POST.
      httpRequest: { httpMethod: httpMethod as "POST", url, headers, body, oidcToken },
    },
  };
}

/** From the client's own description of the service; its package hides the file, so it is found from the package's main. */
function serviceDefinition(): grpc.ServiceDefinition {
  const require = createRequire(import.meta.url);
  const main = require.resolve("@google-cloud/tasks");
  const folder = main.slice(0, main.indexOf(`${path.sep}build${path.sep}`));
  const loaded = new GrpcClient().loadProtoJSON(require(path.join(folder, "build", "protos", "protos.json")));
  // gRPC's types stop at the package; the description is Google's own and fixed by the lockfile.
  return (
    loaded as unknown as { google: { cloud: { tasks: { v2: { CloudTasks: { service: grpc.ServiceDefinition } } } } } }
  ).google.cloud.tasks.v2.CloudTasks.service;
}
