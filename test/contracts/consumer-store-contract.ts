// What every store of consumers must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import { type Marker, markerIds } from "../../functions/domain/consumption.ts";
import type { ConsumerStore, EffectDocument, HeldMarkers } from "../../functions/flows/consumer-ports.ts";
import type { DocumentReader } from "../../functions/flows/document-ports.ts";

/** A store for one suite; `documents` reads what it wrote, `collection` is one of the suite's own for documents. */
export type ConsumerStoreUnderTest = {
  readonly store: ConsumerStore;
  readonly collection: string;
  readonly documents: DocumentReader;
  close(): Promise<void>;
};

/** Registers the suite. */
export function consumerStoreContract(open: () => Promise<ConsumerStoreUnderTest>): void {
  let subject: ConsumerStoreUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const put = async (marker: Marker, nowMs = beginMs, documents: readonly EffectDocument[] = []) =>
    await subject.store.put({ ids: markerIds(marker), marker, documents }, nowMs);
  const claim = async (marker: Marker, nowMs = beginMs): Promise<HeldMarkers> => {
    const result = await put(marker, nowMs);
    if (result.kind !== "written") throw new Error(`The claim was ${result.kind}.`);
    return result.held;
  };
  const read = async (id: string) => (await subject.documents.find(subject.collection, id))?.fields;
  const kindOf = async (marker: Marker, nowMs = beginMs) => (await put(marker, nowMs)).kind;
  const document = (write: EffectDocument["write"], words: string, id = newName("doc")): EffectDocument => ({
    ...{ collection: subject.collection, id, write },
    fields: {
      words,
      amountMinor: "1099",
      bytes: new Uint8Array([1, 2, 255]),
      names: ["a", "b"],
      none: null,
      at: new Date(beginMs),
    },
  });

  describe("a claim", () => {
    test("of a new event is won, and while its lease runs nobody else wins it", async () => {
      const first = inProgress();

      expect(await kindOf(first)).toBe("written");
      expect(await kindOf({ ...first, token: "other" }, first.leaseUntilMs - 1)).toBe("busy");
    });

    test("is refused for another event of the same action, and for the same event under another action", async () => {
      const first = inProgress();
      await claim(first);

      expect(await kindOf({ ...first, eventId: newName("evt"), token: "other" })).toBe("busy");
      expect(await kindOf({ ...first, action: newName("action"), token: "other" })).toBe("busy");
    });

    test("of another consumer for the same event and action is its own", async () => {
      const first = inProgress();
      await claim(first);

      expect(await kindOf({ ...first, consumer: "invoice", token: "other" })).toBe("written");
    });

    test("is won by the next one when its lease is over, at the millisecond, and the first one can neither finish nor release it", async () => {
      const first = inProgress();
      const held = await claim(first);
      const second = { ...first, token: "second", leaseUntilMs: first.leaseUntilMs + 9_000 };

      const taken = await claim(second, first.leaseUntilMs);

      expect(await subject.store.finish(held, done(first))).toBe("lost");
      await subject.store.release(held);
      expect(await kindOf({ ...first, token: "third" }, first.leaseUntilMs)).toBe("busy");
      expect(await subject.store.finish(taken, done(second))).toBe("finished");
    });

    test("that is made again with its own token is won again: its reply was lost", async () => {
      const first = inProgress();
      await claim(first);

      const held = await claim(first);

      expect(await subject.store.finish(held, done(first))).toBe("finished");
    });

    test("of 10 parallel deliveries is won once", async () => {
      const first = inProgress();

      const kinds = await Promise.all(
        Array.from({ length: 10 }, (_, index) => kindOf({ ...first, token: `t${index}` })),
      );

      expect(kinds.filter((kind) => kind === "written")).toHaveLength(1);
      expect(kinds.filter((kind) => kind === "busy")).toHaveLength(9);
    });

    test("of 10 parallel deliveries that take over is won once", async () => {
      const first = inProgress();
      await claim(first);
      const laterMs = first.leaseUntilMs + 1;
      const lease = { leaseUntilMs: laterMs + 9_000 };

      const kinds = await Promise.all(
        Array.from({ length: 10 }, (_, index) => kindOf({ ...first, ...lease, token: `t${index}` }, laterMs)),
      );

      expect(kinds.filter((kind) => kind === "written")).toHaveLength(1);
    });
  });

  describe("what is finished", () => {
    test("is done for every later delivery of the event or of the action, for good", async () => {
      const first = inProgress();
      await subject.store.finish(await claim(first), done(first));
      const muchLaterMs = beginMs + 80 * 24 * 3_600_000;

      expect(await kindOf({ ...first, token: "other" }, muchLaterMs)).toBe("done");
      expect(await kindOf({ ...first, eventId: newName("evt"), token: "other" }, muchLaterMs)).toBe("done");
      expect(await kindOf({ ...first, action: newName("action"), token: "other" }, muchLaterMs)).toBe("done");
    });

    test("stays finished when finishing is repeated, and a late release does not undo it", async () => {
      const first = inProgress();
      const held = await claim(first);
      await subject.store.finish(held, done(first));

      expect(await subject.store.finish(held, done(first))).toBe("finished");
      await subject.store.release(held);
      expect(await kindOf({ ...first, token: "other" })).toBe("done");
    });
  });

  test("what is released is free at once", async () => {
    const first = inProgress();
    await subject.store.release(await claim(first));

    expect(await kindOf({ ...first, token: "other" })).toBe("written");
  });

  describe("documents", () => {
    test("stand as soon as their markers do, with every kind of field", async () => {
      const marker = done(inProgress());
      const offered = document("create", "Jürgen & <b>");

      expect((await put(marker, beginMs, [offered])).kind).toBe("written");

      expect(await read(offered.id)).toEqual(offered.fields);
    });

    test("are not written when the action was done: neither created nor replaced", async () => {
      const first = done(inProgress());
      const [created, replaced] = [document("create", "first"), document("put", "first")];
      await put(first, beginMs, [created, replaced]);
      const again = [document("create", "second"), document("put", "second", replaced.id)];

      expect((await put({ ...first, eventId: newName("evt"), token: "other" }, beginMs, again)).kind).toBe("done");

      expect(await read(again[0]?.id ?? "")).toBeUndefined();
      expect((await read(replaced.id))?.["words"]).toBe("first");
    });

    test("that are created once count as done even when their markers are gone", async () => {
      const standing = document("create", "first");
      await put(done(inProgress()), beginMs, [standing]);
      const beside = document("put", "beside");

      const result = await put(done(inProgress()), beginMs, [document("create", "second", standing.id), beside]);

      expect(result.kind).toBe("done");
      expect((await read(standing.id))?.["words"]).toBe("first");
      expect(await read(beside.id)).toBeUndefined();
    });

    test("are listed in the order of their names, no more than asked", async () => {
      const offered = ["zzz_1", "zzz_3", "zzz_2"].map((id) => document("put", id, id));
      await put(done(inProgress()), beginMs, offered);

      const listed = (await subject.documents.list(subject.collection, 1_000)).map(({ id }) => id);

      expect(listed.filter((id) => id.startsWith("zzz"))).toEqual(["zzz_1", "zzz_2", "zzz_3"]);
      expect(await subject.documents.list(subject.collection, 2)).toHaveLength(2);
    });

    test("that several actions put are the last one's", async () => {
      const shared = document("put", "first");
      await put(done(inProgress()), beginMs, [shared]);

      await put(done(inProgress()), beginMs, [document("put", "second", shared.id)]);

      expect((await read(shared.id))?.["words"]).toBe("second");
    });

    test("of 10 parallel deliveries of two events for one action are written once", async () => {
      const first = done(inProgress());
      const events = [first.eventId, newName("evt")];
      const offers = Array.from({ length: 10 }, (_, index) => document("create", `from ${index}`));

      const kinds = await Promise.all(
        offers.map(async (offered, index) => {
          const marker = { ...first, eventId: events[index % 2] ?? "", token: `t${index}` };
          return (await put(marker, beginMs, [offered])).kind;
        }),
      );

      const written = await Promise.all(offers.map(async ({ id }) => await read(id)));
      expect(kinds.filter((kind) => kind === "written")).toHaveLength(1);
      expect(written.filter((one) => one !== undefined)).toHaveLength(1);
    });
  });
}

/** 2026-01-15 12:00:00 UTC. */
const beginMs = 1_768_478_400_000;

function inProgress(): Marker {
  return {
    consumer: "notification",
    eventId: newName("evt"),
    action: newName("receipt:pi"),
    token: "first",
    state: "in_progress",
    leaseUntilMs: beginMs + 9_000,
    outcome: null,
    deleteAfterMs: beginMs + 90 * 24 * 3_600_000,
  };
}

function done(marker: Marker): Marker {
  return { ...marker, state: "done", leaseUntilMs: 0, outcome: "sent" };
}

function newName(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
