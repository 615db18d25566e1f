// The ledger-writer's door: only the platform's schedule gets in, and a sweep says how it went.
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { died } from "../proof/crash-support.ts";
import { bookingRow, insertOf } from "../support/ledger-rows.ts";
import { beginMs, clientOf, openWorld, payForm } from "../support/world.ts";

const account = "scheduler@project.iam.gserviceaccount.com";
const claims = {
  iss: "https://accounts.google.com",
  aud: "https://ledger-writer.example",
  email: account,
  email_verified: true,
  exp: beginMs / 1000 + 3600,
};
const tokenOf = (payload: object) =>
  `Bearer ${[{ alg: "RS256" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.SIGNATURE_REMOVED_BY_GOOGLE`;

async function openWriter() {
  const world = await openWorld();
  const acquirer = networkOver({ journal: world.journal, clock: world.clock, log: () => {} });
  const { ledger, balances, seals, reconciliation, operators, outbox, clock, bus: publisher, outlet } = world;
  const logged: Parameters<Log>[] = [];
  const log: Log = (...line) => void logged.push(line);
  const stores = { ledger, balances, seals, reconciliation, operators, outbox, publisher, outlet };
  const machine = { clock, random: systemRandom, log };
  const client = clientOf(ledgerWriter({ ...stores, ...machine, acquirer, callerAccount: account }));
  const call = (authorization: string | undefined, path = "/complete", method = "POST") =>
    client.send(method, path, "", {
      headers: { host: "ledger-writer.example", authorization: authorization === undefined ? [] : authorization },
    });
  return { world, call, logged };
}

describe("the ledger-writer", () => {
  test("settles what a dead worker left behind when its schedule calls", async () => {
    // given an abandoned attempt
    const { world, call } = await openWriter();
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", died("before"));
    void dying.post("/v1/payment_intents", payForm, { key: "left behind" });
    await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
    // when
    const swept = await call(tokenOf(claims));
    // then
    expect([swept.status, swept.json]).toEqual([200, { settled: 1, left: 0 }]);
    expect(world.ledger.rows("payment_intents").map((intent) => intent.status)).toEqual(["succeeded"]);
  });

  test("verifies the ledger, and tells a bad row in one line of its own", async () => {
    const { world, call, logged } = await openWriter();
    const sound = await call(tokenOf(claims), "/verify");
    await world.ledger.insert("orphan", [insertOf("ledger_transactions", bookingRow({ sourceId: "ch_gone" }))]);
    const unsound = await call(tokenOf(claims), "/verify");

    const fault = {
      table: "ledger_transactions",
      key: "charge/ch_gone",
      problem: "its charge or refund does not exist",
    };
    expect([sound.status, sound.json.fault, unsound.status, unsound.json.fault]).toEqual([200, null, 200, fault]);
    expect(logged.filter(([severity]) => severity === "ERROR")).toEqual([["ERROR", "ledger has a bad row", fault]]);
  });

  test("sums up what was booked, once, and its checkpoint is verified with the rest", async () => {
    const { world, call, logged } = await openWriter();
    await world.post("/v1/payment_intents", payForm);
    const [first, second] = [await call(tokenOf(claims), "/checkpoint"), await call(tokenOf(claims), "/checkpoint")];
    expect([first.json, second.json]).toEqual([
      { accounts: 1, left: 0 },
      { accounts: 0, left: 0 },
    ]);
    expect(logged[0]).toEqual(["INFO", "balances checkpointed", { accounts: 1, left: 0 }]);
    const { json } = await call(tokenOf(claims), "/verify");
    expect(json).toMatchObject({ fault: null, rows: { balance_checkpoints: 1 } });
    expect((await world.get("/v1/balance")).json.pending).toMatchObject([{ amount: 1_912, currency: "usd" }]);
  });

  test("seals what was booked, and tells the root to the log beside how it went", async () => {
    const { world, call, logged } = await openWriter();
    await world.post("/v1/payment_intents", payForm);

    const sealed = await call(tokenOf(claims), "/seal");

    expect([sealed.status, sealed.json]).toEqual([200, { seals: 1, bookings: 1 }]);
    expect(logged).toEqual([
      ["INFO", "ledger sealed", expect.objectContaining({ anchor: expect.stringMatching(/^\d:1:[0-9a-f]{64}$/) })],
      ["INFO", "ledger sealing ended", { seals: 1, bookings: 1 }],
    ]);
    expect((await call(tokenOf(claims), "/verify")).json).toMatchObject({ fault: null, rows: { ledger_seals: 1 } });
  });

  test.each([
    ["without a token", undefined],
    ["with an API key for a token", "Bearer sk_test_first_account_1111"],
    ["with a token that is not JSON", "Bearer e30.bm90IGpzb24.x"],
    ["with another issuer's token", tokenOf({ ...claims, iss: "https://issuer.example" })],
    ["with another account's token", tokenOf({ ...claims, email: "other@project.iam.gserviceaccount.com" })],
    ["with an address that nobody verified", tokenOf({ ...claims, email_verified: false })],
    ["with a token for another service", tokenOf({ ...claims, aud: "https://payments-api.example" })],
    ["with a token that has expired", tokenOf({ ...claims, exp: beginMs / 1000 })],
  ])("refuses a caller %s", async (_, authorization) => {
    const { call } = await openWriter();
    const refused = await call(authorization);
    expect([refused.status, refused.json.error.type]).toEqual([403, "invalid_request_error"]);
  });

  test("answers its health to anybody, and nothing else", async () => {
    const { call } = await openWriter();
    expect((await call(undefined, "/health", "GET")).json).toEqual({ status: "ok" });
    expect((await call(tokenOf(claims), "/other")).status).toBe(404);
    expect((await call(tokenOf(claims), "/complete", "GET")).status).toBe(405);
  });
});
