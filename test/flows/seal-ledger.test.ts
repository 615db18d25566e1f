// The sealing: everything that was booked is sealed once and in order, whoever runs beside it, and nothing else is written.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { beforeAllCommits } from "../../functions/domain/exact-time.ts";
import type { CommittedBooking, LedgerSeal } from "../../functions/domain/seal.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { sealBookingsMax, sealLedger } from "../../functions/flows/seal-ledger.ts";
import type { LedgerSeals } from "../../functions/flows/seal-ports.ts";
import { bookingRow, insertOf } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

function openChain() {
  const tables = memoryTables();
  const [ledger, seals] = [memoryLedger(tables), memorySeals(tables)];
  const logged: Parameters<Log>[] = [];
  const deps = { seals, clock: manualClock(0), log: (...line: Parameters<Log>) => void logged.push(line) };
  const book = async (...sourceIds: string[]) => {
    for (const sourceId of sourceIds)
      await ledger.insert("book", [insertOf("ledger_transactions", bookingRow({ sourceId }))]);
  };
  return { seals, logged, deps, book, run: () => sealLedger(deps) };
}

const allSeals = (seals: LedgerSeals): Promise<readonly LedgerSeal[]> =>
  seals.atOneMoment("test", async (moment) => {
    const shards = [0, 1, 2, 3, 4, 5, 6, 7].map((shard) => moment.seals(shard, 0, 1_000));
    return (await Promise.all(shards)).flat();
  });

/** Ids of one shard of the memory store. */
const [a1, a2, a3] = ["a", "i", "q"];

describe("sealing", () => {
  test("seals what was booked, chain by chain, and tells each root to the log", async () => {
    const { seals, logged, book, run } = openChain();
    await book(a1, a2, "b");

    expect(await run()).toEqual({ seals: 2, bookings: 3 });

    const sealed = await allSeals(seals);
    expect(sealed).toMatchObject([
      { number: 1, previousRoot: null, bookings: 2, encoding: 1, after: beforeAllCommits },
      { number: 1, previousRoot: null, bookings: 1, encoding: 1, after: beforeAllCommits },
    ]);
    expect(logged).toEqual(
      sealed.map(({ shard, number, root, bookings, after, until }) => [
        "INFO",
        "ledger sealed",
        { anchor: `${shard}:${number}:${root}`, shard, number, bookings, after, until },
      ]),
    );
  });

  test("goes on where the last seal ended, and does nothing where nothing was booked", async () => {
    const { seals, logged, book, run } = openChain();
    await book(a1);
    await run();
    expect(await run()).toEqual({ seals: 0, bookings: 0 });
    await book(a2, a3);
    expect(await run()).toEqual({ seals: 1, bookings: 2 });

    const [first, second] = await allSeals(seals);
    expect(second).toMatchObject({ number: 2, previousRoot: first?.root, after: first?.until, bookings: 2 });
    expect(logged).toHaveLength(2);
  });

  test("leaves what is committed after its moment to the next run", async () => {
    const { seals, deps, book, run } = openChain();
    await book(a1);
    const meanwhile: LedgerSeals = {
      ...seals,
      atOneMoment: (tag, body) =>
        seals.atOneMoment(tag, async (moment) => {
          await book(a2);
          return await body(moment);
        }),
    };

    expect(await sealLedger({ ...deps, seals: meanwhile })).toEqual({ seals: 1, bookings: 1 });
    expect(await run()).toEqual({ seals: 1, bookings: 1 });
  });

  test("is done by one of two runs at once: the other one writes and tells nothing", async () => {
    const { seals, logged, deps, book, run } = openChain();
    await book(a1, a2);
    let other: Promise<unknown> | undefined;
    const late: LedgerSeals = {
      ...seals,
      append: async (seal) => {
        // A whole run, with a booking more, between reading and writing of this one.
        await book(a3);
        other = run();
        await other;
        return await seals.append(seal);
      },
    };

    expect(await sealLedger({ ...deps, seals: late })).toEqual({ seals: 0, bookings: 0 });
    expect(await other).toEqual({ seals: 1, bookings: 3 });
    expect([(await allSeals(seals)).length, logged.length]).toEqual([1, 1]);
  });

  test("ends a seal that is full at a whole commit, and begins the next one behind it", async () => {
    const appended: LedgerSeal[] = [];
    const { deps } = openChain();
    // Three commits hold as many bookings as a seal and two more: 4,999, 3, 1.
    const sizes = [sealBookingsMax - 1, 3, 1];
    const bookings = sizes.flatMap((size, commit) => manyAt(`2026-01-15T12:00:00.00000000${commit + 1}Z`, size));

    const sealing = await sealLedger({ ...deps, seals: chainOf(bookings, appended) });

    expect(sealing).toEqual({ seals: 2, bookings: sealBookingsMax + 3 });
    expect(appended).toMatchObject([
      { number: 1, bookings: sealBookingsMax + 2, until: "2026-01-15T12:00:00.000000002Z" },
      { number: 2, bookings: 1, after: "2026-01-15T12:00:00.000000002Z", until: "2026-01-15T12:00:01.000000000Z" },
    ]);
  });

  test("gives up before its function is ended, and says so", async () => {
    const { deps, book } = openChain();
    await book(a1, "b");
    const slow: LedgerSeals = {
      ...deps.seals,
      append: async (seal) => {
        await deps.clock.advance(200_001);
        return await deps.seals.append(seal);
      },
    };
    await expect(sealLedger({ ...deps, seals: slow })).rejects.toMatchObject({ code: "store_unavailable" });
  });
});

function manyAt(committedAt: string, count: number): CommittedBooking[] {
  const booking = bookingRow({ entries: [] });
  return Array.from({ length: count }, (_, index) => ({
    booking: { ...booking, sourceId: String(index).padStart(6, "0") },
    createdAt: committedAt,
    availableOn: committedAt,
    committedAt,
    entries: [],
  }));
}

/** A chain whose shard 0 holds these bookings. */
function chainOf(bookings: readonly CommittedBooking[], appended: LedgerSeal[]): LedgerSeals {
  return {
    append: async (seal) => {
      appended.push(seal);
      return "appended";
    },
    atOneMoment: (_tag, body) =>
      body({
        readAt: "2026-01-15T12:00:01.000000000Z",
        last: async () => undefined,
        seals: async () => [],
        bookings: async ({ shard, after, cursor }, limit) => {
          if (shard !== 0) return [];
          const first = cursor === null ? bookings.findIndex(({ committedAt }) => committedAt > after) : -1;
          const start = cursor === null ? first : bookings.indexOf(cursor) + 1;
          return start < 0 ? [] : bookings.slice(start, start + limit);
        },
      }),
  };
}
