// What the memory ledger promises beyond the port: frozen copies, consistent reads, no answer in the same turn.
// It must never repeat a case of the contract.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import type { KeyRow } from "../../functions/domain/rows.ts";
import { attemptRow, eventRow, insertOf, keyRow } from "../support/ledger-rows.ts";

test("rows are copies: what was handed in may change, what was handed out cannot", async () => {
  const ledger = memoryLedger();
  const data = Uint8Array.from([1, 2]);
  const expand = ["latest_charge"];
  const key = keyRow({ expand });
  await ledger.insert("given", [insertOf("idempotency_keys", key), insertOf("events", eventRow({ data }))]);

  expand.push("customer");
  data[0] = 9;
  const found = (await ledger.read({ idempotency_keys: key.keyHash })).idempotency_keys as KeyRow;
  const [event] = ledger.rows("events");
  event?.data.fill(7);

  expect(found.expand).toEqual(["latest_charge"]);
  expect(() => Object.assign(found, { owner: "thief" })).toThrow(TypeError);
  expect(() => (found.expand as string[]).push("x")).toThrow(TypeError);
  expect(ledger.rows("events")[0]?.data).toEqual(Uint8Array.from([1, 2]));
});

test("a body sees one moment: a commit between its reads runs it again, and is counted", async () => {
  const ledger = memoryLedger();
  const [key, attempt] = [keyRow(), attemptRow()];
  await ledger.insert("given", [insertOf("idempotency_keys", key), insertOf("attempts", attempt)]);
  const seen: string[] = [];
  let disturb = true;

  await ledger.transact("reader", async (scope) => {
    const { idempotency_keys: row } = await scope.read({ idempotency_keys: key.keyHash });
    if (disturb) {
      disturb = false;
      await ledger.transact("writer", async (other) =>
        other.write([
          { op: "update", table: "idempotency_keys", row: { ...key, owner: "after" } },
          { op: "update", table: "attempts", row: { ...attempt, state: "declined", closedAtMs: 1 } },
        ]),
      );
    }
    const { attempts: found } = await scope.read({ attempts: attempt.id });
    seen.push(`${row?.owner} ${found?.state}`);
  });

  expect(seen).toEqual(["after declined"]);
  expect(ledger.conflicts()).toBe(1);
});

test("two bodies that read one row and write another each cannot both commit on the old row", async () => {
  const ledger = memoryLedger();
  const [one, other] = [keyRow(), keyRow()];
  await ledger.insert("given", [insertOf("idempotency_keys", one), insertOf("idempotency_keys", other)]);
  // Each gives up its own lease only while the other still holds one.
  const release = (mine: KeyRow, theirs: KeyRow) =>
    ledger.transact("release", async (scope) => {
      const { idempotency_keys: row } = await scope.read({ idempotency_keys: theirs.keyHash });
      if (row?.owner === "nobody") return;
      scope.write([{ op: "update", table: "idempotency_keys", row: { ...mine, owner: "nobody" } }]);
    });

  await Promise.all([release(one, other), release(other, one)]);

  expect(ledger.rows("idempotency_keys").filter((row) => row.owner === "nobody")).toHaveLength(1);
});

test("no call is answered in the same turn of the event loop", async () => {
  const ledger = memoryLedger();
  const answered: string[] = [];
  const calls = [
    ledger.insert("turn", []).then(() => answered.push("insert")),
    ledger.read({ charges: "none" }).then(() => answered.push("read")),
    ledger.transact("turn", async () => {}).then(() => answered.push("transact")),
    ledger.overdueAttempts(0, 1).then(() => answered.push("overdueAttempts")),
  ];

  for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
  expect(answered).toEqual([]);

  await Promise.all(calls);
  expect(answered).toHaveLength(4);
});

test("what no column can hold is refused, not forgotten", async () => {
  const row = { ...keyRow(), resourceId: undefined as unknown as null };
  await expect(memoryLedger().insert("odd", [insertOf("idempotency_keys", row)])).rejects.toThrow(
    "A undefined cannot be stored.",
  );
});
