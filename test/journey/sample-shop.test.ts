// A buyer at the sample shop, whose payments go through the whole API: whatever is repeated, one order and one payment.
// It must never count in the shop's own books alone: the acquirer's journal says how often money moved.

import { refuse } from "../../functions/domain/errors.ts";
import { openShop, type ShopWorld } from "../support/shop.ts";
import { countRows } from "../support/world.ts";

let shop: ShopWorld;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const effects = async () => (await shop.world.journal.list(100)).length;
const broken = "pm_card_visa_chargeDeclinedInsufficientFunds";

describe("an order form", () => {
  test("carries another token on each visit, and may be kept by the browser for going back", async () => {
    const [first, second] = [await shop.browse.token(), await shop.browse.token()];

    expect(first).toMatch(/^[\w-]{24}$/);
    expect(second).not.toBe(first);
    expect((await shop.browse.get("/")).headers["Cache-Control"]).toBe("private, no-cache");
  });

  test("is answered by a redirect to the order, which is paid", async () => {
    const placed = await shop.browse.order(await shop.browse.token());
    const page = await shop.browse.get(placed.location);

    expect(placed).toMatchObject({ status: 303, location: expect.stringMatching(/^\/orders\/order_[0-9a-f]{32}$/) });
    expect(page.text).toContain("<h1>Thank you, it is paid</h1>");
    expect(page.text).toContain("12.50 USD");
    expect(page.headers["Cache-Control"]).toBe("no-store");
    expect([shop.orders.all().length, await effects()]).toEqual([1, 1]);
  });

  test("sent again is the first order: the same answer, one payment", async () => {
    const token = await shop.browse.token();

    const first = await shop.browse.order(token);
    const second = await shop.browse.order(token);

    expect(second).toEqual(first);
    expect([shop.orders.all().length, await effects(), countRows(shop.world).intents]).toEqual([1, 1, 1]);
  });

  test("sent ten times at once is one order and one payment, and all are sent to it", async () => {
    const token = await shop.browse.token();

    const replies = await shop.passTime(Promise.all(Array.from({ length: 10 }, () => shop.browse.order(token))));

    expect(new Set(replies.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
    expect([shop.orders.all().length, await effects(), countRows(shop.world).intents]).toEqual([1, 1, 1]);
  });

  test("sent again with something else in it is the first order, and says so", async () => {
    const token = await shop.browse.token();
    const first = await shop.browse.order(token);

    const second = await shop.browse.order(token, { item: "grinder", quantity: "3" });

    expect(second.location).toBe(`${first.location}?changed=1`);
    expect((await shop.browse.get(second.location)).text).toContain("What you changed since then was not ordered.");
    expect([shop.orders.all()[0]?.amountMinor, await effects()]).toEqual([1_250n, 1]);
  });

  test("whose order was made before a crash is paid when it is sent again", async () => {
    const token = await shop.browse.token();
    shop.ports.payments.disturb("pay", { at: "before", act: "throw", error: new Error("the process died") });
    expect((await shop.browse.order(token)).status).toBe(500);

    const again = await shop.browse.order(token);

    expect((await shop.browse.get(again.location)).text).toContain("it is paid");
    expect([shop.orders.all().length, await effects()]).toEqual([1, 1]);
  });

  test("whose payment was made before a crash finds that payment when it is sent again", async () => {
    const token = await shop.browse.token();
    shop.ports.payments.disturb("pay", { at: "after", act: "throw", error: new Error("the process died") });
    expect((await shop.browse.order(token)).status).toBe(500);

    await shop.browse.order(token);

    expect(shop.orders.all()).toMatchObject([{ paidAtMs: expect.any(Number) }]);
    expect([await effects(), countRows(shop.world).intents]).toEqual([1, 1]);
  });

  test("is answered although the order cannot be written down as paid, and the next look does it", async () => {
    shop.ports.orders.disturb("change", { at: "before", act: "throw", error: refuse("store_unavailable", "down") });

    const placed = await shop.browse.order(await shop.browse.token());

    expect(placed.status).toBe(303);
    expect(shop.orders.all()).toMatchObject([{ paidAtMs: null, payment: { status: "unknown" } }]);
    const orderId = placed.location.split("/").at(-1);
    await shop.browse.post(`/orders/${orderId}/payments`, { attempt: "1" });
    expect(shop.orders.all()).toMatchObject([{ paidAtMs: expect.any(Number) }]);
    expect(await effects()).toBe(1);
  });
});

describe("an order whose card was refused", () => {
  let location: string;
  beforeEach(async () => {
    ({ location } = await shop.browse.order(await shop.browse.token(), { card: broken }));
  });

  test("says why, and offers another card", async () => {
    const { text } = await shop.browse.get(location);

    expect(text).toContain("Your card has insufficient funds.");
    expect(text).toContain("<button>Try again</button>");
  });

  test("is paid by another card on the same payment, once, however often that form is sent", async () => {
    const retry = () => shop.browse.post(`${location}/payments`, { attempt: "1", card: "pm_card_visa" });

    const replies = await shop.passTime(Promise.all([retry(), retry(), retry()]));
    await retry();

    expect(replies.map((reply) => reply.location)).toEqual([location, location, location]);
    expect((await shop.browse.get(location)).text).toContain("it is paid");
    const approved = (await shop.world.journal.list(100)).filter(({ result }) => result.kind === "approved");
    expect([approved.length, countRows(shop.world).intents]).toEqual([1, 1]);
  });

  test("is not tried again after five refusals", async () => {
    for (const attempt of ["1", "2", "3", "4", "5", "6"])
      await shop.browse.post(`${location}/payments`, { attempt, card: broken });

    expect((await shop.browse.get(location)).text).not.toContain("Try again");
    expect(await effects()).toBe(5);
  });
});

describe("when the payments API does not answer", () => {
  test("the shop asks three times under one key, and then says that it does not know", async () => {
    const keys: string[] = [];
    shop.ports.payments.port.pay = async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { kind: "unknown", reason: "there was no answer" };
    };
    const { location } = await shop.passTime(shop.browse.order(await shop.browse.token()));

    const { text } = await shop.browse.get(location);

    expect(keys).toEqual(Array(3).fill(`${shop.orders.all()[0]?.id}-1`));
    expect(text).toContain("We have not heard yet whether you paid.");
    expect(text).toContain("<button>Check the payment</button>");
  });
});
