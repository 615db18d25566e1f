// A Google Cloud CLI root in a temporary folder, whose emulators are a few lines of node: for tests of the search and start.
// It must never contain anything that reaches beyond loopback, and it is deleted with `remove`.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The fake installation. `emptyFolder` is a PATH on which nothing is. */
export type FakeSdk = {
  root: string;
  spannerCommand: string;
  firestoreCommand: string;
  /** A PATH folder that holds `java`. */
  javaFolder: string;
  /** A PATH folder that holds a link to the fake root's own `gcloud`. */
  gcloudFolder: string;
  /** A PATH folder whose `gcloud` is a wrapper outside the root: only `gcloud info` knows the root. */
  wrapperFolder: string;
  emptyFolder: string;
  /** Makes the next start of the Firestore emulator end at once. */
  breakFirestore(): void;
  remove(): void;
};

/** Makes the folder, with the two needed emulators in it, and Pub/Sub's if so asked. */
export function makeFakeSdk({ hasPubsub = false } = {}): FakeSdk {
  const base = mkdtempSync(join(tmpdir(), "fake-sdk-"));
  const root = join(base, "sdk");
  const spannerCommand = join(root, "bin", "cloud_spanner_emulator", "emulator_main");
  const firestoreCommand = join(root, "platform", "cloud-firestore-emulator", "cloud_firestore_emulator");
  const server = join(base, "server.mjs");
  write(server, SERVER);
  script(spannerCommand, `exec '${process.execPath}' '${server}' "$@"`);
  // Not `exec`: like the real one, this start command forks, and ending only its shell would leave an orphan.
  script(firestoreCommand, `'${process.execPath}' '${server}' "$@"; true`);
  const pubsubCommand = join(root, "platform", "pubsub-emulator", "bin", "cloud-pubsub-emulator");
  if (hasPubsub) script(pubsubCommand, `'${process.execPath}' '${server}' "$@"; true`);
  script(join(root, "bin", "gcloud"), "exit 1");
  script(join(base, "java", "java"), "exit 0");
  script(join(base, "wrapper", "gcloud"), `echo '${root}'`);
  mkdirSync(join(base, "link"));
  symlinkSync(join(root, "bin", "gcloud"), join(base, "link", "gcloud"));
  mkdirSync(join(base, "empty"));
  return {
    root,
    spannerCommand,
    firestoreCommand,
    javaFolder: join(base, "java"),
    gcloudFolder: join(base, "link"),
    wrapperFolder: join(base, "wrapper"),
    emptyFolder: join(base, "empty"),
    breakFirestore: () => script(firestoreCommand, "exit 3"),
    remove: () => rmSync(base, { recursive: true }),
  };
}

/** Listens on the port that ends one of its arguments; answers HTTP with its arguments as the body. */
const SERVER = `
import { createServer } from "node:http";
const port = Number(/\\d+$/.exec(process.argv.findLast((argument) => /^--(host_)?port=/.test(argument)))[0]);
createServer((_request, response) => response.end(process.argv.slice(2).join(" "))).listen(port, "127.0.0.1");
`;

function script(path: string, body: string): void {
  write(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
