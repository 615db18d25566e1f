// Starts a program, with all that it forks, in a process group of its own that cannot outlive this process.
// It must never leave an orphan: not at exit, not at a crash, not when this process is ended by SIGKILL.

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** A running program. `ended` resolves once it is gone, whoever ended it. */
export type GuardedProcess = { ended: Promise<void>; stop(): Promise<void> };

/** Starts `command`; its output goes to the end of `logFile` (a path), by default nowhere. */
export function startGuarded(options: { command: string; args: string[]; logFile?: string }): GuardedProcess {
  const output = options.logFile === undefined ? "ignore" : openSync(options.logFile, "a");
  const child = spawn("/bin/sh", ["-c", GUARD, "guard", options.command, ...options.args], {
    detached: true,
    stdio: ["pipe", output, output],
  });
  if (output !== "ignore") closeSync(output);
  // The guarded program alone is no reason for this process to go on.
  child.unref();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const stop = async () => {
    child.ref();
    // Emulators keep everything in memory, so there is nothing that a gentler signal would save.
    if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, "SIGKILL");
    await ended;
  };
  return { ended, stop };
}

/** Sends a signal to the process group that `pid` leads; a group that is gone already is fine. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the group ended between the question and the signal.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * The shell waits on a pipe that only this process holds. However this process ends, the kernel closes the pipe, `read`
 * returns, and the whole group dies; signal handlers could not do that for SIGKILL, and Google's emulators fork. When the
 * program ends by itself the group ends too. Only shell built-ins, so an odd PATH does not matter.
 */
const GUARD = '{ "$@" < /dev/null; kill -KILL 0; } & read -r _; kill -KILL 0';
