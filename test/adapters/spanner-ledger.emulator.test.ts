// How the Spanner ledger uses the real client: round trips, lost replies, and the traps of the client.
// It must never test what a fault-free store does: that is the contract's part.

import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import type { Ledger, LedgerTransactionScope } from "../../functions/flows/ports.ts";
import { insertOf, keyRow } from "../support/ledger-rows.ts";
import { type DisturbedSpanner, openDisturbedSpanner, openSpannerAt } from "../support/spanner-through-proxy.ts";

/** gRPC codes (google.rpc.Code). */
const [UNKNOWN, DEADLINE_EXCEEDED, PERMISSION_DENIED, ABORTED, INTERNAL, UNAVAILABLE] = [2, 4, 7, 10, 13, 14];

/** A call and all its retries are bounded by 5 s; the rest is a busy machine. */
const boundMs = 9_000;

let disturbed: DisturbedSpanner;
let ledger: Ledger;

beforeAll(async () => {
  disturbed = await openDisturbedSpanner();
  ledger = spannerLedger(disturbed.spanner);
  // The client asks for its sessions with the first call.
  await ledger.read({ charges: "none" });
});
afterAll(async () => {
  await disturbed?.close();
});
beforeEach(() => disturbed.proxy.reset());

const calls = () => disturbed.proxy.sequence();
const fail = (method: string, when: "before" | "after", status: number, nth = 1) =>
  disturbed.proxy.fault({ method, nth, when, status });

/** A key row that stands. */
async function standing() {
  const key = keyRow();
  await ledger.insert("given", [insertOf("idempotency_keys", key)]);
  disturbed.proxy.reset();
  return key;
}

/** The generation of a key past the proxy; undefined when there is no such key. */
async function generationOf(keyHash: string) {
  return (await disturbed.direct.rows("idempotency_keys")).find((row) => row.keyHash === keyHash)?.generation;
}

/** A body that reads a key and raises its generation; counts its runs. */
function raising(keyHash: string) {
  const raise = async (scope: LedgerTransactionScope) => {
    raise.runs += 1;
    const { idempotency_keys: row } = await scope.read({ idempotency_keys: keyHash });
    if (row === undefined) throw new Error("the row is missing");
    scope.write([{ op: "update", table: "idempotency_keys", row: { ...row, generation: row.generation + 1 } }]);
  };
  raise.runs = 0;
  return raise;
}

describe("round trips", () => {
  test("a blind insert is one commit, whatever it inserts", async () => {
    await ledger.insert("count", [insertOf("idempotency_keys", keyRow()), insertOf("idempotency_keys", keyRow())]);
    expect(calls()).toEqual(["Commit"]);
  });

  test("a transaction that reads is the read, which begins it, and the commit", async () => {
    const key = await standing();
    await ledger.transact("count", raising(key.keyHash));
    expect(calls()).toEqual(["ExecuteStreamingSql", "Commit"]);
  });

  test("reads, lists and look-ups outside a transaction are one query each", async () => {
    await ledger.read({ payment_intents: "a", attempts: "b", charges: "c", idempotency_keys: "d" });
    await ledger.listIntents({
      accountId: "acct",
      limit: 10,
      startingAfter: null,
      endingBefore: null,
      customer: null,
      createdFromMs: null,
      createdBeforeMs: null,
    });
    await ledger.overdueAttempts(0, 10);
    expect(calls()).toEqual(["ExecuteStreamingSql", "ExecuteStreamingSql", "ExecuteStreamingSql"]);
  });

  test("a transaction that only reads is committed, so that what it read was true and nothing stays open", async () => {
    await ledger.transact("count", (scope) => scope.read({ charges: "none" }));
    expect(calls()).toEqual(["ExecuteStreamingSql", "Commit"]);
  });

  test("a transaction that only writes has to be begun, and one that does nothing sends nothing", async () => {
    await ledger.transact("count", async (scope) => scope.write([insertOf("idempotency_keys", keyRow())]));
    await ledger.transact("count", async () => {});
    expect(calls()).toEqual(["BeginTransaction", "Commit"]);
  });

  test("a body that throws rolls back at once", async () => {
    const failing = ledger.transact("count", async (scope) => {
      await scope.read({ charges: "none" });
      throw new Error("own");
    });
    await expect(failing).rejects.toThrow("own");
    expect(calls()).toEqual(["ExecuteStreamingSql", "Rollback"]);
  });
});

describe("a commit whose reply is lost", () => {
  test.each([DEADLINE_EXCEEDED, UNKNOWN, INTERNAL])(
    "with code %i is unknown, although it was applied",
    async (code) => {
      const key = await standing();
      const raise = raising(key.keyHash);
      fail("Commit", "after", code);

      await expect(ledger.transact("lost", raise)).rejects.toMatchObject({ code: "commit_unknown", cause: { code } });

      expect(raise.runs).toBe(1);
      expect(await generationOf(key.keyHash)).toBe(2);
    },
  );

  test("by a broken stream does not run the body again, as the client would", async () => {
    const key = await standing();
    const raise = raising(key.keyHash);
    disturbed.proxy.fault({
      method: "Commit",
      nth: 1,
      when: "after",
      status: INTERNAL,
      message: "Received RST_STREAM",
    });

    await expect(ledger.transact("lost", raise)).rejects.toMatchObject({ code: "commit_unknown" });

    expect(raise.runs).toBe(1);
    expect(await generationOf(key.keyHash)).toBe(2);
  });

  test("because the server was away is repeated by the client and applied once", async () => {
    const key = await standing();
    fail("Commit", "after", UNAVAILABLE);

    await ledger.transact("lost", raising(key.keyHash));

    expect(calls()).toEqual(["ExecuteStreamingSql", "Commit", "Commit"]);
    expect(await generationOf(key.keyHash)).toBe(2);
  });
});

describe("a blind insert", () => {
  test("meets its own row when the reply was lost and the client repeated it", async () => {
    const key = keyRow();
    fail("Commit", "after", UNAVAILABLE);

    expect(await ledger.insert("lost", [insertOf("idempotency_keys", key)])).toBe("exists");
    expect((await ledger.read({ idempotency_keys: key.keyHash })).idempotency_keys).toStrictEqual(key);
  });

  test.each([
    ["after", 1],
    ["before", undefined],
  ] as const)("whose deadline passes %s it was applied is unknown", async (when, generation) => {
    const key = keyRow();
    fail("Commit", when, DEADLINE_EXCEEDED);

    const failing = ledger.insert("lost", [insertOf("idempotency_keys", key)]);

    await expect(failing).rejects.toMatchObject({ code: "commit_unknown" });
    expect(await generationOf(key.keyHash)).toBe(generation);
  });

  test("is sent again when it was aborted, which the client does not do, but not for ever", async () => {
    for (let nth = 1; nth <= 3; nth += 1) fail("Commit", "before", ABORTED, nth);
    expect(await ledger.insert("aborted", [insertOf("idempotency_keys", keyRow())])).toBe("inserted");
    expect(calls()).toEqual(["Commit", "Commit", "Commit", "Commit"]);

    for (let nth = 1; nth <= 10; nth += 1) fail("Commit", "before", ABORTED, nth);
    const failing = ledger.insert("aborted", [insertOf("idempotency_keys", keyRow())]);
    await expect(failing).rejects.toMatchObject({ code: "commit_unknown" });
  });
});

describe("a refusal of the account's grants", () => {
  test.each([
    ["Commit", () => ledger.insert("refused", [insertOf("idempotency_keys", keyRow())])],
    ["Commit", () => ledger.transact("refused", (scope) => scope.read({ charges: "none" }))],
    ["ExecuteStreamingSql", () => ledger.transact("refused", (scope) => scope.read({ charges: "none" }))],
    ["ExecuteStreamingSql", () => ledger.read({ charges: "none" })],
  ])("of %s is told as such", async (method, call) => {
    fail(method, "before", PERMISSION_DENIED);
    await expect(call()).rejects.toMatchObject({ code: "permission_denied" });
  });
});

describe("a statement that fails", () => {
  test("as the first one begins nothing behind our back, and is not a commit of unknown outcome", async () => {
    const key = await standing();
    fail("ExecuteStreamingSql", "before", INTERNAL);
    // The client begins a transaction that nobody awaits; were it sent, this would end the process.
    fail("BeginTransaction", "before", INTERNAL);

    await expect(ledger.transact("first", raising(key.keyHash))).rejects.toMatchObject({ code: "store_unavailable" });

    // What the client did behind our back would arrive before this.
    await ledger.read({ charges: "none" });
    expect(calls()).toEqual(["ExecuteStreamingSql", "ExecuteStreamingSql"]);
  });

  test("as a later one rolls back", async () => {
    const failing = ledger.transact("later", async (scope) => {
      await scope.read({ charges: "none" });
      fail("ExecuteStreamingSql", "before", INTERNAL);
      await scope.read({ charges: "none" });
    });
    await expect(failing).rejects.toMatchObject({ code: "store_unavailable" });
    expect(calls()).toEqual(["ExecuteStreamingSql", "ExecuteStreamingSql", "Rollback"]);
  });

  test("cannot be swallowed: a body that goes on neither hangs nor commits", async () => {
    const key = keyRow();
    fail("ExecuteStreamingSql", "before", INTERNAL);

    const failing = ledger.transact("swallow", async (scope) => {
      await scope.read({ charges: "none" }).catch(() => {});
      await scope.read({ charges: "none" }).catch(() => {});
      scope.write([insertOf("idempotency_keys", key)]);
    });

    await expect(failing).rejects.toMatchObject({ code: "store_unavailable" });
    expect(calls()).toEqual(["ExecuteStreamingSql"]);
    expect(await generationOf(key.keyHash)).toBeUndefined();
  });

  test.each(["ExecuteStreamingSql", "Commit"])("aborted at %s runs the body again and commits once", async (method) => {
    const key = await standing();
    const raise = raising(key.keyHash);
    fail(method, "before", ABORTED);

    await ledger.transact("aborted", raise);

    expect(raise.runs).toBe(2);
    expect(await generationOf(key.keyHash)).toBe(2);
  });
});

describe("a server that is not there", () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test.each(["refuses connections", "accepts and says nothing"])(
    "because it %s fails every call in a few seconds",
    async (kind) => {
      const port = kind === "refuses connections" ? 1 : (silent.address() as AddressInfo).port;
      const spanner = openSpannerAt(`127.0.0.1:${port}`, disturbed.direct.names);
      const absent = spannerLedger(spanner);
      const startMs = performance.now();

      const outcomes = await Promise.allSettled([
        absent.read({ charges: "none" }),
        absent.insert("absent", [insertOf("idempotency_keys", keyRow())]),
        absent.transact("absent", (scope) => scope.read({ charges: "none" })),
      ]);

      expect(performance.now() - startMs).toBeLessThan(boundMs);
      // Without a session nothing was sent, so not even the insert is of unknown outcome.
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: "rejected", reason: { code: "store_unavailable" } });
      await spanner.close();
    },
  );

  test("any more leaves an insert of unknown outcome and fails a read, each in a few seconds", async () => {
    const own = await openDisturbedSpanner();
    const lost = spannerLedger(own.spanner);
    await lost.read({ charges: "none" });
    await own.proxy.close();

    for (const [call, code] of [
      [() => lost.insert("lost", [insertOf("idempotency_keys", keyRow())]), "commit_unknown"],
      [() => lost.read({ charges: "none" }), "store_unavailable"],
    ] as const) {
      const startMs = performance.now();
      await expect(call()).rejects.toMatchObject({ code });
      expect(performance.now() - startMs).toBeLessThan(boundMs);
    }

    await own.spanner.close();
    await own.direct.close();
  });
});
