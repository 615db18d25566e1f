// What every outbox must do for its relay: hand out what is old and free, to one of them at a time, until it is removed.
// It must never know a product: it sees the port, the ledger that fills it, and a way to read whole tables.
import type { Change, Tables } from "../../functions/domain/rows.ts";
import type { LeaseQuery, Outbox } from "../../functions/flows/bus-ports.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import { eventRow, insertOf } from "../support/ledger-rows.ts";

/** An outbox with the ledger beneath it. */
export type OutboxUnderTest = {
  outbox: Outbox;
  ledger: Ledger;
  rows<T extends keyof Tables>(table: T): Promise<readonly Tables[T][]>;
  close(): Promise<void>;
};

/** 2026-01-15 12:00:00 UTC. */
const startMs = Date.UTC(2026, 0, 15, 12);

/** Declares the suite for one kind of outbox; each test has a store of its own time, ten minutes after the last. */
export function describeOutbox(name: string, open: () => Promise<OutboxUnderTest>): void {
  describe(`the outbox on ${name}`, () => {
    let store: OutboxUnderTest;
    let atMs = startMs;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => await store?.close());
    beforeEach(async () => {
      const left = (await store.rows("outbox")).map(({ eventId }) => eventId);
      await store.outbox.remove(left);
      atMs += 600_000;
    });

    /** Commits events of these ages in milliseconds, and gives their ids. */
    const given = async (...agesMs: number[]): Promise<string[]> => {
      const events = agesMs.map((ageMs) => eventRow({ createdAtMs: atMs - ageMs }));
      const changes = events.flatMap((event): Change[] => [
        insertOf("events", event),
        insertOf("outbox", { eventId: event.id, createdAtMs: event.createdAtMs, leaseUntilMs: null }),
      ]);
      expect(await store.ledger.insert("given", changes)).toBe("inserted");
      return events.map(({ id }) => id);
    };
    const lease = async (asked: Partial<LeaseQuery> = {}): Promise<string[]> => {
      const byDefault = { createdBeforeMs: atMs - 60_000, nowMs: atMs, leaseUntilMs: atMs + 30_000, limit: 10 };
      return (await store.outbox.lease({ ...byDefault, ...asked })).map(({ id }) => id);
    };
    const waiting = async () => (await store.rows("outbox")).map(({ eventId }) => eventId).sort();

    test("hands out rows older than a time with their events, oldest first, and at most as many as asked for", async () => {
      const [young, old, oldest, exact] = await given(59_999, 61_000, 90_000, 60_000);

      expect(await lease({ limit: 1 })).toEqual([oldest]);
      expect(await lease()).toEqual([old]);
      expect(await waiting()).toEqual([young, old, oldest, exact].sort());
    });

    test("gives the event as it was committed", async () => {
      const [id] = await given(70_000);
      const [event] = await store.outbox.lease({
        ...{ createdBeforeMs: atMs - 60_000, nowMs: atMs, leaseUntilMs: atMs + 30_000, limit: 1 },
      });

      expect(event).toEqual(eventRow({ id: id ?? "", createdAtMs: atMs - 70_000 }));
    });

    test("hands a row out again when its lease has ended, and not a moment before", async () => {
      const [id] = await given(70_000);

      expect(await lease()).toEqual([id]);
      expect(await lease({ nowMs: atMs + 29_999, leaseUntilMs: atMs + 60_000 })).toEqual([]);
      expect(await lease({ nowMs: atMs + 30_000, leaseUntilMs: atMs + 60_000 })).toEqual([id]);
      expect(await lease({ nowMs: atMs + 59_999 })).toEqual([]);
    });

    test("hands each row to one of two relays that ask at the same time", async () => {
      const ids = await given(61_000, 62_000, 63_000, 64_000);

      const taken = await Promise.all([lease({ limit: 3 }), lease({ limit: 3 })]);

      expect(new Set(taken.flat()).size).toBe(taken.flat().length);
      expect([...taken.flat(), ...(await lease())].sort()).toEqual([...ids].sort());
    });

    test("removes rows, leased or not, and does not mind those that are gone or none at all", async () => {
      const [first = "", second = "", third = ""] = await given(61_000, 62_000, 1_000);
      await lease({ limit: 1 });

      await store.outbox.remove([first, second]);
      await store.outbox.remove([first, "evt_never"]);
      await store.outbox.remove([]);

      expect(await waiting()).toEqual([third]);
      expect((await store.rows("events")).map(({ id }) => id)).toEqual(expect.arrayContaining([first, second, third]));
    });

    test("lets a commit of the ledger take rows away, those that are gone too", async () => {
      const [first = "", second = ""] = await given(61_000, 62_000);
      const takeAway = (eventId: string): Change => ({ op: "delete", table: "outbox", row: { eventId } });

      await store.ledger.insert("carried", [insertOf("events", eventRow()), takeAway(first), takeAway("evt_never")]);
      expect(await waiting()).toEqual([second]);
      await store.ledger.transact("carried", async (scope) => scope.write([takeAway(second), takeAway(first)]));
      expect(await waiting()).toEqual([]);
    });

    test("counts what is older than a time, leased or not, up to a number, and says how old it is", async () => {
      expect(await store.outbox.backlog(atMs, 10)).toEqual({ count: 0, oldestCreatedAtMs: null });
      await given(130_000, 125_000, 120_000, 1_000);
      await lease({ limit: 1 });

      expect(await store.outbox.backlog(atMs - 120_000, 10)).toEqual({ count: 2, oldestCreatedAtMs: atMs - 130_000 });
      expect(await store.outbox.backlog(atMs - 120_000, 1)).toEqual({ count: 1, oldestCreatedAtMs: atMs - 130_000 });
    });
  });
}
