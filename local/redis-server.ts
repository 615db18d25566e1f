// Finds a Redis or Valkey server on this machine and runs it on loopback, with everything in its memory.
// It must never write to disk, listen beyond loopback, or leave a server behind this process.

import { accessSync, constants } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startGuarded } from "./guarded-process.ts";
import { freePortFrom } from "./listen.ts";

/** A server that answers. */
export type RunningRedis = { readonly port: number; readonly ended: Promise<void>; stop(): Promise<void> };

/** Path of the server's program on PATH; undefined where there is none, and with `EMULATORS=none`, which hides all. */
export function findRedisServer(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  if (environment["EMULATORS"] === "none") return undefined;
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
}

/** What people are told where none is found. */
export const NO_REDIS_SERVER =
  "no Redis or Valkey server is on PATH; to install one: `sudo apt-get install redis-server` or `valkey-server`";

/** Starts the program on a free port; `args` are added to what keeps it in memory and on loopback. */
export async function startRedisServer(command: string, args: readonly string[] = []): Promise<RunningRedis> {
  const port = await freePortFrom(undefined);
  const quiet = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"];
  const started = startGuarded({ command, args: [...quiet, ...args] });
  let ended = false;
  void started.ended.then(() => {
    ended = true;
  });
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await answers(port)); await delay(READY_POLL_MS)) {
    if (!ended && Date.now() < deadline) continue;
    await started.stop();
    throw new Error(
      `${command} ${ended ? "ended before it answered" : `did not answer within ${READY_TIMEOUT_MS} ms`}`,
    );
  }
  return { port, ended: started.ended, stop: started.stop };
}

/** Both speak the same protocol; Debian has either, by its release. */
const PROGRAMS = ["redis-server", "valkey-server"];

/** It is up in 20 ms; five seconds are a machine that is busy with a build. */
const READY_TIMEOUT_MS = 5_000;

const READY_POLL_MS = 20;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(READY_TIMEOUT_MS, () => settle(false));
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });
}
