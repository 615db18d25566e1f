// Runs the cache's contract on the real client library against Google's Firestore emulator, then counts and loses calls.
// It must never reach a real project: the support file insists on the emulator.
import { Timestamp } from "@google-cloud/firestore";
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
  beforeAll(async () => {
    firestore = await openEmulatedFirestore();
    cache = cacheOver(firestore);
  });
  beforeEach(() => firestore.proxy.reset());
  afterAll(async () => await firestore.close());

  const documentOf = async (keyHash: string) =>
    await firestore.database.collection(firestore.collection).doc(keyHash).get();

  describe("calls that are paid for", () => {
    test("a claim, a read and a replace are one call each", async () => {
      const keyHash = newKeyHash();

      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      expect(firestore.proxy.sequence()).toEqual(["Commit"]);
      await cache.read(keyHash);
      expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments"]);
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments", "Commit"]);
    });

    test("a claim of a taken key and a lost replace are two calls each", async () => {
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      await cache.replace(keyHash, version, { ...claimBy("worker-2"), generation: 2 });
      firestore.proxy.reset();

      await cache.claim(keyHash, claimBy("worker-3"));
      expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments"]);
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments", "Commit", "BatchGetDocuments"]);
    });
  });

  describe("replies that get lost", () => {
    test("a create that was applied but not answered is claimed, under the version that stands", async () => {
      const keyHash = newKeyHash();
      firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });

      const claimed = await cache.claim(keyHash, claimBy("worker-1"));

      expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit", "BatchGetDocuments"]);
      expect(claimed.kind).toBe("claimed");
      expect(await cache.replace(keyHash, claimed.version, completedBy("worker-1", "{}"))).toMatchObject({
        kind: "replaced",
      });
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
      expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit"]);
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

function cacheOver({ database, collection }: EmulatedFirestore): IdempotencyCache {
  return firestoreIdempotencyCache({ database, collection, deleteAfterField: "deleteAfter" });
}
