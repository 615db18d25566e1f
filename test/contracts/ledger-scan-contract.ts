// What every ledger must show of whole tables: each row once, in the order of keys, all as they stood at one moment.
// It must never know a product: it sees the port, and a way to read whole tables.
import type { Change, Scan, ScannedTable, Tables } from "../../functions/domain/rows.ts";
import { bookingRow, chargeRow, insertOf, intentRow, refundRow } from "../support/ledger-rows.ts";
import type { LedgerUnderTest } from "./ledger-contract.ts";

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedgerScan(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`a scan of the ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
      for (const table of tables) await store.ledger.insert("given", changesOf(table));
    });
    afterAll(async () => {
      await store?.close();
    });

    test.each(tables)(
      "of %s shows every row once, whole and in the order of keys, whatever the pages are",
      async (table) => {
        for (const limit of [1, 2, 3, 4, 100]) {
          const pages = await store.ledger.scan("test", (scan) => pagesOf(scan, table, limit));

          expect(pages.flat()).toStrictEqual(inOrder[table]);
          expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
        }
      },
    );

    test("shows all tables as they were when it began: what is committed meanwhile belongs to the next one", async () => {
      const [charge] = inOrder.charges;
      const [late, changed] = [
        chargeRow({ id: "ch_scan_9" }),
        { ...charge, version: 9, refundedMinor: 1n } as Tables["charges"],
      ];
      const booking = bookingRow({ sourceId: late.id });

      const seen = await store.ledger.scan("test", async (scan) => {
        const first = await scan("charges", null, 2);
        await store.ledger.transact("meanwhile", async (scope) => {
          scope.write([
            insertOf("charges", late),
            { op: "update", table: "charges", row: changed },
            insertOf("ledger_transactions", booking),
          ]);
        });
        const rest = await scan("charges", first.at(-1) ?? null, 100);
        return [[...first, ...rest], await scan("charges", null, 100), await scan("ledger_transactions", null, 100)];
      });
      const afterwards = await store.ledger.scan("test", async (scan) => [
        await scan("charges", null, 100),
        await scan("ledger_transactions", null, 100),
      ]);

      expect(seen).toStrictEqual([inOrder.charges, inOrder.charges, inOrder.ledger_transactions]);
      expect(afterwards[0]).toStrictEqual([changed, ...inOrder.charges.slice(1), late]);
      expect(afterwards[1]).toContainEqual(booking);
    });

    test("passes on what its body throws, and can be begun again", async () => {
      const ownError = new Error("the body's own");

      await expect(store.ledger.scan("test", () => Promise.reject(ownError))).rejects.toBe(ownError);

      expect(await store.ledger.scan("test", (scan) => scan("refunds", null, 1))).toHaveLength(1);
    });
  });
}

const tables: readonly ScannedTable[] = ["payment_intents", "charges", "refunds", "ledger_transactions"];

/** Four rows of each table, in the order of their keys: capitals come first, a longer key after its beginning. */
const inOrder: { readonly [T in ScannedTable]: readonly Tables[T][] } = {
  payment_intents: ["pi_scan_B", "pi_scan_a", "pi_scan_a1", "pi_scan_b"].map((id) => intentRow({ id })),
  charges: ["ch_scan_1", "ch_scan_2", "ch_scan_3", "ch_scan_4"].map((id) => chargeRow({ id })),
  refunds: ["re_scan_1", "re_scan_2", "re_scan_3", "re_scan_4"].map((id) => refundRow({ id, metadata: { order: id } })),
  ledger_transactions: [
    bookingRow({ kind: "charge", sourceId: "x_1" }),
    bookingRow({ kind: "charge", sourceId: "x_3" }),
    // By its second column alone it would come before the one above.
    bookingRow({ kind: "refund", sourceId: "x_2" }),
    bookingRow({ kind: "refund", sourceId: "x_3" }),
  ],
};

/** Written from the last to the first. */
function changesOf(table: ScannedTable): Change[] {
  return inOrder[table].map((row) => ({ op: "insert", table, row }) as Change).reverse();
}

async function pagesOf(scan: Scan, table: ScannedTable, limit: number): Promise<(readonly Tables[ScannedTable][])[]> {
  const pages: (readonly Tables[ScannedTable][])[] = [];
  for (let after: Tables[ScannedTable] | null = null; ; ) {
    const page: readonly Tables[ScannedTable][] = await scan(table, after as never, limit);
    pages.push(page);
    after = page.at(-1) ?? null;
    if (page.length < limit) return pages;
  }
}
