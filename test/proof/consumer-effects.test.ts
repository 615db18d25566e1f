// What invoice and risk leave behind when events come twice, late, in any order, and when the process dies at any call.
// It must never look at markers to count effects: invoices and flags are documents, and those are counted.
import fc from "fast-check";
import { invoiceNumber } from "../../functions/domain/invoice.ts";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import { beginMs, openConsumerWorld } from "../support/consumer-world.ts";
import { aDeclinedView } from "../support/payment-fixtures.ts";
import { aChargeEvent, anEvent, aPaymentEvent, push, pushOf } from "../support/pushes.ts";
import { died } from "./crash-support.ts";

type World = ReturnType<typeof openConsumerWorld>;
const invoicesIn = ({ documents }: World) => documents.all("invoices");
const flaggedIn = ({ documents }: World) => documents.all("riskFlags").map(({ id }) => id);

describe("invoice", () => {
  test("issues what was received, with a number of the payment, as a page", async () => {
    const world = openConsumerWorld();
    const event = aPaymentEvent({ amountReceivedMinor: 500n, description: "Half of <it>", customer: "cus_7" });

    expect(await push(world.invoice, pushOf(event))).toEqual({ status: 200, body: { outcome: "issued" } });

    expect(invoicesIn(world)).toEqual([
      {
        id: "pi_1",
        fields: {
          ...{ intentId: "pi_1", accountId: "acct_1", amountMinor: "500", currency: "eur" },
          ...{ paidAtMs: Date.UTC(2026, 2, 1, 12, 0, 0), customer: "cus_7", description: "Half of <it>" },
          number: invoiceNumber("pi_1"),
          html: expect.stringMatching(/EUR 5\.00/),
        },
      },
    ]);
  });

  test("issues one for two events of one payment, and the first one stands", async () => {
    const world = openConsumerWorld();
    await push(world.invoice, pushOf(aPaymentEvent({}, { id: "evt_1" })));
    const first = invoicesIn(world);

    const again = await push(world.invoice, pushOf(aPaymentEvent({ description: "other" }, { id: "evt_2" })));

    expect(again.body).toEqual({ outcome: "repeated" });
    expect(invoicesIn(world)).toEqual(first);
  });

  test("knows its invoice even when every marker is gone", async () => {
    const world = openConsumerWorld();
    await push(world.invoice, pushOf(aPaymentEvent()));
    world.store.forgetMarkers();

    expect((await push(world.invoice, pushOf(aPaymentEvent()))).body).toEqual({ outcome: "repeated" });
    expect(invoicesIn(world)).toHaveLength(1);
  });

  test.each(["before", "after"] as const)("dies %s its only call, and there is one invoice", async (at) => {
    const world = openConsumerWorld();
    world.ports.store.disturbCall(1, died(at));
    void push(world.invoice, pushOf(aPaymentEvent()));
    await world.clock.advance(10_000);

    expect((await push(world.startProcess().invoice, pushOf(aPaymentEvent()))).status).toBe(200);
    expect(invoicesIn(world)).toHaveLength(1);
  });

  test.each(["payment_intent.created", "payment_intent.canceled"] as const)(
    "has nothing to do with %s",
    async (type) => {
      const world = openConsumerWorld();

      expect((await push(world.invoice, pushOf(anEvent(type)))).body).toEqual({ outcome: "nothing" });
    },
  );
});

/** Tries of one card, `seconds` after noon each; more than two within a minute are too many. */
const tries = (...seconds: number[]): BusMessage[] =>
  seconds.map((second, index) =>
    aChargeEvent(
      { id: `ch_${index}`, intentId: `pi_${index}`, createdAtMs: Date.UTC(2026, 2, 1, 12, 0, second) },
      { id: `evt_${index}` },
    ),
  );

describe("risk", () => {
  test("flags the payment that is one too many, and says so", async () => {
    const world = openConsumerWorld();
    const outcomes: unknown[] = [];
    for (const event of tries(0, 10, 20)) outcomes.push((await push(world.risk, pushOf(event))).body);

    expect(outcomes).toEqual([{ outcome: "clear" }, { outcome: "clear" }, { outcome: "flagged" }]);
    expect(world.documents.all("riskFlags")).toMatchObject([
      {
        id: "card_ch_2",
        fields: { rule: "card_velocity", accountId: "acct_1", chargeId: "ch_2", windowMs: 60_000, paymentsMax: 2 },
      },
    ]);
  });

  test("counts declined tries too, cards and customers apart, and merchants apart", async () => {
    const world = openConsumerWorld();
    const declined = aDeclinedView("pm_card_visa").charge;
    const same = { createdAtMs: beginMs, customer: "cus_7" };
    const events = [
      anEvent("charge.failed", { ...aDeclinedView("pm_card_visa"), charge: declined && { ...declined, ...same } }),
      aChargeEvent({ ...same, id: "ch_2", paymentMethodToken: "pm_card_mastercard" }, { id: "evt_2" }),
      aChargeEvent({ ...same, id: "ch_3", paymentMethodToken: "pm_card_amex" }, { id: "evt_3" }),
    ];
    for (const event of events) expect((await push(world.risk, pushOf(event))).status).toBe(200);
    const elsewhere = aChargeEvent({ ...same, id: "ch_4", customer: null }, { id: "evt_4" });
    const attributes = { ...elsewhere.attributes, account_id: "acct_2" };

    expect(await push(world.risk, pushOf({ ...elsewhere, attributes }))).toMatchObject({ body: { outcome: "clear" } });
    expect(flaggedIn(world)).toEqual(["customer_ch_3"]);
  });

  test("flags the same payments whatever order, however often and however late events come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(150), { minLength: 3, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        async (at, luck) => {
          const events = tries(...at);
          const inOrder = openConsumerWorld();
          for (const event of events) await push(inOrder.risk, pushOf(event));
          const shuffled = openConsumerWorld();
          const rest = [...events, ...events];
          while (rest.length > 0) {
            const [event] = rest.splice(luck.next().value % rest.length, 1);
            if (event !== undefined) await push(shuffled.risk, pushOf(event));
          }

          expect(flaggedIn(shuffled)).toEqual(flaggedIn(inOrder));
        },
      ),
      { numRuns: 15 },
    );
  });

  const calls = [
    ["observations", "record"],
    ["observations", "between"],
    ["store", "put"],
  ] as const;
  test.each(calls.flatMap((call) => (["before", "after"] as const).map((at) => [...call, at] as const)))(
    "dies at %s.%s, %s it: the flag stands after the next delivery, once",
    async (port, method, at) => {
      const world = openConsumerWorld();
      const [first, second, third] = tries(0, 10, 20);
      for (const event of [first, second]) if (event) await push(world.risk, pushOf(event));
      const dying = world.startProcess();
      dying.ports[port].disturb(method as never, died(at));
      void push(dying.risk, pushOf(third ?? aChargeEvent()));
      await world.clock.advance(10_000);

      expect((await push(world.startProcess().risk, pushOf(third ?? aChargeEvent()))).status).toBe(200);
      expect(flaggedIn(world)).toEqual(["card_ch_2"]);
    },
  );

  test("two tries at the same time do not overlook each other", async () => {
    const world = openConsumerWorld();
    const [first, ...rest] = tries(0, 10, 11);
    await push(world.risk, pushOf(first ?? aChargeEvent()));

    await Promise.all(rest.map(async (event) => await push(world.risk, pushOf(event))));

    expect(flaggedIn(world)).toEqual(["card_ch_2"]);
  });
});
