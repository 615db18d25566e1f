// Shows what the shop answers to requests that no form of its own makes, and what its pages hold and forbid.
// It must never pay: how money moves is in test/journey/sample-shop.test.ts.

import { refuse } from "../../functions/domain/errors.ts";
import { newOrder, type Order, orderIdOf } from "../../functions/domain/order.ts";
import { openShop, type ShopWorld } from "../support/shop.ts";

let shop: ShopWorld;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const token = "A".repeat(24);
const form = { token, item: "beans", quantity: "1", card: "pm_card_visa" };

/** An order in the store, as something other than a form could leave it. */
async function stored(change: Partial<Order> = {}): Promise<string> {
  const purchase = {
    ...{ itemId: "beans", quantity: 1, amountMinor: 1_250n },
    currency: "usd",
    cardToken: "x",
  } as const;
  const order = { ...newOrder(orderIdOf("stored"), purchase, 0), ...change };
  await shop.orders.create(order);
  return order.id;
}

describe("every page", () => {
  test("forbids scripts and styles but the shop's own, foreign forms, frames and guessing, and tells no referrer", async () => {
    const pages = [
      await shop.browse.get("/"),
      await shop.browse.get(`/orders/${await stored()}`),
      await shop.browse.get("/x"),
    ];

    for (const { headers, text } of pages) {
      expect(headers["Content-Security-Policy"]).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({ "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff" });
      expect(text).not.toMatch(/<style|\sstyle=|<script>|\son[a-z]+=/);
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    }
  });

  test("shows what came from outside as text", async () => {
    const payment = {
      version: 1,
      status: "requires_payment_method",
      failure: `<b onclick="x">'&`,
      actionUrl: null,
    } as const;
    const { text } = await shop.browse.get(`/orders/${await stored({ itemId: "<i>", payment })}`);

    expect(text).toContain("1 × &#60;i&#62;");
    expect(text).toContain("&#60;b onclick=&#34;x&#34;&#62;&#39;&#38;");
  });
});

describe("an order form that is wrong", () => {
  test.each([
    ["an item that is not for sale", { item: "shop" }, "The shop has no such item."],
    ["no quantity", { quantity: "" }, "Please choose: quantity."],
    ["a card number", { card: "4242424242424242" }, "The shop does not take this card."],
  ])(
    "because of %s comes back with the same token and a sentence, and orders nothing",
    async (_title, change, sentence) => {
      const { status, text } = await shop.browse.post("/orders", { ...form, ...change });

      expect(status).toBe(400);
      expect(text).toContain(`<p class="fault" role="alert">${sentence}</p>`);
      expect(text).toContain(`name="token" value="${token}"`);
      expect(text).not.toContain("4242424242424242");
      expect(shop.orders.all()).toEqual([]);
    },
  );

  test.each([
    ["none", ""],
    ["one of another length", "A".repeat(23)],
    ["markup", `"><script>alert(1)</script>`],
  ])("because of its token (%s) is refused as a whole", async (_title, wrong) => {
    const { status, text } = await shop.browse.post("/orders", { ...form, token: wrong });

    expect([status, text.includes("its token is missing")]).toEqual([400, true]);
    expect(text).not.toContain("<script>");
    expect(shop.orders.all()).toEqual([]);
  });

  test.each([
    ["twice the token", `token=${token}&token=${token}`, "application/x-www-form-urlencoded", 400],
    ["a token of parts", `token[a]=${token}`, "application/x-www-form-urlencoded", 400],
    ["no form", "{}", "application/json", 415],
    ["nothing", "", "application/x-www-form-urlencoded", 400],
    ["a bad escape", "token=%", "application/x-www-form-urlencoded", 400],
  ])("because it is %s is refused with a page", async (_title, body, type, status) => {
    const answer = await shop.browse.send("POST", "/orders", body, type);

    expect([answer.status, answer.headers["Content-Type"]]).toEqual([status, "text/html; charset=utf-8"]);
  });

  test("because of its attempt is refused by that name", async () => {
    const { status, text } = await shop.browse.post(`/orders/${await stored()}/payments`, { attempt: "0" });

    expect([status, text.includes("its attempt is missing")]).toEqual([400, true]);
  });
});

describe("an address", () => {
  test.each([
    ["GET", "/nothing", 404, undefined],
    ["GET", "/orders/order_1", 404, undefined],
    ["GET", `/orders/${orderIdOf("nobody's")}`, 404, undefined],
    ["GET", "/orders", 405, "POST"],
    ["POST", "/", 405, "GET, HEAD"],
    ["POST", "/shop.css", 405, "GET, HEAD"],
    ["HEAD", "/", 200, undefined],
    ["GET", "/shop.css", 200, undefined],
    ["GET", "/shop.js", 200, undefined],
    ["GET", "/health", 200, undefined],
  ])("%s %s is answered with %i", async (method, path, status, allow) => {
    const answer = await shop.browse.send(method, path);

    expect([answer.status, answer.headers["Allow"]]).toEqual([status, allow]);
  });

  test("of a payment of no order is 404", async () => {
    const answer = await shop.browse.post(`/orders/${orderIdOf("x")}/payments`, { attempt: "1", card: "pm_card_visa" });

    expect(answer.status).toBe(404);
  });
});

describe("an order's page", () => {
  const action = {
    version: 1,
    status: "requires_action",
    failure: null,
    actionUrl: "https://bank.example/?a=1&b=2",
  } as const;

  test("of a payment that the bank asks about leads there, by itself only right after the form", async () => {
    const id = await stored({ payment: action });

    const [byHand, byItself] = [
      await shop.browse.get(`/orders/${id}`),
      await shop.browse.get(`/orders/${id}?goes_on=1`),
    ];

    const link = '<a class="button" href="https://bank.example/?a=1&#38;b=2">Continue to your bank</a>';
    expect([byHand.text.includes(link), byItself.text.includes(link)]).toEqual([true, true]);
    expect(byItself.text).toContain('http-equiv="refresh" content="0; url=https://bank.example/?a=1&#38;b=2"');
    expect(byHand.text).not.toContain("http-equiv");
  });

  test("drops what a bank's page put into the address, secret and all", async () => {
    const id = await stored();
    const query = "payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_x&redirect_status=succeeded";

    expect(await shop.browse.get(`/orders/${id}?${query}`)).toMatchObject({ status: 303, location: `/orders/${id}` });
    expect((await shop.orders.read(id))?.paidAtMs).toBeNull();
  });

  test("of a payment that is being made looks again by itself", async () => {
    const processing = { version: 1, status: "processing", failure: null, actionUrl: null } as const;
    const { text } = await shop.browse.get(`/orders/${await stored({ payment: processing })}`);

    expect(text).toContain('<meta http-equiv="refresh" content="2">');
  });
});

describe("a failure of the shop's store", () => {
  test.each([
    ["that passes", refuse("store_unavailable", "Firestore is down."), 503, "store_unavailable"],
    ["of rights", refuse("permission_denied", "No grant."), 500, "permission_denied"],
    ["that nobody foresaw", new TypeError("secret detail"), 500, "internal"],
  ])(
    "%s is a page that says it is safe to send again, and a log line without details",
    async (_title, error, status, code) => {
      shop.ports.orders.disturb("create", { at: "before", act: "throw", error });

      const answer = await shop.browse.post("/orders", form);

      expect([answer.status, answer.text.includes("sending the form again is safe")]).toEqual([status, true]);
      expect(`${answer.text}${shop.logged.join()}`).not.toMatch(/secret detail|Firestore is down|No grant/);
      expect(JSON.parse(shop.logged.at(-1) ?? "")).toMatchObject({ severity: "ERROR", message: "shop failed", code });
    },
  );
});
