// Runs a command with Google's emulators up, a Redis server beside them, and the environment pointing at them:
// `with-emulators.ts -- COMMAND ARGS...`.
// `--sets N` starts N of Spanner's and Firestore's, for a command whose N workers then disturb each other less.
// It must never pass for a run of the command when the emulators are absent: it says so loudly, and exits 0.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { type RunningEmulators, startEmulators } from "./emulators.ts";
import { describeMissing, findEmulators, foundEmulators } from "./find-emulators.ts";
import { signalGroup } from "./guarded-process.ts";
import { findRedisServer, NO_REDIS_SERVER, type RunningRedis, startRedisServer } from "./redis-server.ts";

/** Returns the exit code: the command's own, 0 without emulators, 1 if they do not start, 2 for a wrong command line. */
async function main(args: string[]): Promise<number> {
  const options = parse(args);
  if (options === undefined) return complain(USAGE, 2);
  const search = await findEmulators();
  const redisProgram = findRedisServer();
  const missing = describeMissing(search);
  // Without Google's emulators nothing is run, so a Redis server beside them would not be used either.
  const names = [...foundEmulators(search), ...(redisProgram === undefined || missing !== "" ? [] : ["redis"])];
  if (options.detect) return say(names.join(" ") || "none");
  if (missing !== "") return say(`emulators: NOT INSTALLED, nothing was run (${missing})`);

  const sets: RunningEmulators[] = [];
  let redis: RunningRedis | undefined;
  try {
    redis = redisProgram === undefined ? undefined : await startRedisServer(redisProgram);
    for (let set = 0; set < options.sets; set += 1) {
      const logFolder = options.log ? { logFolder: join(LOG_FOLDER, String(set + 1)) } : {};
      sets.push(await startEmulators({ search, withPubsub: set === 0, ...logFolder }));
    }
    say(`emulators: used ${names.join(" ")}`);
    if (redisProgram === undefined) say(`redis: NOT INSTALLED, its tests do nothing (${NO_REDIS_SERVER})`);
    const environment = { ...environmentOf(sets), ...redisEnvironment(redis, redisProgram) };
    return await run(options.command, { ...process.env, ...environment });
  } catch (error) {
    return complain(`emulators: FAILED TO START, nothing was run: ${(error as Error).message}`, 1);
  } finally {
    await Promise.all([redis, ...sets].map((started) => started?.stop()));
  }
}

/** The first set's; a worker of the command finds its own in the list (test/setup.ts). */
function environmentOf(sets: readonly RunningEmulators[]): Record<string, string> {
  const hosts = sets.map((set) => ({
    SPANNER_EMULATOR_HOST: set.spannerHost,
    FIRESTORE_EMULATOR_HOST: set.firestoreHost,
  }));
  return { ...sets[0]?.environment, EMULATOR_SETS: JSON.stringify(hosts) };
}

const USAGE = "usage: with-emulators.ts [--log] [--sets N] -- COMMAND ARGS...   or   with-emulators.ts --detect";

/** The laptop's own folder, ignored by git; it is found from this file, so the working directory does not matter. */
const LOG_FOLDER = join(import.meta.dirname, "..", ".laptop", "emulators");

/** A command that holds the Spanner package swallows signals; after this it is ended for good. */
const GRACE_MS = 5_000;

/** What a terminal or a supervisor ends us with. */
const PASSED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The shells' code for a command that cannot be started. */
const NOT_STARTED = 127;

/** The shells add the number of the signal to this when a signal ended the command. */
const SIGNAL_BASE = 128;

/** A server to use, and the program for tests that end servers of their own. */
function redisEnvironment(redis: RunningRedis | undefined, program: string | undefined): Record<string, string> {
  if (redis === undefined || program === undefined) return {};
  return { REDIS_ADDRESS: `127.0.0.1:${redis.port}`, REDIS_SERVER: program };
}

type Options = { detect: boolean; log: boolean; sets: number; command: string[] };

function parse(args: string[]): Options | undefined {
  const end = args.indexOf("--");
  const flags = (end === -1 ? args : args.slice(0, end)).join(" ");
  const command = end === -1 ? [] : args.slice(end + 1);
  const [, sets = "1"] = /(?:^| )--sets ([1-4])(?: |$)/.exec(flags) ?? [];
  if (!/^(--detect|--log|--sets [1-4]| )*$/.test(flags)) return undefined;
  const detect = flags.includes("--detect");
  if (detect !== (command.length === 0)) return undefined;
  return { detect, log: flags.includes("--log"), sets: Number(sets), command };
}

/**
 * Runs the command with our input and output. It gets a process group of its own, because it usually is a launcher whose
 * children would outlive it; SIGINT, SIGTERM and SIGHUP are passed on to the group, and SIGKILL follows if they do not help.
 */
async function run(command: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: "inherit", env: environment, detached: true });
  let escalation: NodeJS.Timeout | undefined;
  const pass = (signal: NodeJS.Signals) => {
    signalGroup(child.pid, signal);
    escalation ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
  };
  for (const signal of PASSED_SIGNALS) process.on(signal, pass);
  try {
    return await new Promise((resolve) => {
      child.once("error", (error) =>
        resolve(complain(`emulators: cannot run ${program}: ${error.message}`, NOT_STARTED)),
      );
      child.once("exit", (code, signal) =>
        resolve(signal === null ? (code ?? 1) : SIGNAL_BASE + constants.signals[signal]),
      );
    });
  } finally {
    clearTimeout(escalation);
    for (const signal of PASSED_SIGNALS) process.off(signal, pass);
  }
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

function complain(line: string, code: number): number {
  process.stderr.write(`${line}\n`);
  return code;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
