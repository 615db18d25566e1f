// The official client, unmodified, pays with cards whose buyer has to confirm: 3-D Secure from the client's side.
// It must never answer for the buyer by another way than the bank's page: no test hook passes a challenge.
import type Stripe from "stripe";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import type { WireRequest } from "../../functions/edge/wire.ts";
import { sweep } from "../support/completer.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const challenged = { ...payment, payment_method: "pm_card_threeDSecure2Required" } as const;
const withReturn = { ...challenged, return_url: "https://shop.example.test/done?order=17" };

const events = () => shop.world.ledger.rows("events").map(({ type }) => type);
const journal = async (kind: string) => (await shop.world.journal.list(100)).filter((line) => line.kind === kind);

/** A page as a browser asks for it, from whichever of the two servers it belongs to. */
async function visit(method: string, url: string, form = "") {
  const { pathname, search } = new URL(url);
  const { world } = shop;
  const request: WireRequest = { method, target: pathname + search, headers: new Map(), body: Buffer.from(form) };
  const isAcquirers = url.startsWith("https://acquirer.example.test");
  const acquirer = testAcquirer({ journal: world.journal, clock: world.clock, log: () => {}, secret: "s3cret" });
  const answer = await (isAcquirers ? acquirer : world.handler)(request);
  return { status: answer.status, location: answer.headers["Location"] ?? "", html: answer.body.toString("utf8") };
}

/** The buyer opens the payment's page, is led to the bank, answers there, and is led back. */
async function answer(intent: Stripe.PaymentIntent, what: "accept" | "refuse") {
  const url = intent.next_action?.redirect_to_url?.url ?? sdkUrl(intent);
  const bank = await visit("GET", url);
  const back = await visit("POST", bank.location, `answer=${what}`);
  return await visit("GET", back.location);
}

function sdkUrl(intent: Stripe.PaymentIntent): string {
  return String((intent.next_action?.use_stripe_sdk as { stripe_js: string } | undefined)?.stripe_js);
}

describe("a payment that the buyer has to confirm", () => {
  test("shows in the life of its key the challenge, and the attempt that went on from it without a request", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn, { idempotencyKey: "order-17" });
    const lifeOf = async () => (await shop.world.get("/v1/idempotency_keys/life?key=order-17")).json;
    const open = await lifeOf();
    expect(open).toMatchObject({ state: "completed", attempts: [{ state: "challenged", closed_at_ms: null }] });
    await shop.world.clock.advance(60_000);
    await answer(intent, "accept");

    const life = await lifeOf();

    expect(life.attempts.map(({ state }: { state: string }) => state)).toEqual(["authenticated", "succeeded"]);
    expect(life.ledger_transactions).toHaveLength(1);
    const ends = life.events.filter(({ request }: { request: string | null }) => request === null);
    expect(ends.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["charge.succeeded", "payment_intent.succeeded"]),
    );
  });

  test("leads to the bank's page and back to the merchant, paid by one authorization", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    expect(intent).toMatchObject({
      status: "requires_action",
      latest_charge: null,
      next_action: { type: "redirect_to_url", redirect_to_url: { return_url: withReturn.return_url } },
    });
    const end = await answer(intent, "accept");
    const target = new URL(end.location);
    expect([end.status, target.origin, target.pathname]).toEqual([303, "https://shop.example.test", "/done"]);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      order: "17",
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: "succeeded",
    });
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: "succeeded",
      amount_received: 2000,
      next_action: null,
    });
    const approvals = (await journal("authorize")).filter(({ result }) => result.kind === "approved");
    expect(approvals).toHaveLength(1);
    expect(events()).toEqual([
      "payment_intent.created",
      "payment_intent.requires_action",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
  });

  test("that is refused needs another method, and says why", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    const end = await answer(intent, "refuse");
    expect(new URL(end.location).searchParams.get("redirect_status")).toBe("failed");
    const failed = await shop.stripe.paymentIntents.retrieve(intent.id);
    expect(failed).toMatchObject({
      status: "requires_payment_method",
      payment_method: null,
      next_action: null,
      last_payment_error: { type: "invalid_request_error", code: "payment_intent_authentication_failure" },
    });
    expect(events().at(-1)).toBe("payment_intent.payment_failed");
    expect(await shop.stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_visa" })).toMatchObject({
      status: "succeeded",
      last_payment_error: null,
    });
  });

  test("can be passed and still be declined by the bank", async () => {
    const declining = { ...withReturn, payment_method: "pm_card_threeDSecureRequiredChargeDeclined" };
    const intent = await shop.stripe.paymentIntents.create(declining);
    const end = await answer(intent, "accept");
    expect(new URL(end.location).searchParams.get("redirect_status")).toBe("failed");
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "card_declined" },
    });
  });

  test("without a place to come back to is shown in the merchant's own page", async () => {
    const intent = await shop.stripe.paymentIntents.create(challenged);
    expect(intent.next_action).toMatchObject({ type: "use_stripe_sdk" });
    const end = await answer(intent, "accept");
    expect([end.status, end.html]).toEqual([200, expect.stringContaining("You can close this window")]);
  });

  test("can be held, and captured later", async () => {
    const intent = await shop.stripe.paymentIntents.create({ ...withReturn, capture_method: "manual" });
    await answer(intent, "accept");
    expect(await shop.stripe.paymentIntents.capture(intent.id)).toMatchObject({ status: "succeeded" });
  });

  test("with manual confirmation is confirmed once more by the merchant's server", async () => {
    const intent = await shop.stripe.paymentIntents.create({ ...withReturn, confirmation_method: "manual" });
    await answer(intent, "accept");
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: "requires_confirmation" });
    expect(await shop.stripe.paymentIntents.confirm(intent.id)).toMatchObject({ status: "succeeded" });
  });

  test("answered by a buyer who closes the window is found by the sweep", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    const bank = await visit("GET", intent.next_action?.redirect_to_url?.url ?? "");
    await visit("POST", bank.location, "answer=accept");
    await shop.world.clock.advance(60_000 + defaultTimings.callTimeoutMs + 1);
    expect(await sweep(shop.world)).toEqual({ settled: 1, left: 0 });
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: "succeeded" });
  });

  test("that nobody answers for a day has failed, and until then is looked at ever more rarely", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    let sweeps = 0;
    for (let minute = 0; minute < 25 * 60; minute += 10) {
      await shop.world.clock.advance(600_000);
      const { left, settled } = await sweep(shop.world);
      sweeps += left + settled;
    }
    expect(sweeps).toBeLessThan(35);
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "payment_intent_authentication_failure" },
    });
  });

  test("clicked twice, or opened again, is one authorization and the same way back", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    const bank = await visit("GET", intent.next_action?.redirect_to_url?.url ?? "");
    const [once, twice] = await Promise.all([
      visit("POST", bank.location, "answer=accept"),
      visit("POST", bank.location, "answer=refuse"),
    ]);
    expect(twice.location).toBe(once.location);
    const [first, second] = await Promise.all([visit("GET", once.location), visit("GET", once.location)]);
    expect(second.status).toBe(303);
    expect(new URL(first.location).origin).toBe("https://shop.example.test");
    const again = await visit("GET", bank.location);
    expect([again.status, again.location]).toEqual([303, once.location]);
    expect((await journal("authorize")).filter(({ result }) => result.kind === "approved")).toHaveLength(1);
  });

  test.each([
    ["a new confirm", (id: string) => shop.stripe.paymentIntents.confirm(id, { payment_method: "pm_card_visa" })],
    ["a cancel", (id: string) => shop.stripe.paymentIntents.cancel(id)],
    ["another amount", (id: string) => shop.stripe.paymentIntents.update(id, { amount: 1000 })],
  ])("makes way for %s, and its page refuses", async (_, command) => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    const url = intent.next_action?.redirect_to_url?.url ?? "";
    const bank = await visit("GET", url);
    const after = await command(intent.id);
    expect((await visit("GET", url)).status).toBe(410);
    const back = await visit("POST", bank.location, "answer=accept");
    expect((await visit("GET", back.location)).status).toBe(410);
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: after.status });
    expect(shop.world.ledger.rows("attempts")[0]).toMatchObject({ state: "superseded" });
  });

  test.each([
    ["off_session", { off_session: true }],
    ["error_on_requires_action", { error_on_requires_action: true }],
  ])("is declined at once with %s, because nobody may be asked", async (_, params) => {
    const error = await thrownBy(() => shop.stripe.paymentIntents.create({ ...challenged, ...params }));
    expect(error).toMatchObject({ statusCode: 402, code: "authentication_required" });
    expect(error.payment_intent).toMatchObject({ status: "requires_payment_method" });
  });

  test("is not asked off session when the card was set up for that", async () => {
    const card = "pm_card_authenticationRequiredSetupForOffSession";
    const paid = await shop.stripe.paymentIntents.create({ ...payment, payment_method: card, off_session: true });
    expect(paid.status).toBe("succeeded");
    const asked = await shop.stripe.paymentIntents.create({ ...payment, payment_method: card });
    expect(asked.status).toBe("requires_action");
  });

  test("of which the network says nothing at the return is finished by the sweep", async () => {
    const intent = await shop.stripe.paymentIntents.create(withReturn);
    const bank = await visit("GET", intent.next_action?.redirect_to_url?.url ?? "");
    const back = await visit("POST", bank.location, "answer=accept");
    shop.world.ports.acquirer.disturb("lookup", { at: "before", act: "throw", error: new Error("no answer") });
    expect((await visit("GET", back.location)).status).toBe(500);
    await shop.world.clock.advance(60_000 + defaultTimings.callTimeoutMs + 1);
    await sweep(shop.world);
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: "succeeded" });
  });
});

test.each(["/challenges/att_unknown", "/challenges/att_unknown/return"])("%s is not there", async (path) => {
  expect((await visit("GET", `https://api.example.test${path}`)).status).toBe(404);
  expect((await visit("POST", `https://api.example.test${path}`)).status).toBe(405);
});
