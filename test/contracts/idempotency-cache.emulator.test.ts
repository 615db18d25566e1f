// Runs the cache's contract on the real client library against Google's Firestore emulator, then counts and loses calls.
// It must never reach a real project: the support file insists on the emulator.
import { type Firestore, Timestamp } from "@google-cloud/firestore";
import { type OpenFirestore, openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import type { IdempotencyCache } from "../../functions/flows/ports.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { claimBy, completedBy, idempotencyCacheContract, newKeyHash } from "./idempotency-cache-contract.ts";

idempotencyCacheContract(async () => {
  const firestore = await openEmulatedFirestore();
  return { cache: cacheOver(firestore), wipe: firestore.wipe, close: firestore.close };
});

describe("the cache in Firestore", () => {
  let firestore: EmulatedFirestore;
  let cache: IdempotencyCache;
  /** The same collection past the proxy: what happens there is neither counted nor disturbed. */
  let past: IdempotencyCache;
  let direct: OpenFirestore;
  beforeAll(async () => {
    firestore = await openEmulatedFirestore();
    cache = cacheOver(firestore);
    direct = openFirestore({ projectId: "local-project", databaseId: "payments" });
    past = cacheOver({ ...firestore, database: direct.database });
  });
  beforeEach(() => firestore.proxy.reset());
  afterAll(async () => {
    await Promise.all([firestore.close(), direct.close()]);
  });

  const documentOf = async (keyHash: string) =>
    await firestore.database.collection(firestore.collection).doc(keyHash).get();

  describe("calls that are paid for", () => {
    test("a claim is a create and a read, a read and a replace are one call each", async () => {
      const keyHash = newKeyHash();

      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      expect(firestore.proxy.counts()).toEqual({ Commit: 1, BatchGetDocuments: 1 });
      firestore.proxy.reset();
      await cache.read(keyHash);
      expect(firestore.proxy.sequence()).toEqual(["BatchGetDocuments"]);
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      expect(firestore.proxy.sequence()).toEqual(["BatchGetDocuments", "Commit"]);
    });

    test("a claim of a taken key and a lost replace are two calls each", async () => {
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      await cache.replace(keyHash, version, { ...claimBy("worker-2"), generation: 2 });
      firestore.proxy.reset();

      await cache.claim(keyHash, claimBy("worker-3"));
      expect(firestore.proxy.counts()).toEqual({ Commit: 1, BatchGetDocuments: 1 });
      firestore.proxy.reset();
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments"]);
    });
  });

  describe("the read beside a create", () => {
    test("waits for no answer of the create, so a claim of a taken key is one round trip", async () => {
      const keyHash = newKeyHash();
      await past.claim(keyHash, claimBy("worker-1"));
      const [create, read] = [firestore.proxy.hold("Commit"), firestore.proxy.hold("BatchGetDocuments")];

      const claim = cache.claim(keyHash, claimBy("worker-2"));
      await Promise.all([create.arrived(), read.arrived()]);
      create.release();
      read.release();

      expect(await claim).toMatchObject({ kind: "exists", record: { owner: "worker-1" } });
    });

    test("is not waited for once the create is made", async () => {
      const read = firestore.proxy.hold("BatchGetDocuments");
      expect(await cache.claim(newKeyHash(), claimBy("worker-1"))).toMatchObject({ kind: "claimed" });
      read.release();
    });

    test("may fail: the create's success stands, and after a refusal both are made again", async () => {
      // The real client takes seconds until it gives a read up.
      const keyHash = newKeyHash();
      const { version } = await past.claim(keyHash, claimBy("worker-1"));
      const failing = (key: string) => {
        const document = direct.database.collection(firestore.collection).doc(key);
        const get = () => (get.tries++ === 0 ? Promise.reject(new Error("no answer")) : document.get());
        get.tries = 0;
        const doc = () => ({ get, create: (fields: object) => document.create(fields) });
        return cacheOver({ ...firestore, database: { collection: () => ({ doc }) } as unknown as Firestore });
      };

      const free = newKeyHash();
      expect(await failing(free).claim(free, claimBy("worker-2"))).toMatchObject({ kind: "claimed" });
      const exists = { kind: "exists", record: claimBy("worker-1"), version };
      expect(await failing(keyHash).claim(keyHash, claimBy("worker-2"))).toEqual(exists);
    });

    test("is made again, with the create, when it came before the twin's create", async () => {
      // given worker-2 whose read found nothing and whose create is on its way
      const keyHash = newKeyHash();
      const create = firestore.proxy.hold("Commit");
      const read = firestore.proxy.hold("BatchGetDocuments", "after");
      const late = cache.claim(keyHash, claimBy("worker-2"));
      await Promise.all([create.arrived(), read.arrived()]);
      read.release();
      // when worker-1 comes first
      const { version } = await past.claim(keyHash, claimBy("worker-1"));
      create.release();
      // then
      expect(await late).toEqual({ kind: "exists", record: claimBy("worker-1"), version });
    });

    test("may be older than the refusal: whoever builds on it loses", async () => {
      // given worker-2 who read worker-1's claim and has not heard of it yet
      const keyHash = newKeyHash();
      const { version } = await past.claim(keyHash, claimBy("worker-1"));
      const read = firestore.proxy.hold("BatchGetDocuments", "after");
      const late = cache.claim(keyHash, claimBy("worker-2"));
      await read.arrived();
      // when worker-1 answers
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      read.release();
      // then
      expect(await late).toEqual({ kind: "exists", record: claimBy("worker-1"), version });
      const taken = await cache.replace(keyHash, version, { ...claimBy("worker-2"), generation: 2 });
      expect(taken).toEqual({ kind: "lost" });
      expect((await cache.read(keyHash))?.record.state).toBe("completed");
    });
  });

  describe("replies that get lost", () => {
    test("a create that was applied but not answered is claimed, under the version that stands", async () => {
      // given a create whose reply is lost, and a read beside it that comes after it was applied
      const keyHash = newKeyHash();
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });
      const [create, read] = [firestore.proxy.hold("Commit", "after"), firestore.proxy.hold("BatchGetDocuments")];

      const claim = cache.claim(keyHash, claimBy("worker-1"));
      await Promise.all([create.arrived(), read.arrived()]);
      read.release();
      create.release();
      const claimed = await claim;

      // then the client's own retry is refused, and what was read tells whose write did that
      expect(firestore.proxy.counts()).toEqual({ Commit: 2, BatchGetDocuments: 1 });
      expect(claimed.kind).toBe("claimed");
      expect(await cache.replace(keyHash, claimed.version, completedBy("worker-1", "{}"))).toMatchObject({
        kind: "replaced",
      });
    });

    test("a create that was applied but not answered is claimed by a third one when the read beside it came before", async () => {
      const keyHash = newKeyHash();
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });
      const [create, read] = [firestore.proxy.hold("Commit"), firestore.proxy.hold("BatchGetDocuments", "after")];

      const claim = cache.claim(keyHash, claimBy("worker-1"));
      await Promise.all([create.arrived(), read.arrived()]);
      read.release();
      create.release();

      const { kind, version } = await claim;
      expect(firestore.proxy.counts()).toEqual({ Commit: 3, BatchGetDocuments: 2 });
      expect({ kind, version }).toEqual({ kind: "claimed", version: (await cache.read(keyHash))?.version });
    });

    test("an update that was applied but not answered is replaced, under the version that stands", async () => {
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      firestore.proxy.reset();
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });

      const replaced = await cache.replace(keyHash, version, completedBy("worker-1", "{}"));

      expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit", "BatchGetDocuments"]);
      expect(replaced).toEqual({ kind: "replaced", version: (await cache.read(keyHash))?.version });
    });

    test("a create that never arrived is made by the client's own retry", async () => {
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "before", status: UNAVAILABLE });

      expect(await cache.claim(newKeyHash(), claimBy("worker-1"))).toMatchObject({ kind: "claimed" });
      expect(firestore.proxy.counts()["Commit"]).toBe(2);
    });
  });

  describe("failures", () => {
    test.each([
      ["a missing grant is permission_denied", 7, "permission_denied"],
      ["any other refusal is store_unavailable", 13, "store_unavailable"],
    ])("%s", async (_title, status, code) => {
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "before", status, message: "secret detail" });

      const failure = await cache.claim(newKeyHash(), claimBy("worker-1")).catch((error: unknown) => error);

      expect(failure).toMatchObject({ name: "DomainError", code, cause: { code: status } });
      expect((failure as Error).message).not.toContain("secret detail");
    });
  });

  describe("what the TTL policy sees", () => {
    test("a claim without an answer may be deleted seven days after its lease, an answer when it expires", async () => {
      const keyHash = newKeyHash();

      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      const claimed = (await documentOf(keyHash)).get("deleteAfter");
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      const completed = (await documentOf(keyHash)).get("deleteAfter");

      expect(claimed).toEqual(Timestamp.fromDate(new Date("2025-01-08T00:00:30Z")));
      expect(completed).toEqual(Timestamp.fromDate(new Date("2025-01-02T00:00:00Z")));
    });

    test("versions keep the microseconds of the update time", async () => {
      const keyHash = newKeyHash();

      const { version } = await cache.claim(keyHash, claimBy("worker-1"));

      const updateTime = (await documentOf(keyHash)).updateTime;
      expect(version).toBe(`${updateTime?.seconds}.${String(updateTime?.nanoseconds).padStart(9, "0")}`);
    });
  });
});

/** gRPC code 14: the one that clients retry by themselves. */
const UNAVAILABLE = 14;

function cacheOver({ database, collection }: Pick<EmulatedFirestore, "database" | "collection">): IdempotencyCache {
  return firestoreIdempotencyCache({ database, collection, deleteAfterField: "deleteAfter" });
}
