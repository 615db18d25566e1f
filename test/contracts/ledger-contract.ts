// What every ledger must do, whatever it is made of: commits are whole, conflicts are found.
// It must never know a product: it sees the port, and a way to read whole tables.
import type { Change, Tables } from "../../functions/domain/rows.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import {
  attemptRow,
  awkwardMetadata,
  bookingRow,
  chargeRow,
  eventRow,
  insertOf,
  intentRow,
  keyRow,
  newId,
  refundRow,
} from "../support/ledger-rows.ts";

/** A ledger under test; `rows` reads a whole table past the port. */
export type LedgerUnderTest = {
  ledger: Ledger;
  rows<T extends keyof Tables>(table: T): Promise<readonly Tables[T][]>;
  close(): Promise<void>;
};

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedger(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
    });
    const current = () => store;
    describe("insert", () => describeInsert(current));
    describe("a transaction", () => describeTransactions(current));
    describe("two transactions on one row", () => describeConflicts(current));
  });
}

type Current = () => LedgerUnderTest;

function describeInsert(current: Current): void {
  test("writes nothing at all when one of its rows exists", async () => {
    const { ledger } = current();
    const key = keyRow();
    await ledger.insert("first", [insertOf("idempotency_keys", key)]);
    const intent = intentRow();

    const second = await ledger.insert("second", [
      insertOf("payment_intents", intent),
      insertOf("idempotency_keys", { ...key, owner: "owner_2" }),
    ]);

    expect(second).toBe("exists");
    expect(await ledger.read({ payment_intents: intent.id, idempotency_keys: key.keyHash })).toStrictEqual({
      idempotency_keys: key,
    });
  });

  test("refuses a booking out of balance and writes nothing of it", async () => {
    const { ledger, rows } = current();
    const [debit] = bookingRow().entries;
    const booking = bookingRow({ entries: debit === undefined ? [] : [debit] });

    await expect(ledger.insert("unbalanced", [insertOf("ledger_transactions", booking)])).rejects.toThrow(/balance/);

    expect((await rows("ledger_transactions")).map((row) => row.sourceId)).not.toContain(booking.sourceId);
  });
}

function describeTransactions(current: Current): void {
  test("commits all that it wrote, and hands out the body's result", async () => {
    const { ledger } = current();
    const intent = intentRow();
    const key = keyRow();
    await ledger.insert("given", [insertOf("payment_intents", intent)]);
    const changed = { ...intent, version: 2, status: "processing" as const, metadata: awkwardMetadata };

    const result = await ledger.transact("commit", async (scope) => {
      await scope.read({ payment_intents: intent.id });
      scope.write([{ op: "update", table: "payment_intents", row: changed }]);
      scope.write([insertOf("idempotency_keys", key)]);
      return "done";
    });

    expect(result).toBe("done");
    expect(await ledger.read({ payment_intents: intent.id, idempotency_keys: key.keyHash })).toStrictEqual({
      payment_intents: changed,
      idempotency_keys: key,
    });
  });

  test("may write without reading, and read without writing", async () => {
    const { ledger } = current();
    const key = keyRow();

    await ledger.transact("write", async (scope) => scope.write([insertOf("idempotency_keys", key)]));
    const found = await ledger.transact("read", (scope) => scope.read({ idempotency_keys: key.keyHash }));

    expect(found).toStrictEqual({ idempotency_keys: key });
    expect(await ledger.transact("nothing", async () => "nothing")).toBe("nothing");
  });

  test("whose body throws leaves nothing, tells the body's own error, and frees the row for the next one", async () => {
    const { ledger } = current();
    const key = keyRow();
    await ledger.insert("given", [insertOf("idempotency_keys", key)]);
    const ownError = new Error("the body's own");

    const thrown = ledger.transact("throws", async (scope) => {
      await scope.read({ idempotency_keys: key.keyHash });
      scope.write([{ op: "update", table: "idempotency_keys", row: { ...key, owner: "lost" } }]);
      throw ownError;
    });
    await expect(thrown).rejects.toBe(ownError);

    const startMs = performance.now();
    await raise(ledger, key.keyHash);
    // A transaction that was left open holds the row for minutes; ten seconds tell that from a busy machine.
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(await ledger.read({ idempotency_keys: key.keyHash })).toStrictEqual({
      idempotency_keys: { ...key, generation: 2 },
    });
  });

  const impossible: readonly (readonly [string, readonly Change[]])[] = [
    ["updates a missing row", [{ op: "update", table: "payment_intents", row: intentRow() }]],
    ["updates a missing refund", [{ op: "update", table: "refunds", row: refundRow() }]],
    [
      "inserts a row twice",
      [insertOf("attempts", attemptRow({ id: "att_twice" })), insertOf("attempts", attemptRow({ id: "att_twice" }))],
    ],
  ];

  test.each(impossible)("that %s fails as a bug would, and writes nothing", async (_what, changes) => {
    const { ledger } = current();
    const key = keyRow();

    const failing = ledger.transact("impossible", async (scope) => {
      scope.write([insertOf("idempotency_keys", key), ...changes]);
    });

    await expect(failing).rejects.toMatchObject({ name: "DomainError", code: "internal" });
    expect(await ledger.read({ idempotency_keys: key.keyHash })).toStrictEqual({});
  });

  test("ends a refund: it, its charge and its booking change together", async () => {
    const { ledger, rows } = current();
    const charge = chargeRow({ refundReservedMinor: 500n });
    const refund = refundRow({ chargeId: charge.id });
    await ledger.insert("given", [insertOf("charges", charge), insertOf("refunds", refund)]);
    const done = {
      ...refund,
      version: 2,
      status: "succeeded" as const,
      acceptedAtMs: 1_768_478_400_007,
      metadata: awkwardMetadata,
    };
    const refunded = { ...charge, version: 2, refundReservedMinor: 0n, refundedMinor: 500n };
    const booking = bookingRow({ kind: "refund", sourceId: refund.id });

    await ledger.transact("refund", async (scope) => {
      expect(await scope.read({ refunds: refund.id, charges: charge.id })).toStrictEqual({
        refunds: refund,
        charges: charge,
      });
      scope.write([
        { op: "update", table: "refunds", row: done },
        { op: "update", table: "charges", row: refunded },
        insertOf("ledger_transactions", booking),
      ]);
    });

    expect(await ledger.read({ refunds: refund.id, charges: charge.id })).toStrictEqual({
      refunds: done,
      charges: refunded,
    });
    expect((await rows("ledger_transactions")).filter((row) => row.sourceId === refund.id)).toEqual([booking]);
  });

  test("books the same business action once, even for two different events", async () => {
    const { ledger, rows } = current();
    const booking = bookingRow();
    const book = (event: string) =>
      ledger.transact("book", async (scope) =>
        scope.write([insertOf("ledger_transactions", booking), insertOf("events", eventRow({ id: event }))]),
      );
    const [first, second] = [newId("evt"), newId("evt")];
    await book(first);

    await expect(book(second)).rejects.toMatchObject({ code: "internal" });

    expect((await rows("ledger_transactions")).filter((row) => row.sourceId === booking.sourceId)).toEqual([booking]);
    expect((await rows("events")).map((event) => event.id)).not.toContain(second);
  });

  test.each([
    { op: "update", table: "ledger_transactions", row: bookingRow() },
    { op: "update", table: "events", row: eventRow() },
  ] as const)("never changes a row of $table", async (change) => {
    const failing = current().ledger.transact("rewrite", async (scope) => scope.write([change]));

    await expect(failing).rejects.toThrow(`Rows of ${change.table} never change.`);
  });
}

function describeConflicts(current: Current): void {
  test("are one after the other: the second sees what the first wrote", async () => {
    const { ledger } = current();
    const key = keyRow();
    await ledger.insert("given", [insertOf("idempotency_keys", key)]);

    await Promise.all([raise(ledger, key.keyHash), raise(ledger, key.keyHash), raise(ledger, key.keyHash)]);

    expect((await ledger.read({ idempotency_keys: key.keyHash })).idempotency_keys?.generation).toBe(4);
  });

  test("cannot both reserve the same rest of a charge", async () => {
    const { ledger, rows } = current();
    const charge = chargeRow();
    await ledger.insert("given", [insertOf("charges", charge)]);

    const outcomes = await Promise.all([reserve(ledger, charge.id, 1_200n), reserve(ledger, charge.id, 1_200n)]);

    expect(outcomes.sort()).toEqual(["refused", "reserved"]);
    expect((await ledger.read({ charges: charge.id })).charges?.refundReservedMinor).toBe(1_200n);
    expect((await rows("refunds")).filter((row) => row.chargeId === charge.id)).toHaveLength(1);
  });

  test("that both insert it commit once, and the loser's body finds the winner's row", async () => {
    const { ledger } = current();
    const key = keyRow();
    let bodies = 0;
    const claim = (owner: string) =>
      ledger.transact("claim", async (scope) => {
        bodies += 1;
        const { idempotency_keys: row } = await scope.read({ idempotency_keys: key.keyHash });
        if (row !== undefined) return row.owner;
        scope.write([insertOf("idempotency_keys", { ...key, owner })]);
        return owner;
      });

    const [first, second] = await Promise.all([claim("owner_1"), claim("owner_2")]);

    expect(first).toBe(second);
    expect(bodies).toBeGreaterThanOrEqual(2);
    expect((await ledger.read({ idempotency_keys: key.keyHash })).idempotency_keys?.owner).toBe(first);
  });
}

async function reserve(ledger: Ledger, chargeId: string, amountMinor: bigint): Promise<"reserved" | "refused"> {
  return await ledger.transact("reserve", async (scope) => {
    const { charges: charge } = await scope.read({ charges: chargeId });
    if (charge === undefined) throw new Error("the charge is missing");
    const refundReservedMinor = charge.refundReservedMinor + amountMinor;
    if (refundReservedMinor > charge.capturedMinor) return "refused";
    scope.write([
      { op: "update", table: "charges", row: { ...charge, refundReservedMinor } },
      insertOf("refunds", refundRow({ chargeId, amountMinor })),
    ]);
    return "reserved";
  });
}

async function raise(ledger: Ledger, keyHash: string): Promise<void> {
  await ledger.transact("raise", async (scope) => {
    const { idempotency_keys: row } = await scope.read({ idempotency_keys: keyHash });
    if (row === undefined) throw new Error("the row is missing");
    scope.write([{ op: "update", table: "idempotency_keys", row: { ...row, generation: row.generation + 1 } }]);
  });
}
