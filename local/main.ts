// `npm start`: synthesizes the stacks, runs what they declare on this machine, and says how to use it.
// It must never leave a process behind, nor reach anything beyond this machine.

import inspector from "node:inspector";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import { writeLine } from "../functions/adapters/trace-log.ts";
import type { Log } from "../functions/flows/ports.ts";
import { type Options, readOptions, USAGE } from "./command-line.ts";
import { controlFile, openControl } from "./control.ts";
import { effectsPage } from "./effects-page.ts";
import { describeMissing, findEmulators } from "./find-emulators.ts";
import type { Host } from "./host.ts";
import { seedLaptopKey, seedShopKey } from "./laptop-key.ts";
import { listenFrom } from "./listen.ts";
import { findRedisServer, NO_REDIS_SERVER } from "./redis-server.ts";
import { synthesize } from "./synthesize.ts";
import { superviseLaptop } from "./watch.ts";
import { welcome } from "./welcome.ts";

async function main(args: string[]): Promise<void> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    process.exitCode = complain(`npm start: ${messageOf(error)}`, 2);
    return;
  }
  if (options.help) return say(USAGE);
  if (options.watch) {
    process.exit(await superviseLaptop(args.filter((argument) => argument !== "--watch")));
  }
  await run(options);
}

/** Starts, then runs until a signal, a crash, or the end of a process that it cannot do without. */
async function run(options: Options): Promise<void> {
  const ending = whenToEnd();
  let host: Host | undefined;
  let control: { close(): void } | undefined;
  let code: number;
  try {
    host = await Promise.race([start(options), ending.then(() => undefined)]);
    if (host !== undefined) {
      const seeding = { accounts: host.accounts, clock: systemClock, random: systemRandom };
      await seedLaptopKey(seeding);
      await seedShopKey(seeding, host);
      control = await openControl(host, controlFile(process.env));
      announce(options, host, await openEffectsPage(host));
    }
    const outcome = await Promise.race([ending, host?.lost ?? ending]);
    code = typeof outcome === "string" ? complain(`npm start: ${outcome}`, 1) : outcome;
  } catch (error) {
    code = complain(`npm start: ${messageOf(error)}`, 1);
  }
  control?.close();
  await host?.stop();
  process.exit(code);
}

/** What it runs on is loaded only here: the stacks are synthesized meanwhile, and Google's clients cost 150 MB. */
async function start({ stores, cache, port, inspect }: Options): Promise<Host> {
  // Before anything is synthesized: nobody should wait for this.
  if (cache === "memorystore" && findRedisServer() === undefined) throw new Error(`--cache redis: ${NO_REDIS_SERVER}`);
  // Lines of functions name their trace and span, so that one payment can be followed by its id.
  const log: Log = (severity, message, fields) => writeLine({ severity, message, ...fields });
  const told = { log, onRefusal: (message: string) => void complain(message, 0) };
  if (stores === "emulators") {
    const { startOnEmulators } = await import("./on-emulators.ts");
    return await startOnEmulators({ port, inspect, cache, ...told });
  }
  if (inspect) inspector.open(INSPECTOR_PORT, "127.0.0.1");
  void findEmulators().then((search) => {
    if (describeMissing(search) === "") say("emulators found: npm start -- --emulators runs on them");
  });
  const [plan, { startEmbedded }] = await Promise.all([
    synthesize({ IDEMPOTENCY_CACHE: cache }),
    import("./embedded.ts"),
  ]);
  return await startEmbedded({ plan, port, ...told });
}

/** Node's own. */
const INSPECTOR_PORT = 9229;

/** Where people see what the consumers did; it ends with this process. */
async function openEffectsPage(host: Host): Promise<string> {
  return `http://127.0.0.1:${await listenFrom(effectsPage(host).unref(), undefined)}`;
}

function announce({ port }: Options, host: Host, effectsUrl: string): void {
  const baseUrl = host.addresses.get("payments-api") ?? "";
  const actual = new URL(baseUrl).port;
  if (actual !== String(port)) say(`\n!!! port ${port} is in use: payments-api listens on ${actual} instead !!!`);
  for (const line of welcome(baseUrl, effectsUrl, host.addresses)) say(line);
}

/** Resolves with the exit code: 0 for a signal or the end of a supervising process, 1 for a crash. */
function whenToEnd(): Promise<number> {
  return new Promise((resolve) => {
    const end = (code: number) => {
      // Ctrl-C arrives several times: from the terminal, from npm, from the launcher. The first one decides.
      resolve(code);
      setTimeout(() => process.exit(1), END_TIMEOUT_MS).unref();
    };
    process.on("SIGINT", () => end(0)).on("SIGTERM", () => end(0));
    process.on("disconnect", () => end(0));
    process.on("uncaughtException", (error) => end(complain(`npm start: ${error.stack}`, 1)));
  });
}

/** Functions get 5 s to end; whoever still hangs then ends with this process. */
const END_TIMEOUT_MS = 8_000;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string, code: number): number {
  process.stderr.write(`${line}\n`);
  return code;
}

// Last, because the constants above must exist when it starts.
await main(process.argv.slice(2));
