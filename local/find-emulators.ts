// Looks for Google's Spanner, Firestore and Pub/Sub emulators on this machine, below the root of the Google Cloud CLI.
// It must never fail, and never take long, because gcloud, an emulator or Java is absent: absent is an answer.

import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * The emulators that the project runs on; the order is the order in which they are named to people. Pub/Sub's serves only
 * the contract of the publisher, so it is used where it is, and missed by nobody.
 */
export type EmulatorName = NeededEmulator | "pubsub";

/** What nothing works without. */
type NeededEmulator = "spanner" | "firestore";

/** What was found: the path of each emulator's start command, and what stands in the way of the others. */
export type EmulatorSearch = {
  commands: Partial<Record<EmulatorName, string>>;
  /** True when `EMULATORS=none` asked for a machine without any. */
  hidden: boolean;
  /** True when an emulator that needs Java is there but cannot run. */
  javaMissing: boolean;
};

/**
 * Searches the roots in this order: CLOUDSDK_ROOT, the real path of `gcloud` on PATH, what `gcloud info` answers.
 * `EMULATORS=none` pretends that nothing is installed (design section 8).
 */
export async function findEmulators(environment: NodeJS.ProcessEnv = process.env): Promise<EmulatorSearch> {
  const search: EmulatorSearch = { commands: {}, hidden: environment["EMULATORS"] === "none", javaMissing: false };
  if (search.hidden) return search;
  for (const root of cheapRoots(environment)) addFrom(root, search, environment);
  if (foundEmulators(search).length === 0 && !search.javaMissing) {
    const root = await rootByInfo(environment);
    if (root !== undefined) addFrom(root, search, environment);
  }
  return search;
}

/** The names of the emulators that can be started, in the order in which people see them. */
export function foundEmulators(search: EmulatorSearch): EmulatorName[] {
  return NAMES.filter((name) => search.commands[name] !== undefined);
}

/** One line for people: which emulators are missing, why, and the command that installs them. Empty if none is missing. */
export function describeMissing(search: EmulatorSearch): string {
  const missing = NEEDED.filter((name) => search.commands[name] === undefined);
  if (missing.length === 0) return "";
  if (search.hidden) return "EMULATORS=none hides them; unset it to use the installed ones";
  const java = search.javaMissing ? " (it is there, but `java` is not on PATH)" : "";
  const packages = missing.map((name) => `google-cloud-cli-${name}-emulator`);
  const components = missing.map((name) => `cloud-${name}-emulator`);
  if (search.javaMissing) packages.push("default-jre-headless");
  return (
    `missing: ${missing.join(", ")}${java}; ` +
    `to install: \`gcloud components install ${components.join(" ")}\`, ` +
    `or with Google's apt repository: \`sudo apt-get install ${packages.join(" ")}\``
  );
}

const NEEDED: readonly NeededEmulator[] = ["spanner", "firestore"];
const NAMES: readonly EmulatorName[] = [...NEEDED, "pubsub"];

/** Where the CLI's packages and components put the start commands, below its root. */
const COMMAND_BELOW_ROOT: Record<EmulatorName, string> = {
  spanner: join("bin", "cloud_spanner_emulator", "emulator_main"),
  firestore: join("platform", "cloud-firestore-emulator", "cloud_firestore_emulator"),
  pubsub: join("platform", "pubsub-emulator", "bin", "cloud-pubsub-emulator"),
};

/** `gcloud info` starts a Python program: 1-2 s is usual, and more than this is no help to somebody who waits. */
const INFO_TIMEOUT_MS = 5_000;

function addFrom(root: string, search: EmulatorSearch, environment: NodeJS.ProcessEnv): void {
  for (const name of NAMES) {
    const command = join(root, COMMAND_BELOW_ROOT[name]);
    if (search.commands[name] !== undefined || !isExecutable(command)) continue;
    // The others' start commands are shell scripts around a jar; Firestore's takes the Java of JAVA, else that of PATH.
    const runs = name === "spanner" || Boolean(environment["JAVA"]) || onPath("java", environment) !== undefined;
    if (runs) search.commands[name] = command;
    else search.javaMissing = true;
  }
}

/** The roots that cost no process to find. */
function cheapRoots(environment: NodeJS.ProcessEnv): string[] {
  const roots: string[] = [];
  if (environment["CLOUDSDK_ROOT"]) roots.push(environment["CLOUDSDK_ROOT"]);
  const gcloud = onPath("gcloud", environment);
  if (gcloud !== undefined) roots.push(dirname(dirname(realpathSync(gcloud))));
  return roots;
}

/** Asks the CLI itself, for installations where `gcloud` on PATH is a wrapper that lies elsewhere. */
async function rootByInfo(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const gcloud = onPath("gcloud", environment);
  if (gcloud === undefined) return undefined;
  return await new Promise((resolve) => {
    const query = ["info", "--format=value(installation.sdk_root)"];
    execFile(gcloud, query, { env: environment, timeout: INFO_TIMEOUT_MS }, (error, output) =>
      resolve(error === null && output.trim() !== "" ? output.trim() : undefined),
    );
  });
}

function onPath(command: string, environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
