// Runs `cdktf destroy "*"`, with its output on the terminal.
// It must never hide what the CLI says, nor end before it.

import { spawn } from "node:child_process";
import { once } from "node:events";

/** The CLI's exit code. @throws Error when there is no CLI on PATH, where npm puts that of the project. */
export async function destroyStacks(environment: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn("cdktf", ["destroy", "*", "--auto-approve"], {
    stdio: "inherit",
    env: { ...environment, CHECKPOINT_DISABLE: "1" },
  });
  const failed = once(child, "error").then(([cause]) => {
    throw new Error("cdktf cannot be started: npm ci first, and use npm run teardown", { cause });
  });
  const ended = once(child, "close").then(([code]) => (typeof code === "number" ? code : 1));
  return await Promise.race([ended, failed]);
}
