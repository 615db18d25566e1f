// What stands under the payments, through the ledger-writer's own door: reconciled to the last order, and ended by two persons.
// It must never look into the flows: it sees the API, the jobs and the rows.
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { type DeskRequest, operatorDesk } from "../../functions/edge/operator-desk.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { died } from "../proof/crash-support.ts";
import { carrierTo, dispatcherOf } from "../support/intentions.ts";
import { clientOf, openWorld, payForm } from "../support/world.ts";

const account = "scheduler@project.iam.gserviceaccount.com";
const day = 24 * 60 * 60 * 1000;

/** A world with the jobs of its ledger-writer and an operator's desk; the acquirer is deaf while it is told so. */
async function openOperations() {
  const world = await openWorld();
  const { clock, ledger, balances, seals, reconciliation, operators, journal } = world;
  const network = networkOver({ journal, clock, log: () => {} });
  let isDeaf = false;
  const heard = <Parameters extends unknown[], Answer>(call: (...parameters: Parameters) => Promise<Answer>) => {
    return async (...parameters: Parameters) => {
      if (isDeaf) throw new Error("The acquirer did not answer.");
      return await call(...parameters);
    };
  };
  const acquirer = {
    ...network,
    authorize: heard(network.authorize),
    lookup: heard(network.lookup),
    voidKey: heard(network.voidKey),
  };
  const stores = { ledger, balances, seals, reconciliation, operators, clock };
  const log = () => {};
  const callers = { callerAccount: account, settlementsCaller: account };
  const events = { outbox: world.outbox, publisher: world.bus, outlet: world.outlet };
  const machine = { random: systemRandom, log };
  const intentions = carrierTo(dispatcherOf(world));
  const writer = clientOf(ledgerWriter({ ...stores, ...events, ...machine, ...callers, acquirer, intentions }));
  const run = async (path: string) => {
    const host = "ledger-writer.example";
    const claims = { iss: "https://accounts.google.com", aud: `https://${host}`, email: account, email_verified: true };
    const token = [{ alg: "RS256" }, { ...claims, exp: clock.now() / 1000 + 60 }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const reply = await writer.send("POST", path, "", { headers: { host, authorization: `Bearer ${token}.x` } });
    return reply.json;
  };
  const ask = (request: DeskRequest) => operatorDesk({ ...stores, random: systemRandom }, { run: true, ...request });
  const deafen = (deaf: boolean) => {
    isDeaf = deaf;
  };
  return { world, clock, network, run, ask, deafen };
}

describe("the daily match", () => {
  test("finds nothing after payments of every kind, also when the completer had to end some of them", async () => {
    const { world, clock, run } = await openOperations();
    const create = async (form: string) => (await world.post("/v1/payment_intents", form)).json;
    const paid = await create(payForm);
    await world.post("/v1/refunds", `payment_intent=${paid.id}&amount=500`);
    const held = await create(`${payForm}&capture_method=manual`);
    await world.post(`/v1/payment_intents/${held.id}/capture`, "amount_to_capture=1200");
    const given = await create(`${payForm}&capture_method=manual`);
    await world.post(`/v1/payment_intents/${given.id}/cancel`, "");
    await create(payForm.replace("pm_card_visa", "pm_card_chargeDeclined"));
    for (const when of ["before", "after"] as const) {
      const dying = world.startServer();
      dying.ports.acquirer.disturb("authorize", died(when));
      void dying.post("/v1/payment_intents", payForm, { key: `died ${when}` });
    }
    await clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
    expect(await run("/complete")).toMatchObject({ settled: 2 });
    await clock.advance(1);

    const went = await run("/reconcile");

    expect(went).toMatchObject({ opened: 0, open: 0 });
    expect(went.orders).toBe(went.attempts);
    expect(went.orders).toBeGreaterThanOrEqual(8);
  });

  test("finds what somebody else did at the acquirer, and goes on telling it", async () => {
    const { network, clock, run } = await openOperations();
    const money = { amountMinor: 700n, currency: "usd" } as const;
    const more = { captureLater: false, challengeReturnUrl: null, authentication: null };
    await network.authorize({ key: "not_ours", ...money, paymentMethodToken: "pm_card_visa", ...more });
    await clock.advance(1);

    expect(await run("/reconcile")).toMatchObject({ orders: 1, attempts: 0, opened: 1, open: 1 });
    expect(await run("/reconcile")).toMatchObject({ opened: 0, open: 1 });
  });
});

describe("an attempt that no machine can end", () => {
  /** A payment whose order went out, with an acquirer that has not answered anybody since. */
  async function stuckPayment(when: "before" | "after") {
    const operations = await openOperations();
    const { world, clock, run, ask, deafen } = operations;
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", died(when));
    void dying.post("/v1/payment_intents", payForm, { key: "stuck" });
    deafen(true);
    for (let hour = 0; hour < 26; hour += 1) {
      await clock.advance(60 * 60 * 1000);
      await run("/complete");
    }
    const [attempt] = (await ask({ verb: "list" })).attempts ?? [];
    deafen(false);
    expect(await run("/reconcile")).toMatchObject({ open: 1 });
    return { ...operations, attemptId: attempt?.id ?? "" };
  }

  const said = { reason: "ticket 4711 of the acquirer's support", by: "ada" } as const;

  test("is ended as paid by two persons, through the books, the events and the client's own key", async () => {
    const { world, run, ask, attemptId } = await stuckPayment("after");
    const reference = `auth_${attemptId}`;
    const proposed = await ask({ verb: "propose", attempt: attemptId, verdict: "happened", reference, ...said });
    const action = proposed.actions?.[0]?.id ?? "";
    expect(await run("/operate")).toEqual({ done: 0, refused: 0, left: 0 });
    await ask({ verb: "confirm", action, by: "bob" });

    expect(await run("/operate")).toEqual({ done: 1, refused: 0, left: 0 });

    const replay = await world.post("/v1/payment_intents", payForm, { key: "stuck" });
    expect([replay.status, replay.json.status, replay.json.amount_received]).toEqual([200, "succeeded", 2000]);
    expect(world.ledger.rows("ledger_transactions")).toHaveLength(1);
    expect((await ask({ verb: "show", attempt: attemptId })).actions).toMatchObject([
      { state: "done", result: "the attempt is succeeded", proposedBy: "ada", confirmedBy: "bob" },
    ]);
    expect(await run("/verify")).toMatchObject({ fault: null });
    expect(await run("/reconcile")).toMatchObject({ closed: 1, open: 0 });
  });

  test("is ended as not paid by two persons, and a late order cannot take the money any more", async () => {
    const { world, network, clock, run, ask, attemptId } = await stuckPayment("before");
    const { actions } = await ask({ verb: "propose", attempt: attemptId, verdict: "not_happened", ...said });
    await ask({ verb: "confirm", action: actions?.[0]?.id ?? "", by: "bob" });

    expect(await run("/operate")).toEqual({ done: 1, refused: 0, left: 0 });

    const replay = await world.post("/v1/payment_intents", payForm, { key: "stuck" });
    expect([replay.status, replay.json.error.code]).toEqual([402, "processing_error"]);
    const money = { amountMinor: 2_000n, currency: "usd" } as const;
    const more = { captureLater: false, challengeReturnUrl: null, authentication: null };
    const late = network.authorize({ key: attemptId, ...money, paymentMethodToken: "pm_card_visa", ...more });
    await expect(late).resolves.not.toMatchObject({ kind: "approved" });
    await clock.advance(day);
    expect(await run("/reconcile")).toMatchObject({ open: 0 });
  });
});
