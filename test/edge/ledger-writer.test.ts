// The ledger-writer's door: only the platform's schedule gets in, and a sweep says how it went.
import { memoryTaskQueues } from "../../functions/adapters/memory/task-queues.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Log } from "../../functions/flows/ports.ts";
import type { WakeUp } from "../../functions/flows/task-ports.ts";
import { died } from "../proof/crash-support.ts";
import { carrierTo, dispatcherOf } from "../support/intentions.ts";
import { bookingRow, insertOf } from "../support/ledger-rows.ts";
import { beginMs, clientOf, countRows, openWorld, payForm } from "../support/world.ts";

const account = "scheduler@project.iam.gserviceaccount.com";
const queueAccount = "queue@project.iam.gserviceaccount.com";
const claims = {
  iss: "https://accounts.google.com",
  aud: "https://ledger-writer.example",
  email: account,
  email_verified: true,
  exp: beginMs / 1000 + 3600,
};
const tokenOf = (payload: object) =>
  `Bearer ${[{ alg: "RS256" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.SIGNATURE_REMOVED_BY_GOOGLE`;

const bankForm = `${payForm}&payment_method_types[]=us_bank_account`.replace(
  "pm_card_visa",
  "pm_usBankAccount_success",
);

async function openWriter() {
  const world = await openWorld();
  const acquirer = networkOver({ journal: world.journal, clock: world.clock, log: () => {} });
  const { ledger, balances, seals, reconciliation, operators, outbox, clock, bus: publisher, outlet } = world;
  const logged: Parameters<Log>[] = [];
  const log: Log = (...line) => void logged.push(line);
  const targets: string[] = [];
  const queues = memoryTaskQueues({ clock });
  const tasks = (target: string) => ({
    enqueue: async (task: WakeUp) => {
      targets.push(target);
      return await queues.enqueue(task);
    },
  });
  const callers = { callerAccount: account, settlementsCaller: queueAccount };
  const stores = { ledger, balances, seals, reconciliation, operators, outbox, publisher, outlet };
  const machine = { clock, random: systemRandom, log };
  const intentions = carrierTo(dispatcherOf(world));
  const client = clientOf(ledgerWriter({ ...stores, ...machine, ...callers, acquirer, intentions, tasks }));
  const call = (authorization: string | undefined, path = "/complete", method = "POST", body = "") =>
    client.send(method, path, body, {
      headers: { host: "ledger-writer.example", authorization: authorization === undefined ? [] : authorization },
    });
  return { world, call, logged, queues, targets };
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
    expect([swept.status, swept.json]).toEqual([200, { settled: 1, left: 0, intentionsSealed: 0, intentionsLeft: 0 }]);
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
    expect(logged[0]).toEqual([
      "INFO",
      "balances checkpointed",
      { accounts: 1, left: 0, path: "/checkpoint", durationMs: 0 },
    ]);
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
      ["INFO", "ledger sealing ended", { seals: 1, bookings: 1, path: "/seal", durationMs: 0 }],
    ]);
    expect((await call(tokenOf(claims), "/verify")).json).toMatchObject({ fault: null, rows: { ledger_seals: 1 } });
  });

  test("wakes itself, at the address of its request, for what the acquirer settles later; the task then settles it", async () => {
    // given an abandoned payment by bank debit
    const { world, call, queues, targets } = await openWriter();
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", died("before"));
    void dying.post("/v1/payment_intents", bankForm, { key: "left behind" });
    await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
    // when
    await call(tokenOf(claims));
    const pending = world.ledger.rows("payment_intents").map((intent) => intent.status);
    await world.clock.advance(testSettlementMs);
    const [task] = queues.takeDue();
    await call(tokenOf({ ...claims, email: queueAccount }), task?.path, "POST", JSON.stringify(task?.body));
    // then
    expect([pending, targets]).toEqual([["processing"], ["https://ledger-writer.example"]]);
    expect(world.ledger.rows("payment_intents").map((intent) => intent.status)).toEqual(["succeeded"]);
  });

  test("F51: of a wake-up put in at once, after 59 and 61 minutes and after two days, three run and one has an effect", async () => {
    // given a bank debit that has settled at the bank
    const { world, call, queues } = await openWriter();
    await world.post("/v1/payment_intents", bankForm);
    const id = world.ledger.rows("attempts")[0]?.id ?? "";
    const task = {
      queue: "settlements",
      name: id,
      path: "/settle",
      body: { attempt_id: id },
      scheduleAtMs: null,
    } as const;
    const seen: unknown[] = [];
    // when
    for (const aheadMs of [testSettlementMs, 59 * 60_000, 2 * 60_000, 2 * 86_400_000]) {
      await world.clock.advance(aheadMs);
      const answer = await queues.enqueue(task);
      const token = tokenOf({ ...claims, email: queueAccount, exp: world.clock.now() / 1000 + 60 });
      const ran = queues.takeDue();
      for (const { path, body } of ran)
        expect((await call(token, path, "POST", JSON.stringify(body))).status).toBe(200);
      seen.push([answer, ran.length, world.ledger.rows("payment_intents")[0]?.status, countRows(world).events]);
    }
    // then
    expect(seen).toEqual([
      ["enqueued", 1, "succeeded", 5],
      ["exists", 0, "succeeded", 5],
      ["enqueued", 1, "succeeded", 5],
      ["enqueued", 1, "succeeded", 5],
    ]);
  });

  test.each([
    ["the queue", queueAccount, "/complete"],
    ["the queue", queueAccount, "/verify"],
    ["the schedule", account, "/settle"],
  ])("does not do for %s what only the other may ask for", async (_caller, email, path) => {
    const { call } = await openWriter();

    expect((await call(tokenOf({ ...claims, email }), path)).status).toBe(403);
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
