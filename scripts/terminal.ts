// What a script has of the world around it: the environment, other commands, and two streams of lines.
// It must never be more than that, so that a test can run a script's main function as the terminal does.

import type { RunCommand } from "./run-command.ts";

/** Where lines go, what the shell has set, and how another command is run. */
export type Terminal = {
  environment: NodeJS.ProcessEnv;
  /** How another command is run; without it as the machine does. */
  run?: RunCommand;
  /** One line of result. */
  say(line: string): void;
  /** One line of what went wrong. */
  complain(line: string): void;
};

/** Runs a main function on this process's own streams and ends with its exit code, or with 1 and the error's message. */
export async function runMain(name: string, main: (terminal: Terminal) => Promise<number>): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    process.exitCode = await main({ environment: process.env, say, complain });
  } catch (error) {
    complain(`${name}: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
