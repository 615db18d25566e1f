// What every idempotency cache must do, whatever it is made of: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import type { CacheRecord, IdempotencyCache } from "../../functions/flows/ports.ts";

/** A cache for one suite; `wipe` deletes every record behind its back, `close` ends what it holds. */
export type CacheUnderTest = {
  readonly cache: IdempotencyCache;
  wipe(): Promise<void>;
  close(): Promise<void>;
};

/** Registers the suite. */
export function idempotencyCacheContract(open: () => Promise<CacheUnderTest>): void {
  let subject: CacheUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  describe("claiming", () => {
    test("a key without a record is claimed, and the record can be read under the returned version", async () => {
      const keyHash = newKeyHash();

      const claimed = await subject.cache.claim(keyHash, claimBy("worker-1"));

      expect(claimed).toMatchObject({ kind: "claimed", record: claimBy("worker-1") });
      expect(await subject.cache.read(keyHash)).toEqual({ record: claimBy("worker-1"), version: claimed.version });
    });

    test("a key with a record is not claimed, and the answer carries that record and its version", async () => {
      const keyHash = newKeyHash();
      const first = await subject.cache.claim(keyHash, claimBy("worker-1"));

      const second = await subject.cache.claim(keyHash, claimBy("worker-2"));

      expect(second).toEqual({ kind: "exists", record: claimBy("worker-1"), version: first.version });
    });

    test("a claim that its own owner repeats, as after a lost reply, is claimed under the same version", async () => {
      const keyHash = newKeyHash();
      const first = await subject.cache.claim(keyHash, claimBy("worker-1"));

      const repeated = await subject.cache.claim(keyHash, claimBy("worker-1"));

      expect(repeated).toEqual({ kind: "claimed", record: claimBy("worker-1"), version: first.version });
    });

    test("a claim is not its owner's any more once the owner completed it", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      await subject.cache.replace(keyHash, version, completedBy("worker-1", "{}"));

      expect(await subject.cache.claim(keyHash, claimBy("worker-1"))).toMatchObject({ kind: "exists" });
    });

    test("of 20 parallel claims exactly one is claimed, and all the others are shown the winner", async () => {
      const keyHash = newKeyHash();
      const owners = Array.from({ length: 20 }, (_, index) => `worker-${index}`);

      const claims = await Promise.all(owners.map((owner) => subject.cache.claim(keyHash, claimBy(owner))));

      expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
      expect(new Set(claims.map(({ record }) => record.owner)).size).toBe(1);
      expect(new Set(claims.map(({ version }) => version)).size).toBe(1);
    });

    test("F56 of 32 keys that are claimed at once each claim can be read", async () => {
      const keys = Array.from({ length: 32 }, () => newKeyHash());

      const claims = await Promise.all(keys.map((keyHash) => subject.cache.claim(keyHash, claimBy("worker-1"))));

      expect(claims.map(({ kind }) => kind)).toEqual(keys.map(() => "claimed"));
      const read = await Promise.all(keys.map((keyHash) => subject.cache.read(keyHash)));
      expect(read).toEqual(claims.map(({ record, version }) => ({ record, version })));
    });

    test("two keys do not know each other", async () => {
      await subject.cache.claim(newKeyHash(), claimBy("worker-1"));

      expect(await subject.cache.read(newKeyHash())).toBeUndefined();
    });
  });

  describe("replacing", () => {
    test("the current version lets the record be replaced, field by field, under a new version", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      const takenOver = {
        ...claimBy("worker-2"),
        generation: 2,
        leaseUntilMs: 1_735_689_660_000,
        fingerprint: "f".repeat(64),
      };

      const replaced = await subject.cache.replace(keyHash, version, takenOver);

      expect(replaced.kind).toBe("replaced");
      const found = await subject.cache.read(keyHash);
      expect(found).toEqual({ record: takenOver, version: "version" in replaced && replaced.version });
      expect(found?.version).not.toBe(version);
    });

    test("an answer comes back as the same bytes, and a release afterwards leaves nothing of it", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      const completed = completedBy("worker-1", '{"id":"pi_1","note":"😀"}');

      const replaced = await subject.cache.replace(keyHash, version, completed);
      const found = await subject.cache.read(keyHash);

      expect(bodyText(found?.record)).toBe('{"id":"pi_1","note":"😀"}');
      expect({ ...found?.record, outcome: null }).toEqual({ ...completed, outcome: null });
      await subject.cache.replace(keyHash, "version" in replaced ? replaced.version : "", releasedBy("worker-1"));
      expect((await subject.cache.read(keyHash))?.record).toEqual(releasedBy("worker-1"));
    });

    test("an answer without a kept body keeps its status", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      const tombstone = { ...completedBy("worker-1", ""), outcome: { status: 200, body: null } };

      await subject.cache.replace(keyHash, version, tombstone);

      expect((await subject.cache.read(keyHash))?.record).toEqual(tombstone);
    });

    test("an empty body stays an empty body", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));

      await subject.cache.replace(keyHash, version, completedBy("worker-1", ""));

      expect(bodyText((await subject.cache.read(keyHash))?.record)).toBe("");
    });

    test("a version that is no longer current touches nothing", async () => {
      const keyHash = newKeyHash();
      const { version: stale } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      await subject.cache.replace(keyHash, stale, { ...claimBy("worker-2"), generation: 2 });
      const before = await subject.cache.read(keyHash);

      const late = await subject.cache.replace(keyHash, stale, completedBy("worker-1", "{}"));

      expect(late).toEqual({ kind: "lost" });
      expect(await subject.cache.read(keyHash)).toEqual(before);
    });

    test("a replace that its own writer repeats, as after a lost reply, is replaced under the version that stands", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      const first = await subject.cache.replace(keyHash, version, completedBy("worker-1", "{}"));

      const repeated = await subject.cache.replace(keyHash, version, completedBy("worker-1", "{}"));

      expect(repeated).toEqual(first);
    });

    test("of 20 parallel replaces of one version exactly one replaces", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-0"));
      const takers = Array.from({ length: 20 }, (_, index) => ({ ...claimBy(`taker-${index}`), generation: 2 }));

      const endings = await Promise.all(takers.map((taker) => subject.cache.replace(keyHash, version, taker)));

      expect(endings.filter(({ kind }) => kind === "replaced")).toHaveLength(1);
    });
  });

  describe("a wiped collection", () => {
    test("a replace of a record that is gone is lost, and makes no record", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      await subject.wipe();

      expect(await subject.cache.replace(keyHash, version, completedBy("worker-1", "{}"))).toEqual({ kind: "lost" });
      expect(await subject.cache.read(keyHash)).toBeUndefined();
    });

    test("a version of an earlier life never matches a later claim of the same key, nor any generation of it", async () => {
      const keyHash = newKeyHash();
      const first = await subject.cache.claim(keyHash, claimBy("worker-1"));
      await subject.wipe();
      const second = await subject.cache.claim(keyHash, claimBy("worker-2"));

      const late = await subject.cache.replace(keyHash, first.version, releasedBy("worker-1"));

      expect(second.kind).toBe("claimed");
      expect(late).toEqual({ kind: "lost" });
      expect(await subject.cache.read(keyHash)).toEqual({ record: claimBy("worker-2"), version: second.version });
    });
  });

  describe("answers that are too large for a document (F12)", () => {
    test.each([
      [
        "F12: 1 048 577 bytes that compress are kept and come back identical",
        Buffer.alloc(1_048_577, '{"line":1}'),
        "kept",
      ],
      [
        "F12: 1 048 577 random bytes are left to the ledger, and the key still says completed",
        randomBytes(1_048_577),
        "in_ledger",
      ],
      ["F12: 921 600 random bytes just fit", randomBytes(921_600), "kept"],
    ])("%s", async (_title, body, expected) => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));

      const replaced = await subject.cache.replace(keyHash, version, {
        ...completedBy("worker-1", ""),
        outcome: { status: 200, body },
      });

      const record = (await subject.cache.read(keyHash))?.record;
      expect(replaced.kind).toBe("replaced");
      expect(record?.state).toBe("completed");
      if (expected === "in_ledger") expect(record?.outcome).toBe("in_ledger");
      else expect(bodyOf(record).equals(body)).toBe(true);
    });
  });

  describe("objects that were handed over", () => {
    test("bytes that a caller changes later, sent or received, do not change the record", async () => {
      const keyHash = newKeyHash();
      const { version } = await subject.cache.claim(keyHash, claimBy("worker-1"));
      const sent = Buffer.from("first");
      await subject.cache.replace(keyHash, version, {
        ...completedBy("worker-1", ""),
        outcome: { status: 200, body: sent },
      });
      sent.fill("x");
      bodyOf((await subject.cache.read(keyHash))?.record).fill("y");

      expect(bodyText((await subject.cache.read(keyHash))?.record)).toBe("first");
    });
  });
}

/** A claim of generation 1 made at 2025-01-01T00:00:00Z with a lease of 30 s. */
export function claimBy(owner: string): CacheRecord {
  return {
    state: "in_progress",
    owner,
    generation: 1,
    leaseUntilMs: 1_735_689_630_000,
    fingerprint: "a".repeat(64),
    requestId: "req_first",
    createdAtMs: 1_735_689_600_000,
    expiresAtMs: null,
    outcome: null,
  };
}

/** The same claim with an answer that is kept for a day. */
export function completedBy(owner: string, body: string): CacheRecord {
  const outcome = { status: 200, body: Buffer.from(body) };
  return { ...claimBy(owner), state: "completed", expiresAtMs: 1_735_776_000_000, outcome };
}

/** An identity that no other test uses. */
export function newKeyHash(): string {
  return keyIdentity("acct_1", false, randomBytes(12).toString("hex"));
}

function releasedBy(owner: string): CacheRecord {
  return { ...claimBy(owner), state: "released" };
}

/** The stored body over the record's own bytes; an empty one when there is none. */
function bodyOf(record: CacheRecord | undefined): Buffer {
  const { outcome = null } = record ?? {};
  const bytes = outcome === null || outcome === "in_ledger" ? null : outcome.body;
  if (bytes === null) throw new Error("The record has no body.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bodyText(record: CacheRecord | undefined): string {
  return bodyOf(record).toString("utf8");
}
