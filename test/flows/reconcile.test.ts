// The reconciliation: what does not match becomes a break once, what matches again closes it, and nothing is repaired.
// It must never repeat what a break is: test/domain/reconcile.test.ts has every kind.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import type { Attempt } from "../../functions/domain/attempt.ts";
import type { Change } from "../../functions/domain/rows.ts";
import type { Lookup } from "../../functions/flows/acquirer-ports.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { reconcile } from "../../functions/flows/reconcile.ts";
import type { AcquirerListing, ListedLine, Window } from "../../functions/flows/reconciliation-ports.ts";
import { attemptRow, bookingRow, insertOf } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

const nowMs = Date.UTC(2026, 0, 15, 12);
const hour = 60 * 60 * 1000;
const failure = { code: "processing_error", declineCode: null, message: "It could not be done." };

/** An acquirer with lines in its list; what `known` says of a key beats the list when it is looked up. */
function openBooks() {
  const tables = memoryTables();
  const store = memoryReconciliation(tables);
  const ledger = memoryLedger(tables);
  const lines: ListedLine[] = [];
  const known = new Map<string, Lookup>();
  const logged: Parameters<Log>[] = [];
  const windows: Window[] = [];
  const listing: AcquirerListing = {
    list: async (window, cursor, limit) => {
      if (cursor === null) windows.push(window);
      const within = lines.filter(
        ({ order }) => order.createdAtMs >= window.fromMs && order.createdAtMs < window.beforeMs,
      );
      const start = cursor === null ? 0 : Number(cursor);
      return {
        rows: within.slice(start, start + limit),
        next: start + limit < within.length ? String(start + limit) : null,
      };
    },
  };
  const lookup = async (key: string): Promise<Lookup> =>
    known.get(key) ?? lines.find(({ order }) => order.key === key)?.found ?? { kind: "none" };
  const log = (...line: Parameters<Log>) => void logged.push(line);
  const deps = { store, ledger, listing, acquirer: { lookup }, clock: manualClock(nowMs), log };
  const write = async (...changes: Change[]) => void (await ledger.insert("given", changes));
  return { deps, store, lines, known, logged, windows, write, run: () => reconcile(deps) };
}

const approved: Lookup = { kind: "found", result: { kind: "approved", reference: "auth" }, isVoided: false };

function paid(id: string, atMs: number, changes: Partial<Attempt> = {}) {
  const chargeId = `ch_${id}`;
  const attempt = attemptRow({
    id,
    chargeId,
    state: "succeeded",
    createdAtMs: atMs,
    closedAtMs: atMs + 900,
    ...changes,
  });
  const { kind, amountMinor, currency } = attempt;
  const line: ListedLine = {
    order: { key: id, kind, amountMinor, currency, createdAtMs: atMs + 300 },
    found: approved,
  };
  const booking = insertOf("ledger_transactions", bookingRow({ sourceId: chargeId }));
  return { line, attempt: insertOf("attempts", attempt), changes: [insertOf("attempts", attempt), booking] };
}

/** The same line with another order in it. */
function lineWith(line: ListedLine, changes: Partial<ListedLine["order"]>): ListedLine {
  return { ...line, order: { ...line.order, ...changes } };
}

describe("a reconciliation", () => {
  test("finds nothing where every order, attempt and booking match, also across the border of a slice", async () => {
    const { deps, lines, write, logged, run } = openBooks();
    for (let index = 0; index < 20; index += 1) {
      // Every two hours; the orders of some begin in the slice after their attempt's.
      const beganMs = nowMs - 48 * hour + index * 2 * hour + (index % 2) * 599_900;
      const { line, changes } = paid(`att_${index}`, beganMs);
      lines.push(line);
      await write(...changes);
    }

    const { examined, ...counts } = await run();

    expect(counts).toEqual({ orders: 20, attempts: 20, opened: 0, closed: 0, open: 0 });
    expect(examined).toBe(20);
    expect(logged).toEqual([]);
    expect(await deps.store.openBreaks(null, 10)).toEqual([]);
  });

  test("opens a break for each difference and tells it once, however often it runs", async () => {
    const { lines, write, logged, run } = openBooks();
    const at = nowMs - 2 * hour;
    const [lost, wrong, fine] = [paid("att_lost", at), paid("att_wrong", at), paid("att_fine", at)];
    await write(...lost.changes, ...wrong.changes, ...fine.changes);
    lines.push(fine.line, lineWith(wrong.line, { amountMinor: 1_999n }), lineWith(fine.line, { key: "att_stranger" }));

    expect(await run()).toMatchObject({ orders: 3, attempts: 3, opened: 3, closed: 0, open: 3 });
    expect(
      logged.map(([severity, message, fields]) => [severity, message, fields?.["subject"], fields?.["kind"]]),
    ).toEqual([
      ["ERROR", "break found", "att_wrong", "amount_differs"],
      ["ERROR", "break found", "att_stranger", "effect_without_attempt"],
      ["ERROR", "break found", "att_lost", "booked_without_effect"],
    ]);

    expect(await run()).toMatchObject({ opened: 0, closed: 0, open: 3 });
    expect(logged).toHaveLength(3);
  });

  test("takes the list's word for how an order stands: one that was refused there has no effect", async () => {
    const { lines, logged, write, run } = openBooks();
    const [refused, taken] = [
      paid("att_refused", nowMs - hour),
      paid("att_taken", nowMs - hour, { state: "declined" }),
    ];
    await write(...refused.changes, taken.attempt);
    const found: Lookup = { kind: "found", result: { kind: "declined", failure }, isVoided: false };
    lines.push({ ...refused.line, found }, taken.line);

    expect(await run()).toMatchObject({ orders: 2, attempts: 2, opened: 2 });
    expect(logged.map(([, , fields]) => `${fields?.["subject"]} ${fields?.["kind"]}`)).toEqual([
      "att_refused booked_without_effect",
      "att_taken effect_of_closed_attempt",
    ]);
  });

  test("closes a break that is gone, also long after its window", async () => {
    const { deps, known, write, logged, run } = openBooks();
    const { changes } = paid("att_late", nowMs - 2 * hour);
    await write(...changes);
    expect(await run()).toMatchObject({ opened: 1, open: 1 });

    await deps.clock.advance(100 * hour);
    expect(await run()).toMatchObject({ orders: 0, attempts: 0, examined: 1, opened: 0, closed: 0, open: 1 });
    known.set("att_late", approved);
    expect(await run()).toMatchObject({ examined: 1, opened: 0, closed: 1, open: 0 });
    expect(logged.at(-1)).toEqual(["INFO", "break gone", { subject: "att_late", kind: "booked_without_effect" }]);
  });

  test("keeps a difference that only the list tells, once the list does not reach back to it", async () => {
    const { deps, lines, write, run } = openBooks();
    const { line, changes } = paid("att_old", nowMs - 2 * hour);
    await write(...changes);
    lines.push(lineWith(line, { amountMinor: 1n }));
    expect(await run()).toMatchObject({ opened: 1, open: 1 });

    await deps.clock.advance(100 * hour);
    expect(await run()).toMatchObject({ examined: 1, closed: 0, open: 1 });
  });

  test("counts a break that two persons accepted no more, and does not open it again", async () => {
    const { store, lines, write, logged, run } = openBooks();
    const { line, changes } = paid("att_odd", nowMs - hour);
    await write(...changes);
    lines.push(lineWith(line, { amountMinor: 1n }));
    expect(await run()).toMatchObject({ opened: 1, open: 1 });
    const accepted = { acceptedBy: "ada", acceptedReason: "ticket 4711", acceptanceConfirmedBy: "bob" };
    await store.change({ subject: "att_odd", kind: "amount_differs" }, (each) => ({ ...each, ...accepted }));

    expect(await run()).toMatchObject({ opened: 0, closed: 0, open: 0 });
    lines.splice(0, 1, line);
    await write(insertOf("attempts", attemptRow({ id: "att_odd_2", createdAtMs: nowMs - 1 })));
    expect(await run()).toMatchObject({ opened: 0, closed: 0, open: 0 });
    expect(logged.filter(([, message]) => message === "break found")).toHaveLength(1);
  });

  test("believes the second look: a list that lags opens no break", async () => {
    const { known, write, run } = openBooks();
    await write(...paid("att_new", nowMs - 2 * hour).changes);
    known.set("att_new", approved);

    expect(await run()).toMatchObject({ orders: 0, attempts: 1, examined: 1, opened: 0, open: 0 });
  });

  test("reads the last two days without a gap, and nothing of an attempt that is at work", async () => {
    const { lines, windows, write, run } = openBooks();
    await write(insertOf("attempts", attemptRow({ id: "att_young", createdAtMs: nowMs - 1_000 })));
    lines.push(paid("att_young", nowMs - 1_000).line);

    expect(await run()).toMatchObject({ orders: 1, attempts: 1, examined: 0, opened: 0 });
    expect([windows[0]?.fromMs, windows.at(-1)?.beforeMs]).toEqual([nowMs - 48 * hour, nowMs]);
    for (const [index, { beforeMs }] of windows.slice(0, -1).entries())
      expect(windows[index + 1]?.fromMs).toBe(beforeMs);
  });

  test("knows the late effects that the completer takes back, and tells of one that it could not", async () => {
    const { lines, write, run } = openBooks();
    const voided = { state: "voided" } as const;
    const [back, stays] = [paid("att_back", nowMs - hour, voided), paid("att_stays", nowMs - hour, voided)];
    const reversing = { kind: "void", acquirerReference: "auth" } as const;
    const reversals = [
      paid("att_back_reversal", nowMs - 1_000, { ...reversing, reversesAttemptId: "att_back" }),
      paid("att_stays_reversal", nowMs - 1_000, { ...reversing, reversesAttemptId: "att_stays", state: "declined" }),
    ];
    await write(...[back, stays, ...reversals].map(({ attempt }) => attempt));
    const lateVoid = lineWith(back.line, { key: "att_back_late_void", kind: "void" });
    const refused: Lookup = { kind: "found", result: { kind: "declined", failure }, isVoided: false };
    lines.push(back.line, stays.line, lateVoid, ...reversals.map(({ line }) => line));
    lines.splice(-1, 1, { ...(lines.at(-1) as ListedLine), found: refused });

    expect(await run()).toMatchObject({ orders: 5, attempts: 4, opened: 1, open: 1 });
    expect(await run()).toMatchObject({ opened: 0, open: 1 });
  });

  test("finds what is open for a day, however long ago it began, and leaves what the acquirer ends in days", async () => {
    const { known, logged, write, run } = openBooks();
    const open = { closedAtMs: null, leaseUntilMs: nowMs + hour } as const;
    await write(
      paid("att_forgotten", nowMs - 300 * hour, { ...open, state: "open" }).attempt,
      paid("att_debit", nowMs - 100 * hour, { ...open, state: "pending" }).attempt,
    );
    const settlesAtMs = nowMs + hour;
    known.set("att_debit", {
      kind: "found",
      result: { kind: "pending", reference: "auth", settlesAtMs },
      isVoided: false,
    });

    expect(await run()).toMatchObject({ attempts: 0, examined: 2, opened: 1 });
    expect(logged.map(([, , fields]) => fields?.["subject"])).toEqual(["att_forgotten"]);
  });

  test("that cannot hear the acquirer, or takes too long, says so, and keeps what it found by then", async () => {
    const { deps, write } = openBooks();
    await write(...paid("att_a", nowMs - 40 * hour).changes, ...paid("att_b", nowMs - 2 * hour).changes);
    const slow = async () => {
      await deps.clock.advance(250_000);
      return { kind: "none" } as const;
    };

    await expect(reconcile({ ...deps, acquirer: { lookup: slow } })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(await deps.store.openBreaks(null, 10)).toMatchObject([{ subject: "att_a" }]);
    const deaf = { ...deps, acquirer: { lookup: () => Promise.reject(new Error("no answer")) } };
    await expect(reconcile(deaf)).rejects.toThrow("no answer");
  });
});
