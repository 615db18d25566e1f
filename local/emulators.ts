// Starts Google's emulators for Spanner, Firestore and, where it is wanted, Pub/Sub on free ports of loopback, and ends them.
// It must never leave an emulator running behind this process, and never point anything at a real project.

import { mkdirSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeMissing, type EmulatorName, type EmulatorSearch } from "./find-emulators.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";

/** Emulators that answer. */
export type RunningEmulators = {
  /** `127.0.0.1:PORT` of the two that are always there; all speak plaintext gRPC. */
  spannerHost: string;
  firestoreHost: string;
  /** What a process needs in its environment so that Google's clients use the emulators, and nothing else. */
  environment: Record<string, string>;
  /** Ends both with all they forked. May be called twice. */
  stop(): Promise<void>;
};

/** The project id that all local processes share; the emulators take any. */
export const LOCAL_PROJECT = "local-project";

/**
 * Starts the emulators and resolves when all answer; Pub/Sub's only when it is found and `withPubsub` says so. Their output
 * goes nowhere, or to files such as `spanner.log` in `logFolder` (made if absent). Throws if one of the other two is missing,
 * or one ends early or is silent for 15 s; then none is left running.
 */
export async function startEmulators(options: {
  search: EmulatorSearch;
  logFolder?: string;
  withPubsub?: boolean;
}): Promise<RunningEmulators> {
  const { search, withPubsub = false } = options;
  const { spanner, firestore } = search.commands;
  const pubsub = withPubsub ? search.commands.pubsub : undefined;
  if (spanner === undefined || firestore === undefined) throw new Error(`emulators ${describeMissing(search)}`);
  const [spannerPort, firestorePort, pubsubPort] = await freePorts();
  const spannerHost = `127.0.0.1:${spannerPort}`;
  const firestoreHost = `127.0.0.1:${firestorePort}`;
  const pubsubHost = `127.0.0.1:${pubsubPort}`;
  const start = starter(options.logFolder);
  const processes = [
    start("spanner", spanner, [`--host_port=${spannerHost}`, ABORT_THE_CURRENT_ONE]),
    start("firestore", firestore, ["start", "--host=127.0.0.1", `--port=${firestorePort}`]),
    ...(pubsub === undefined ? [] : [start("pubsub", pubsub, ["--host=127.0.0.1", `--port=${pubsubPort}`])]),
  ] as const;
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    await Promise.all([
      untilReady("spanner", processes[0], () => acceptsConnections(spannerPort)),
      untilReady("firestore", processes[1], () => answersHttp(firestoreHost)),
      ...processes.slice(2).map((started) => untilReady("pubsub", started, () => answersHttp(pubsubHost))),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  const environment = {
    ...clientEnvironment({ spannerHost, firestoreHost }),
    ...(pubsub === undefined ? {} : { PUBSUB_EMULATOR_HOST: pubsubHost }),
  };
  return { spannerHost, firestoreHost, environment, stop };
}

/**
 * Spanner's emulator runs one read-write transaction at a time. At its default of 20 % a client that died inside one
 * blocked the next for up to 5 min; at 100 % the newcomer always wins (0.1 s), and real clients retry what was aborted.
 */
const ABORT_THE_CURRENT_ONE = "--abort_current_transaction_probability=100";

/** Both are up in 3-4 s on two busy cores; design section 8 promises ready within 15 s. */
const READY_TIMEOUT_MS = 15_000;

/** Between two looks: short against the 3 s of a start, long against the cost of a connect. */
const READY_POLL_MS = 50;

/** One look at an emulator that accepts and says nothing. */
const PROBE_TIMEOUT_MS = 1_000;

function starter(logFolder: string | undefined) {
  if (logFolder !== undefined) mkdirSync(logFolder, { recursive: true });
  return (name: EmulatorName, command: string, args: string[]): GuardedProcess =>
    startGuarded({ command, args, ...(logFolder === undefined ? {} : { logFile: join(logFolder, `${name}.log`) }) });
}

function clientEnvironment(hosts: { spannerHost: string; firestoreHost: string }): Record<string, string> {
  return {
    SPANNER_EMULATOR_HOST: hosts.spannerHost,
    FIRESTORE_EMULATOR_HOST: hosts.firestoreHost,
    GOOGLE_CLOUD_PROJECT: LOCAL_PROJECT,
    // Clients look for credentials even against an emulator, and wait seconds for a metadata server that is not there.
    METADATA_SERVER_DETECTION: "none",
    // The emulator's sessions lack the marker of multiplexed ones: the client would fail on them, in part as an `error`
    // event that ends the process. Only ever for the emulator.
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: "false",
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW: "false",
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS: "false",
    SPANNER_DISABLE_BUILTIN_METRICS: "true",
  };
}

async function untilReady(name: EmulatorName, started: GuardedProcess, probe: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let ended = false;
  void started.ended.then(() => {
    ended = true;
  });
  while (!(await probe())) {
    if (ended) throw new Error(`the ${name} emulator ended before it answered; its log says why (--log keeps it)`);
    if (Date.now() > deadline) throw new Error(`the ${name} emulator did not answer within ${READY_TIMEOUT_MS} ms`);
    await delay(READY_POLL_MS);
  }
}

async function acceptsConnections(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

async function answersHttp(host: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${host}/`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Three different ports that were free a moment ago; all are held until all are known. */
async function freePorts(): Promise<[number, number, number]> {
  const held = [await listening(), await listening(), await listening()] as const;
  const ports: [number, number, number] = [portOf(held[0]), portOf(held[1]), portOf(held[2])];
  await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

async function listening(): Promise<Server> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
