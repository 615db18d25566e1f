// Shows, with the real clients against Google's emulators, that the proxy counts, refuses, loses and holds calls.
// It must never run without emulators: start it through local/with-emulators.ts, which sets the environment.

import type { EventEmitter } from "node:events";
import { type DocumentReference, Firestore } from "@google-cloud/firestore";
import { type Database, Spanner } from "@google-cloud/spanner";
import { type GrpcProxy, startGrpcProxy } from "./grpc-proxy.ts";

/** gRPC codes. */
const DEADLINE_EXCEEDED = 4;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;

describe("Spanner's client through the proxy", () => {
  let proxy: GrpcProxy;
  let spanner: Spanner;
  let database: Database;

  beforeAll(async () => {
    proxy = await startGrpcProxy({ target: hostFrom("SPANNER_EMULATOR_HOST") });
    // The client reads the variable when it is made, and prefers it to its own settings.
    const emulator = hostFrom("SPANNER_EMULATOR_HOST");
    process.env["SPANNER_EMULATOR_HOST"] = proxy.host;
    spanner = new Spanner();
    process.env["SPANNER_EMULATOR_HOST"] = emulator;
    database = await makeDatabase(spanner);
    // The first write makes the session; the tests count what comes after it.
    await database.table("Notes").insert({ id: "first" });
  });
  beforeEach(() => proxy.reset());
  afterAll(async () => {
    await database.close();
    await spanner.close();
    await proxy.close();
  });

  test("counts a new client's session, then two calls for an insert", async () => {
    const [created, operation] = await spanner.instance("proxy-test").createDatabase("proxy-test-2", { schema: NOTES });
    await operation.promise();
    survive(created);
    await created.table("Notes").insert({ id: "a" });

    expect(proxy.counts()).toMatchObject({ CreateDatabase: 1, BeginTransaction: 1, Commit: 1 });
    expect(proxy.counts()["CreateSession"]).toBeGreaterThanOrEqual(1);
    await created.close();
  });

  test("lists the calls of a known session in order", async () => {
    await database.table("Notes").insert({ id: "counted" });

    expect(proxy.sequence()).toEqual(["BeginTransaction", "Commit"]);
    expect(proxy.counts()).toEqual({ BeginTransaction: 1, Commit: 1 });
  });

  test("a commit whose reply is lost as UNAVAILABLE is sent again and applied once", async () => {
    proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });

    await database.table("Notes").insert({ id: "lost-reply" });

    expect(proxy.counts()).toEqual({ BeginTransaction: 1, Commit: 2 });
    expect(await notes(database, "lost-reply")).toBe(1);
  });

  test("a commit whose reply is lost as DEADLINE_EXCEEDED fails although it was applied", async () => {
    proxy.fault({ method: "Commit", nth: 1, when: "after", status: DEADLINE_EXCEEDED });

    await expect(database.table("Notes").insert({ id: "in-doubt" })).rejects.toMatchObject({ code: DEADLINE_EXCEEDED });

    expect(await notes(database, "in-doubt")).toBe(1);
  });

  test("a commit refused before it took effect leaves no row", async () => {
    proxy.fault({ method: "Commit", nth: 1, when: "before", status: DEADLINE_EXCEEDED });

    await expect(database.table("Notes").insert({ id: "refused" })).rejects.toMatchObject({ code: DEADLINE_EXCEEDED });

    expect(await notes(database, "refused")).toBe(0);
  });

  test("a fault can hang before it strikes", async () => {
    proxy.fault({ method: "Commit", nth: 1, when: "before", status: DEADLINE_EXCEEDED, hangMs: 200 });
    const startedMs = performance.now();

    await expect(database.table("Notes").insert({ id: "hung" })).rejects.toMatchObject({ code: DEADLINE_EXCEEDED });

    // A timer may fire up to a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(199);
  });

  test("an error that the emulator answers without data keeps its status", async () => {
    await expect(database.table("Notes").insert({ id: "first" })).rejects.toMatchObject({ code: ALREADY_EXISTS });
  });

  test("a held commit has no effect until it is released", async () => {
    const held = proxy.hold("Commit");
    const write = database.table("Notes").insert({ id: "held" });
    await held.arrived();
    const before = await notes(database, "held");

    held.release();
    await write;

    expect([before, await notes(database, "held")]).toEqual([0, 1]);
  });

  test("a commit held after it took effect is visible while its client still waits", async () => {
    const held = proxy.hold("Commit", "after");
    const write = database.table("Notes").insert({ id: "late-reply" });
    await held.arrived();

    expect(await notes(database, "late-reply")).toBe(1);

    held.release();
    await write;
  });
});

describe("Firestore's client through the proxy", () => {
  let proxy: GrpcProxy;
  let firestore: Firestore;

  beforeAll(async () => {
    const emulator = hostFrom("FIRESTORE_EMULATOR_HOST");
    proxy = await startGrpcProxy({ target: emulator });
    process.env["FIRESTORE_EMULATOR_HOST"] = proxy.host;
    firestore = new Firestore();
    process.env["FIRESTORE_EMULATOR_HOST"] = emulator;
  });
  beforeEach(() => proxy.reset());
  afterAll(async () => {
    await firestore.terminate();
    await proxy.close();
  });

  test("create, get and conditional update are one call each", async () => {
    const document = newDocument(firestore);
    await document.create({ step: 1 });
    const read = await document.get();
    if (read.updateTime === undefined) throw new Error("the document was just created");
    await document.update({ step: 2 }, { lastUpdateTime: read.updateTime });

    expect(proxy.sequence()).toEqual(["Commit", "BatchGetDocuments", "Commit"]);
  });

  test("a create refused before it took effect is sent again", async () => {
    proxy.fault({ method: "Commit", nth: 1, when: "before", status: UNAVAILABLE });

    await newDocument(firestore).create({ step: 1 });

    expect(proxy.counts()).toEqual({ Commit: 2 });
  });

  test("a fault strikes the n-th call of its method from now on, once", async () => {
    proxy.fault({ method: "Commit", nth: 2, when: "before", status: PERMISSION_DENIED, message: "by the test" });

    await newDocument(firestore).create({ step: 1 });
    await expect(newDocument(firestore).create({ step: 2 })).rejects.toThrow("by the test");
    await newDocument(firestore).create({ step: 3 });
  });

  test("a create whose reply is lost answers ALREADY_EXISTS because of its own write", async () => {
    const document = newDocument(firestore);
    proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });

    await expect(document.create({ owner: "me" })).rejects.toMatchObject({ code: ALREADY_EXISTS });

    expect((await document.get()).get("owner")).toBe("me");
  });
});

const NOTES = ["CREATE TABLE Notes (id STRING(64) NOT NULL) PRIMARY KEY (id)"];

async function makeDatabase(spanner: Spanner): Promise<Database> {
  const [instance, creation] = await spanner.createInstance("proxy-test", {
    config: "emulator-config",
    nodes: 1,
    displayName: "proxy test",
  });
  await creation.promise();
  const [database, schema] = await instance.createDatabase("proxy-test-1", { schema: NOTES });
  await schema.promise();
  survive(database);
  return database;
}

/** Without a listener the client's background errors would end the process. (Its types hide that it is an EventEmitter.) */
function survive(database: Database): void {
  (database as unknown as EventEmitter).on("error", () => {});
}

async function notes(database: Database, id: string): Promise<number> {
  const [rows] = await database.run({ sql: "SELECT id FROM Notes WHERE id = @id", params: { id } });
  return rows.length;
}

function newDocument(firestore: Firestore): DocumentReference {
  return firestore.collection("proxy-test").doc();
}

function hostFrom(variable: string): string {
  const host = process.env[variable];
  if (host === undefined) throw new Error(`${variable} is not set: run this through local/with-emulators.ts`);
  return host;
}
