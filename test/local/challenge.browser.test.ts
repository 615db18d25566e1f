// A real browser between the shop and the card issuer's challenge (3-D Secure), there and back, on a running laptop.
// It must never believe a page about money: the acquirer's journal says what was granted, the API how the payment stands.

import type { Page } from "playwright-core";
import { type HeadlessBrowser, type OpenPage, openBrowser } from "../support/headless-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openVisitedShop, type VisitedShop } from "./shop-in-browser.ts";

let browser: HeadlessBrowser;
let shop: VisitedShop;
let visit: OpenPage;
/** Every address that the browser asked for. */
let asked: URL[];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  shop = await openVisitedShop();
  asked = [];
});
afterEach(async () => {
  await visit.context.close();
  await shop.close();
});

const accept = (page: Page) => page.getByRole("button", { name: "Yes, pay" });
const refuse = (page: Page) => page.getByRole("button", { name: "No, refuse" });
const isPaid = (page: Page) => page.getByRole("heading", { name: "Thank you, it is paid" }).waitFor();

/** Orders with a card whose issuer asks, and follows the shop to the issuer's page. */
async function enterChallenge(options: Parameters<HeadlessBrowser["openPage"]>[0] = {}): Promise<Page> {
  visit = await browser.openPage(options);
  const { page } = visit;
  page.on("request", (request) => asked.push(new URL(request.url())));
  await page.goto(shop.url);
  await page.getByLabel("Test card").selectOption({ label: "Visa ending in 3220: your bank asks first" });
  await page.getByRole("button", { name: "Order and pay" }).click();
  await accept(page).waitFor();
  return page;
}

const orderNow = () => {
  const [order, ...more] = shop.orders.all();
  if (order === undefined || more.length > 0) throw new Error("There must be one order.");
  return order;
};
const intentNow = async () => await shop.call("GET", `/v1/payment_intents/${orderNow().intentId}`);

describe("a challenge that the buyer passes", () => {
  test("pays, and leads back to the merchant with the three parameters, which do not stay in the address", async () => {
    const page = await enterChallenge();
    expect([await shop.granted(), (await intentNow()).status]).toEqual([0, "requires_action"]);

    await accept(page).click();
    await isPaid(page);

    const { id, intentId } = orderNow();
    const back = asked.find(({ searchParams }) => searchParams.has("redirect_status"));
    expect(back?.href.split("?")[0]).toBe(`${shop.url}/orders/${id}`);
    expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
      payment_intent: intentId,
      payment_intent_client_secret: (await intentNow()).client_secret,
      redirect_status: "succeeded",
    });
    expect(page.url()).toBe(`${shop.url}/orders/${id}`);
    expect([await shop.granted(), (await intentNow()).status]).toEqual([1, "succeeded"]);
    expect(visit.complaints).toEqual([]);
  });

  test("by a double click is one authorization", async () => {
    const page = await enterChallenge();
    const box = await accept(page).boundingBox();
    if (box === null) throw new Error("The button is not drawn.");

    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await isPaid(page);

    expect([await shop.granted(), shop.orders.all().length]).toEqual([1, 1]);
  });

  test("is not asked about again when the buyer goes back to its page and presses once more", async () => {
    const page = await enterChallenge();
    const address = page.url();
    await accept(page).click();
    await isPaid(page);

    await page.goto(address);
    const button = refuse(page);
    if (await button.isVisible()) await button.click();

    expect([await shop.granted(), (await intentNow()).status]).toEqual([1, "succeeded"]);
  });
});

describe("a challenge that the buyer refuses", () => {
  test("leaves the payment without a method, says so, and another card pays the same order", async () => {
    const page = await enterChallenge();

    await refuse(page).click();
    await page.getByRole("heading", { name: "Not paid" }).waitFor();

    const refused = await intentNow();
    expect([refused.status, refused.last_payment_error.code]).toEqual([
      "requires_payment_method",
      "payment_intent_authentication_failure",
    ]);
    expect(
      asked.find(({ searchParams }) => searchParams.has("redirect_status"))?.searchParams.get("redirect_status"),
    ).toBe("failed");
    expect(await shop.granted()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await isPaid(page);
    expect([await shop.granted(), shop.orders.all().length, orderNow().attempt]).toEqual([1, 1, 2]);
  });
});

test("a challenge whose payment was canceled meanwhile takes no answer for a payment", async () => {
  const page = await enterChallenge();
  await shop.call("POST", `/v1/payment_intents/${orderNow().intentId}/cancel`, {});

  await accept(page).click();
  await page.getByRole("heading", { name: "No longer needed" }).waitFor();

  expect([await shop.granted(), (await intentNow()).status]).toEqual([0, "canceled"]);
});

test("a buyer who turns back at the bank finds the way there on the order's page, and nothing pushes", async () => {
  const page = await enterChallenge();

  await page.goto(`${shop.url}/orders/${orderNow().id}`);
  await page.getByRole("link", { name: "Continue to your bank" }).click();
  await accept(page).click();
  await isPaid(page);

  expect([await shop.granted(), shop.orders.all().length]).toEqual([1, 1]);
});

describe("what the bank shows", () => {
  test.each([
    ["a light screen", { colorScheme: "light" }],
    ["a dark screen", { colorScheme: "dark" }],
    ["a small phone", { colorScheme: "light", viewport: { width: 320, height: 568 } }],
    ["a small phone in the dark", { colorScheme: "dark", viewport: { width: 320, height: 568 } }],
  ] as const)("can be read and used on %s: the question, and the refusal of an old one", async (_title, options) => {
    const page = await enterChallenge(options);
    const faults = { question: await pageFaults(page), old: [""] };
    await shop.call("POST", `/v1/payment_intents/${orderNow().intentId}/cancel`, {});
    await accept(page).click();
    await page.getByRole("heading", { name: "No longer needed" }).waitFor();
    faults.old = await pageFaults(page);

    expect(faults).toEqual({ question: [], old: [] });
  });
});
