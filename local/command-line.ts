// The command line of `npm start`.
// It must never start anything on a command line that it does not understand whole.

/** What was asked for. */
export type Options = {
  stores: "embedded" | "emulators";
  /** Where the idempotency cache is: with the other stores, or in a Redis server, as a stage with Memorystore has it. */
  cache: "firestore" | "memorystore";
  /** Where payments-api should listen; the next free port is taken when it is in use. */
  port: number;
  watch: boolean;
  inspect: boolean;
  help: boolean;
};

/** Stripe's favourite card number starts with it, and it is far from the ports that other tools take. */
const DEFAULT_PORT = 4242;

const LAST_PORT = 65_535;

/** The text of `--help`. */
export const USAGE = `npm start -- [--embedded | --emulators] [--cache redis] [--port N] [--watch] [--inspect]

  --embedded   stores in memory (the default); npm alone is enough
  --emulators  Google's Spanner and Firestore emulators, one process per function
  --cache C    redis: a Redis or Valkey server of this machine as the idempotency cache, as with Memorystore
  --port N     where payments-api listens (${DEFAULT_PORT}); the next free port if it is taken
  --watch      start again when a file of functions/, infra/ or local/ changes; the stores start empty
  --inspect    let a debugger attach to the process of payments-api, on 127.0.0.1
  --help       this text`;

/** Reads the arguments; throws an error of one line that names what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const options: Options = {
    ...{ stores: "embedded", cache: "firestore" },
    ...{ port: DEFAULT_PORT, watch: false, inspect: false, help: false },
  };
  const rest = args.flatMap((argument) => (/^--port=/.test(argument) ? ["--port", argument.slice(7)] : [argument]));
  for (let index = 0; index < rest.length; index += 1) {
    const argument = rest[index] ?? "";
    if (argument === "--embedded" || argument === "--emulators") options.stores = storesOf(argument, args);
    else if (argument === "--cache") options.cache = cacheOf(rest[++index]);
    else if (argument === "--port") options.port = portOf(rest[++index]);
    else if (argument === "--watch") options.watch = true;
    else if (argument === "--inspect") options.inspect = true;
    else if (argument === "--help" || argument === "-h") options.help = true;
    else throw new Error(`unknown argument ${argument}; npm start -- --help lists all of them`);
  }
  return options;
}

function storesOf(argument: "--embedded" | "--emulators", args: readonly string[]): Options["stores"] {
  if (args.includes("--embedded") && args.includes("--emulators")) {
    throw new Error("--embedded and --emulators exclude each other");
  }
  return argument === "--embedded" ? "embedded" : "emulators";
}

function cacheOf(text: string | undefined): Options["cache"] {
  if (text !== "redis")
    throw new Error(`--cache needs redis, not ${text ?? "nothing"}; without it the cache is Firestore's`);
  return "memorystore";
}

function portOf(text: string | undefined): number {
  const port = /^\d{1,5}$/.test(text ?? "") ? Number(text) : 0;
  if (port < 1 || port > LAST_PORT)
    throw new Error(`--port needs a number from 1 to ${LAST_PORT}, not ${text ?? "nothing"}`);
  return port;
}
