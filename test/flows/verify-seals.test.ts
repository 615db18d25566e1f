// The verification of the chains: whatever is done to sealed rows is found, and the first bad seal is named.
// It must never repeat what the books' own audit finds: test/flows/verify-ledger.test.ts has that.
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { anchorText, type CommittedBooking, type LedgerSeal, type SealAnchor } from "../../functions/domain/seal.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { sealLedger } from "../../functions/flows/seal-ledger.ts";
import type { LedgerSeals } from "../../functions/flows/seal-ports.ts";
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { bookingRow, chargeRow, insertOf, intentRow } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

/** Sealed one by one, all in one shard of the memory store: three seals of two bookings each, and their roots. */
async function sealedBooks() {
  const tables = memoryTables();
  const [ledger, balances, seals] = [memoryLedger(tables), memoryBalances(tables), memorySeals(tables)];
  const logged: Parameters<Log>[] = [];
  const clock = manualClock(0);
  for (const pair of [
    ["ch_a", "ch_i"],
    ["ch_q", "ch_y"],
    ["ch_A", "ch_I"],
  ] as const) {
    for (const id of pair) {
      const intentId = id.replace("ch", "pi");
      await ledger.insert("pay", [
        insertOf(
          "payment_intents",
          intentRow({ id: intentId, status: "succeeded", amountReceivedMinor: 2_000n, latestChargeId: id }),
        ),
        insertOf("charges", chargeRow({ id, intentId })),
        insertOf("ledger_transactions", bookingRow({ sourceId: id, intentId })),
      ]);
    }
    await sealLedger({ seals, clock, log: (...line) => void logged.push(line) });
  }
  const anchors = logged.map(([, , fields]) => {
    const [shard = "", number = "", root = ""] = String(fields?.["anchor"]).split(":");
    return { shard: Number(shard), number: Number(number), root };
  });
  const verify = async (over: LedgerSeals = seals, held: readonly SealAnchor[] = anchors) => {
    const told: unknown[] = [];
    const log: Log = (severity, message, fields) => void told.push([severity, message, fields]);
    return { ...(await verifyLedger({ ledger, balances, seals: over, clock, log }, { anchors: held })), told };
  };
  return { seals, anchors, verify };
}

/** The store as it is after somebody's hand was in it. */
function tampered(seals: LedgerSeals, hands: Partial<Hands>): LedgerSeals {
  const { onBookings = (rows) => rows, onSeals = (rows) => rows } = hands;
  return {
    ...seals,
    atOneMoment: (tag, body) =>
      seals.atOneMoment(tag, (moment) =>
        body({
          ...moment,
          bookings: async (interval, limit) => onBookings(await moment.bookings(interval, limit)),
          seals: async (...asked) => onSeals(await moment.seals(...asked)),
        }),
      ),
  };
}

type Hands = {
  onBookings: (rows: readonly CommittedBooking[]) => readonly CommittedBooking[];
  onSeals: (rows: readonly LedgerSeal[]) => readonly LedgerSeal[];
};

const isOf = (id: string) => (row: CommittedBooking) => row.booking.sourceId === id;
const change = (id: string, changes: Partial<CommittedBooking["booking"]>) => (rows: readonly CommittedBooking[]) =>
  rows.map((row) => (isOf(id)(row) ? { ...row, booking: { ...row.booking, ...changes } } : row));

describe("F32 verifying the chains", () => {
  test("passes what was sealed, and tells the newest root of each chain", async () => {
    const { anchors, verify } = await sealedBooks();

    const { fault, rows, told } = await verify();

    expect([fault, rows.ledger_seals]).toEqual([null, 3]);
    const newest = anchorText(anchors[2] as SealAnchor);
    expect(told).toEqual([["INFO", "ledger root verified", { anchor: newest }]]);
  });

  test.each<[string, Partial<Hands>, number, string]>([
    [
      "a row was changed, in a way that still balances",
      { onBookings: change("ch_q", { accountId: "acct_thief" }) },
      2,
      "its bookings are not what was sealed",
    ],
    [
      "a row was deleted",
      { onBookings: (rows) => rows.filter((row) => !isOf("ch_a")(row)) },
      1,
      "it sealed 2 bookings, 1 stand",
    ],
    [
      "a row was slipped into the past",
      { onBookings: (rows) => rows.flatMap((row) => (isOf("ch_y")(row) ? [row, row] : [row])) },
      2,
      "it sealed 2 bookings, 3 stand",
    ],
    ["two rows changed places", { onBookings: (rows) => rows.toReversed() }, 1, "its bookings are not what was sealed"],
    [
      "fields were shifted from one to the next",
      { onBookings: change("ch_I", { accountId: "acct_rowsp", intentId: "i_I" }) },
      3,
      "its bookings are not what was sealed",
    ],
    [
      "a seal was deleted",
      { onSeals: (rows) => rows.filter(({ number }) => number !== 2) },
      3,
      "seal 2 is missing before it",
    ],
    [
      "a seal was made to fit changed bookings",
      { onSeals: (rows) => rows.map((row) => (row.number === 2 ? { ...row, root: "e".repeat(64) } : row)) },
      2,
      "its bookings are not what was sealed",
    ],
    [
      "the end of the chain was deleted with its bookings",
      {
        onSeals: (rows) => rows.filter(({ number }) => number < 3),
        onBookings: (rows) => rows.filter(({ booking }) => !["ch_A", "ch_I"].includes(booking.sourceId)),
      },
      3,
      "it was anchored outside the database and is gone: its chain ends at 2",
    ],
  ])("finds that %s", async (_what, hands, number, problem) => {
    const { seals, anchors, verify } = await sealedBooks();

    const { fault, told } = await verify(tampered(seals, hands));

    const named = { table: "ledger_seals", key: `${anchors[0]?.shard}/${number}`, problem };
    expect(fault).toEqual(named);
    expect(told).toEqual([["ERROR", "ledger has a bad row", named]]);
  });

  test("takes a chain that was hashed anew after a change only until it is held to a root from outside", async () => {
    const { seals, anchors, verify } = await sealedBooks();
    // Somebody with all rights changed a booking and sealed everything again.
    const forged = tampered(seals, { onBookings: change("ch_a", { accountId: "acct_thief" }) });
    const chain: LedgerSeal[] = [];
    const again: LedgerSeals = {
      append: async (seal) => {
        chain.push(seal);
        return "appended";
      },
      atOneMoment: (tag, body) => forged.atOneMoment(tag, (moment) => body({ ...moment, last: async () => undefined })),
    };
    await sealLedger({ seals: again, clock: manualClock(0), log: () => {} });
    const rewritten = tampered(forged, { onSeals: () => chain });
    const shard = anchors[0]?.shard ?? 0;
    const own: LedgerSeals = {
      ...rewritten,
      atOneMoment: (tag, body) =>
        rewritten.atOneMoment(tag, (moment) =>
          body({ ...moment, seals: async (asked, after) => (asked === shard && after === 0 ? chain : []) }),
        ),
    };

    expect((await verify(own, [])).fault).toBeNull();
    expect((await verify(own)).fault).toMatchObject({
      key: `${shard}/1`,
      problem: "its root is not the one that was anchored outside the database",
    });
  });

  test("tells nothing as verified, and stops at the books, when the books themselves are bad", async () => {
    const { verify } = await sealedBooks();
    const { fault, told } = await verify(undefined, [{ shard: 7, number: 1, root: "a".repeat(64) }]);
    expect(fault).toMatchObject({ key: "7/1" });
    expect(told).toHaveLength(1);
  });
});
