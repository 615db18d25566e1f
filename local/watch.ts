// Runs the laptop in a child and starts it again when its code changes: `npm start -- --watch`.
// It must never run two laptops at once: the next one starts when the last one is gone, with its port.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";

/**
 * Runs until a signal; `args` are the laptop's arguments without `--watch`. Returns the last child's exit code.
 * `program` and `folders` are the laptop and its code, unless a test says otherwise.
 */
export async function superviseLaptop(args: readonly string[], { program, folders } = LAPTOP): Promise<number> {
  const changes = watchFolders(folders);
  let ending = false;
  let child: ChildProcess | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      ending = true;
      changes.stop();
      child?.kill(signal);
    });
  }
  let code = 0;
  while (!ending) {
    // The channel tells the child when this process is gone, whatever ended it.
    child = spawn(process.execPath, [program, ...args], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
    const exited = once(child, "exit");
    const changed = changes.next();
    await Promise.race([exited, changed]);
    // A laptop that ended by itself, perhaps by a mistake in the code, is started again by the next change.
    if (!ending && child.exitCode !== null) process.stdout.write("watch: ended; waiting for a change\n");
    await changed;
    if (!ending && child.exitCode === null) child.kill("SIGTERM");
    await exited;
    code = child.exitCode ?? 0;
    if (!ending) process.stdout.write("watch: the code changed; starting again with empty stores\n");
  }
  return code;
}

/** What is started, and what it is made of. */
const LAPTOP = {
  program: join(import.meta.dirname, "main.ts"),
  folders: ["functions", "infra", "local"].map((folder) => join(import.meta.dirname, "..", folder)),
};

/** An editor writes a file in several steps, and a formatter once more; one start for all of them. */
const QUIET_MS = 150;

function watchFolders(folders: readonly string[]): { next(): Promise<void>; stop(): void } {
  let wake = () => {};
  let timer: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), QUIET_MS);
  };
  const watchers = folders.map((folder) => watch(folder, { recursive: true }, onChange));
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    stop: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      wake();
    },
  };
}
