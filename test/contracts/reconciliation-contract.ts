// What every store of the reconciliation must show: each attempt once with its bookings, and breaks that open and close once.
// It must never know a product: it sees the ports.
import { type AttemptInBooks, type Break, type BreakKind, openedBreak } from "../../functions/domain/reconcile.ts";
import type { Change } from "../../functions/domain/rows.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import type { ReconciliationStore } from "../../functions/flows/reconciliation-ports.ts";
import { atMs, attemptRow, bookingRow, insertOf } from "../support/ledger-rows.ts";

/** A ledger and the reconciliation's store over it. */
export type ReconciliationUnderTest = { ledger: Ledger; store: ReconciliationStore; close(): Promise<void> };

/** Declares the suite for one kind of store; all its tests share one. */
export function describeReconciliation(name: string, open: () => Promise<ReconciliationUnderTest>): void {
  describe(`the store of the reconciliation on ${name}`, () => {
    let ledger: Ledger;
    let store: ReconciliationStore;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ ledger, store, close } = await open());
      await ledger.insert("given", given);
    });
    afterAll(async () => {
      await close?.();
    });

    test.each([1, 2, 3, 100])("shows each attempt of a window once, in pages of %i", async (limit) => {
      const seen: AttemptInBooks[] = [];
      const window = { fromMs: atMs + 1, beforeMs: atMs + 11 };
      let cursor: string | null = null;
      do {
        const page = await store.attempts(window, cursor, limit);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...page.rows);
        cursor = page.next;
      } while (cursor !== null);

      const expected = attempts.slice(1, 11);
      expect(seen.map(({ attempt }) => attempt).sort(byId)).toStrictEqual([...expected].sort(byId));
    });

    test("shows an attempt with the bookings of its charge or of its refund, and no others", async () => {
      const charged = await store.attempt("att_rec_2");
      const refunded = await store.attempt("att_rec_3");
      const unbooked = await store.attempt("att_rec_4");

      expect(charged).toStrictEqual({ attempt: attempts[2], bookings: [chargeBooking] });
      expect(refunded).toStrictEqual({ attempt: attempts[3], bookings: [refundBooking] });
      expect(unbooked).toStrictEqual({ attempt: attempts[4], bookings: [] });
      expect(await store.attempt("att_none")).toBeUndefined();
    });

    test("opens a break once, closes it when it is gone, and opens it again when it comes back", async () => {
      const about = { subject: "att_break_1", accountId: "acct_rows", intentId: "pi_x" };
      const record = (kinds: readonly BreakKind[], at: number) => {
        const findings = kinds.map((kind) => ({ kind, detail: `found at ${at}` }));
        return store.record(about, { findings, untold: new Set(), atMs: at });
      };
      const breakOf = (kind: BreakKind, openedAtMs: number, closedAtMs: number | null): Break => {
        const opened = openedBreak(about, { kind, detail: `found at ${openedAtMs}` }, openedAtMs);
        return { ...opened, closedAtMs };
      };

      expect(await record(["not_booked", "amount_differs"], 1_000)).toEqual({
        opened: [breakOf("not_booked", 1_000, null), breakOf("amount_differs", 1_000, null)],
        closed: [],
      });
      expect(await record(["amount_differs", "not_booked"], 2_000)).toEqual({ opened: [], closed: [] });
      expect(await record(["amount_differs"], 3_000)).toEqual({
        opened: [],
        closed: [breakOf("not_booked", 1_000, 3_000)],
      });
      expect(await record(["not_booked", "amount_differs"], 4_000)).toEqual({
        opened: [breakOf("not_booked", 4_000, null)],
        closed: [],
      });
      expect(await standing("att_break_1")).toStrictEqual([
        breakOf("amount_differs", 1_000, null),
        breakOf("not_booked", 4_000, null),
      ]);
      expect((await record([], 5_000)).closed).toHaveLength(2);
      expect(await standing("att_break_1")).toEqual([]);
    });

    test("leaves alone what a look could not tell of, and the breaks of others", async () => {
      const about = (subject: string) => ({ subject, accountId: null, intentId: null });
      const found = { findings: [{ kind: "amount_differs", detail: "d" }] as const, untold: new Set<never>(), atMs: 1 };
      await store.record(about("att_break_2"), found);
      await store.record(about("att_break_3"), found);

      const untold = new Set<BreakKind>(["amount_differs"]);
      const changes = await store.record(about("att_break_2"), { findings: [], untold, atMs: 2 });

      expect(changes).toEqual({ opened: [], closed: [] });
      expect([await standing("att_break_2"), await standing("att_break_3")].flat()).toHaveLength(2);
    });

    test("changes a break that stands, and shows one that two persons accepted no more until it comes back", async () => {
      const about = { subject: "att_break_4", accountId: null, intentId: null };
      const finding = { kind: "amount_differs", detail: "d" } as const;
      const key = { subject: about.subject, kind: finding.kind };
      const record = (findings: readonly (typeof finding)[], at: number) =>
        store.record(about, { findings, untold: new Set(), atMs: at });
      await record([finding], 1);

      const said = { acceptedBy: "ada", acceptedReason: "ticket 4711" } as const;
      const first = await store.change(key, (standing) => ({ ...standing, ...said }));
      expect(first).toStrictEqual({ ...openedBreak(about, finding, 1), ...said });
      expect(await standing(about.subject)).toStrictEqual([first]);
      const second = await store.change(key, (each) => ({ ...each, acceptanceConfirmedBy: "bob" }));
      expect(await standing(about.subject)).toEqual([]);

      expect(await record([finding], 2)).toEqual({ opened: [], closed: [] });
      expect((await record([], 3)).closed).toStrictEqual([{ ...second, closedAtMs: 3 }]);
      expect(await store.change(key, (each) => each)).toBeUndefined();
      expect(await store.change({ ...key, subject: "att_none" }, (each) => each)).toBeUndefined();
      await record([finding], 4);
      expect(await standing(about.subject)).toStrictEqual([openedBreak(about, finding, 4)]);
      const ownError = new Error("the change's own");
      const fails = () => {
        throw ownError;
      };
      await expect(store.change(key, fails)).rejects.toBe(ownError);
    });

    test("pages through the breaks that stand, by subject and kind", async () => {
      const kinds = ["not_booked", "amount_differs"] as const;
      for (const subject of ["att_break_6", "att_break_5"]) {
        const findings = kinds.map((kind) => ({ kind, detail: "d" }));
        await store.record({ subject, accountId: null, intentId: null }, { findings, untold: new Set(), atMs: 1 });
      }
      const all = await standing();
      const paged: Break[] = [];
      for (let length = 1; length === 1; ) {
        const page = await store.openBreaks(paged.at(-1) ?? null, 1);
        paged.push(...page);
        length = page.length;
      }

      expect(paged).toStrictEqual(all);
      const own = all.filter(({ subject }) => /_[56]$/.test(subject)).map(({ subject, kind }) => `${subject} ${kind}`);
      expect(own).toEqual([
        "att_break_5 amount_differs",
        "att_break_5 not_booked",
        "att_break_6 amount_differs",
        "att_break_6 not_booked",
      ]);
    });

    async function standing(subject?: string): Promise<readonly Break[]> {
      const all = await store.openBreaks(null, 1_000);
      return all.filter((each) => subject === undefined || each.subject === subject);
    }
  });
}

const closed = { state: "succeeded", closedAtMs: atMs + 20 } as const;

/** One a millisecond; the third one is booked as a charge, the fourth is a refund of the same charge. */
const attempts = Array.from({ length: 12 }, (_, index) =>
  attemptRow({
    id: `att_rec_${index}`,
    createdAtMs: atMs + index,
    chargeId: index === 2 || index === 3 ? "ch_rec" : `ch_rec_${index}`,
    ...closed,
    ...(index === 3 ? { kind: "refund", acquirerReference: "auth_1", refundId: "re_rec", amountMinor: 2_000n } : {}),
  }),
);

const chargeBooking = bookingRow({ kind: "charge", sourceId: "ch_rec" });
const refundBooking = bookingRow({ kind: "refund", sourceId: "re_rec" });

const given: readonly Change[] = [
  ...attempts.map((attempt) => insertOf("attempts", attempt)),
  insertOf("ledger_transactions", chargeBooking),
  insertOf("ledger_transactions", refundBooking),
];

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}
