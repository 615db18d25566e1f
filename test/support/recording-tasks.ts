// A gRPC server on loopback that takes Cloud Tasks' CreateTask and keeps what it was sent: for tests of the real client.
// It must never run a task: what queues do with tasks is the laptop's business.
import { createRequire } from "node:module";
import path from "node:path";
import { GrpcClient, grpc } from "google-gax";

/** One CreateTask as it arrived, in the API's words. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the client sent.
export type Recorded = any;

/** A running server. */
export interface RecordingTasks {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Every call in order, those that failed too. */
  readonly calls: readonly { readonly request: Recorded; readonly leftMs: number }[];
  /** Makes the next calls end with these gRPC codes, one each; `lost` after the task was taken, as when a reply is lost. */
  failNext(...failures: readonly { readonly code: number; readonly lost?: boolean }[]): void;
  close(): Promise<void>;
}

const alreadyExists = 6;

/** Starts it on a free port. */
export async function startRecordingTasks(): Promise<RecordingTasks> {
  const calls: { request: Recorded; leftMs: number }[] = [];
  const failures: { code: number; lost?: boolean }[] = [];
  const names = new Set<string>();
  const createTask = (call: grpc.ServerUnaryCall<Recorded, Recorded>, reply: grpc.sendUnaryData<Recorded>) => {
    calls.push({ request: call.request, leftMs: Number(call.getDeadline()) - Date.now() });
    const { parent, task } = call.request;
    const name = task.name === "" ? `${parent}/tasks/${calls.length}` : task.name;
    const failure = failures.shift();
    if (failure !== undefined && failure.lost !== true) return reply({ code: failure.code });
    if (names.has(name)) return reply({ code: alreadyExists });
    names.add(name);
    return failure === undefined ? reply(null, { ...task, name }) : reply({ code: failure.code });
  };
  const server = new grpc.Server();
  server.addService(serviceDefinition(), { createTask });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    host: `127.0.0.1:${port}`,
    calls,
    failNext: (...more) => void failures.push(...more),
    close: async () => server.forceShutdown(),
  };
}

/** From the client's own description of the service; its package hides the file, so it is found from the package's main. */
function serviceDefinition(): grpc.ServiceDefinition {
  const require = createRequire(import.meta.url);
  const main = require.resolve("@google-cloud/tasks");
  const description = require(
    path.join(main.slice(0, main.indexOf(`${path.sep}build${path.sep}`)), "build/protos/protos.json"),
  );
  const { google } = new GrpcClient().loadProtoJSON(description) as Recorded;
  return google.cloud.tasks.v2.CloudTasks.service;
}
