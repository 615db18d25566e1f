// Shows that what the build leaves out of Google's clients is not needed: every kind of call, made by a bundle.
// It must never import the clients itself for those calls; only the database is prepared here.
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Spanner } from "@google-cloud/spanner";
import { bundleFunction } from "../../scripts/build/bundle.ts";
import { startBundle } from "../../scripts/build/start-bundle.ts";
import { openEmulatorTopic } from "../support/pubsub-topic.ts";

const root = path.join(import.meta.dirname, "..", "..");
const schema = "CREATE TABLE Things (Id STRING(36), Amount INT64, Body BYTES(MAX)) PRIMARY KEY (Id)";
/** ALREADY_EXISTS and FAILED_PRECONDITION, as gRPC numbers them. */
const alreadyExists = 6;
const failedPrecondition = 9;

test("a bundled function can make every kind of call that the adapters make", async () => {
  // Given an empty database and a bundle
  await createDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), "bundled-clients-"));
  const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const entry = path.join(import.meta.dirname, "bundled-clients-entry.ts");
  await bundleFunction({ name: "bundled-clients", entry, out: folder, lockfile });

  const bus = process.env["PUBSUB_EMULATOR_HOST"] === undefined ? undefined : await openEmulatorTopic();
  const environment = { ...emulatorSettings(), TOPIC: bus?.topic ?? "" };

  // When the function is asked
  const started = await startBundle({ name: "bundled-clients", folder, environment });
  try {
    const answer = await (await fetch(started.baseUrl)).json();

    // Then every call has its true result, refusals included
    expect(answer).toEqual({
      firestoreCreate: alreadyExists,
      firestoreUpdate: failedPrecondition,
      firestoreQuery: 1,
      spannerBlindInsert: alreadyExists,
      spannerTransaction: 1,
      spannerRead: "9007199254740994",
      spannerQuery: { Things: 1 },
      pubsubPublish: "sent",
    });
    const received = (await bus?.received(1)) ?? [{ attributes: { of: "a bundle" } }];
    expect(received).toMatchObject([{ attributes: { of: "a bundle" } }]);
  } finally {
    await Promise.all([started.stop(), bus?.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
});

// Through the admin clients, because a handle of the hand-written client opens sessions that would have to be closed.
async function createDatabase(): Promise<void> {
  const spanner = new Spanner({ projectId: "local-project" });
  const project = "projects/local-project";
  const [instance] = await spanner.getInstanceAdminClient().createInstance({
    parent: project,
    instanceId: "bundle-test",
    instance: { config: `${project}/instanceConfigs/emulator-config`, displayName: "Bundle test", nodeCount: 1 },
  });
  await instance.promise();
  const [database] = await spanner.getDatabaseAdminClient().createDatabase({
    parent: `${project}/instances/bundle-test`,
    createStatement: "CREATE DATABASE `bundle-test`",
    extraStatements: [schema],
  });
  await database.promise();
  await spanner.close();
}

function emulatorSettings(): Record<string, string> {
  const isForClients = (name: string) => /EMULATOR_HOST$|^GOOGLE_CLOUD_|^METADATA_/.test(name);
  const settings = Object.entries(process.env).filter(([name]) => isForClients(name)) as [string, string][];
  return { ...Object.fromEntries(settings), PROJECT_ID: "local-project" };
}
