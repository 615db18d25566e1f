// Runs a command with CHROMIUM in its environment, the path of a browser: `with-browser.ts -- COMMAND ARGS...`.
// It must never pass for a run of the command when there is no browser: it says so loudly, and exits 0.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findChromium } from "./browser/find-chromium.ts";
import { runMain, type Terminal } from "./terminal.ts";

/** Returns the exit code: the command's own, 0 without a browser, 2 for a wrong command line or a wrong CHROMIUM. */
async function withBrowser(args: readonly string[], { environment, say, complain }: Terminal): Promise<number> {
  const asksOnly = args.length === 1 && args[0] === "--detect";
  const [separator, ...command] = args;
  if (!asksOnly && (separator !== "--" || command.length === 0)) {
    complain(USAGE);
    return 2;
  }
  const search = findChromium(environment);
  if (search.kind === "wrong") {
    complain(`browser: ${search.why}`);
    return 2;
  }
  if (asksOnly) {
    say(search.kind === "found" ? search.path : "none");
    return 0;
  }
  if (search.kind === "missing") {
    say(`browser: NOT INSTALLED, nothing was run (Chromium is missing; ${search.why})`);
    return 0;
  }
  say(`browser: used ${search.path}`);
  return await run(command, { ...environment, CHROMIUM: search.path }, complain);
}

const USAGE = "usage: with-browser.ts -- COMMAND ARGS...   or   with-browser.ts --detect";

/** What a supervisor ends us with; a terminal's Ctrl-C reaches the command by itself. */
const PASSED_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** The shells' code for a command that cannot be started. */
const NOT_STARTED = 127;

/** The shells add the number of the signal to this when a signal ended the command. */
const SIGNAL_BASE = 128;

/** Runs the command with our input and output, in our process group, and passes on what would end it. */
async function run(
  [program = "", ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  complain: (line: string) => void,
): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: environment });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of PASSED_SIGNALS) process.on(signal, pass);
  // The command decides what Ctrl-C means; we only wait for it.
  const wait = () => {};
  process.on("SIGINT", wait);
  try {
    return await new Promise((resolve) => {
      child.once("error", (error) => {
        complain(`browser: cannot run ${program}: ${error.message}`);
        resolve(NOT_STARTED);
      });
      child.once("exit", (code, signal) =>
        resolve(signal === null ? (code ?? 1) : SIGNAL_BASE + constants.signals[signal]),
      );
    });
  } finally {
    for (const signal of PASSED_SIGNALS) process.off(signal, pass);
    process.off("SIGINT", wait);
  }
}

// Last, because the constants above must exist when it starts.
await runMain("browser", (terminal) => withBrowser(process.argv.slice(2), terminal));
