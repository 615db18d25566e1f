// Runs a command of this machine to its end, and collects what it wrote.
// It must never show what it gave to stdin: that may be a secret.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** How a command ended. */
export type Answer = { code: number; output: string; complaint: string };

/** As `runCommand`; what a script is given, so that a test can answer in its place. */
export type RunCommand = typeof runCommand;

/**
 * Runs any command to its end and collects what it wrote.
 * @throws Error when the command does not exist.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<Answer> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env, timeout: TIMEOUT_MS });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${command} cannot be started: is it installed?`, { cause })));
    child.once("close", (code) => resolve(code ?? 1));
  });
  // A command that ends without reading its stdin closes the pipe; its exit code says what went wrong.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: output.trim(), complaint: complaint.trim() };
}

/** Switching APIs on is the slowest of the commands: a minute, rarely two. */
const TIMEOUT_MS = 300_000;
