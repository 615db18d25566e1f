// A real browser at the shop of a running laptop: whatever a person does to the order form, it is one order and one payment.
// It must never count what the shop believes alone: the acquirer's journal says how often money moved.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type HeadlessBrowser, type OpenPage, openBrowser } from "../support/headless-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openVisitedShop, type VisitedShop } from "./shop-in-browser.ts";

let browser: HeadlessBrowser;
let shop: VisitedShop;
let visit: OpenPage;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  shop = await openVisitedShop();
});
afterEach(async () => {
  await visit.context.close();
  await shop.close();
});

async function enter(options: Parameters<HeadlessBrowser["openPage"]>[0] = {}, by = browser): Promise<Page> {
  visit = await by.openPage(options);
  await visit.page.goto(shop.url);
  return visit.page;
}

const orderButton = (page: Page) => page.getByRole("button", { name: "Order and pay" });
const isPaid = (page: Page) => page.getByRole("heading", { name: "Thank you, it is paid" }).waitFor();
const middleOf = async (page: Page) => {
  const box = await orderButton(page).boundingBox();
  if (box === null) throw new Error("The button is not drawn.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
const tokenOf = (page: Page) => page.locator('input[name="token"]').inputValue();

/** One order, one payment, and the browser looks at that order. */
async function expectOneOrder(page: Page): Promise<void> {
  const [order, ...more] = shop.orders.all();
  expect([more, await shop.effects(), page.url()]).toEqual([[], 1, `${shop.url}/orders/${order?.id}`]);
  expect(order?.paidAtMs).not.toBeNull();
}

/** Waits for what happens in this process while the browser is at work. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

describe("a double click", () => {
  test("without scripts sends the form twice, and both are the first order", async () => {
    // Given a first form that is not answered before the second one has come
    const page = await enter({ javaScriptEnabled: false });
    const second = new Promise<void>((come) => {
      const create = shop.orders.create;
      shop.orders.create = async (order) => {
        if (shop.formsReceived() === 2) come();
        return await create(order);
      };
    });
    shop.store.disturb("create", { at: "before", act: "wait", until: second });

    // The second press comes while the browser waits for the first one's answer: by the mouse, because nothing else does.
    const { x, y } = await middleOf(page);
    await page.mouse.click(x, y);
    await until(() => shop.formsReceived() === 1);
    await page.mouse.click(x, y);
    await isPaid(page);

    expect(shop.formsReceived()).toBe(2);
    await expectOneOrder(page);
  });

  test("with scripts sends it once, and the button says that it is busy meanwhile", async () => {
    // Given a page that tells what becomes of its button, because nobody can ask it while it waits for an answer
    const page = await enter();
    const told: string[] = [];
    page.on("console", (message) => told.push(message.text()));
    await page.evaluate(`{
      const button = document.querySelector("button");
      new MutationObserver(() => console.info(button.outerHTML)).observe(button, { attributes: true, childList: true });
    }`);
    const { x, y } = await middleOf(page);

    await page.mouse.dblclick(x, y);
    await isPaid(page);

    expect(told).toEqual(['<button disabled="">Paying…</button>']);
    expect(shop.formsReceived()).toBe(1);
    await expectOneOrder(page);
    expect(visit.complaints).toEqual([]);
  });
});

test("a reload of the result sends nothing again", async () => {
  const page = await enter();
  await orderButton(page).click();
  await isPaid(page);

  await page.reload();
  await page.reload();

  await isPaid(page);
  expect(shop.formsReceived()).toBe(1);
  await expectOneOrder(page);
});

describe("the back button", () => {
  const goBackAndOrder = async (page: Page) => {
    const token = await tokenOf(page);
    await orderButton(page).click();
    await isPaid(page);

    // A page that was kept alive does not load again, so there is nothing more to wait for than its coming back.
    await page.goBack({ waitUntil: "commit" });
    expect(await tokenOf(page)).toBe(token);
    await orderButton(page).click();
    await isPaid(page);

    expect(shop.formsReceived()).toBe(2);
    await expectOneOrder(page);
  };

  test("shows the same form, and sending it again is the first order", async () => {
    await goBackAndOrder(await enter());
  });

  test("does so in a browser that keeps left pages alive, where the busy button is free again", async () => {
    const keeping = await openBrowser({ keepsPages: true });
    try {
      await goBackAndOrder(await enter({}, keeping));
    } finally {
      await keeping.close();
    }
  });

  test("and another wish leads to the first order, which says what was not ordered", async () => {
    const page = await enter();
    await orderButton(page).click();
    await isPaid(page);

    await page.goBack();
    await page.getByLabel("Hand grinder").check();
    await orderButton(page).click();
    await page.getByText("What you changed since then was not ordered.").waitFor();

    expect([shop.orders.all().length, shop.orders.all()[0]?.itemId, await shop.effects()]).toEqual([1, "beans", 1]);
  });
});

describe("a lost answer", () => {
  test.each([
    ["before its first byte", 0],
    ["in the middle", 40],
  ])("that is cut %s: sending again is the first order", async (_title, bytes) => {
    const page = await enter();
    shop.line.cutNextAnswerAfter(bytes);

    await orderButton(page).click({ noWaitAfter: true });
    // Whether the browser repeats the form by itself is its own affair; a person reloads what it shows.
    await page.waitForURL((url) => url.pathname !== "/", { waitUntil: "commit" }).catch(() => {});
    await page.reload().catch(() => {});
    await isPaid(page);

    expect(shop.formsReceived()).toBeGreaterThanOrEqual(2);
    await expectOneOrder(page);
  });
});

test("a new visit is a new order", async () => {
  const page = await enter();
  await orderButton(page).click();
  await isPaid(page);

  await page.getByRole("link", { name: "Order something else" }).click();
  await orderButton(page).click();
  await isPaid(page);

  expect([shop.orders.all().length, await shop.effects()]).toEqual([2, 2]);
});

test("a refused card is told in words, and another card pays the same order, by keyboard alone", async () => {
  const page = await enter();
  await page.getByLabel("Test card").selectOption({ label: "Visa ending in 9995: has no money" });
  await page.getByLabel("Test card").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Your card has insufficient funds.").waitFor();

  // The first stop of the keyboard is the card, the next one the button.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await isPaid(page);

  expect([shop.orders.all().length, shop.orders.all()[0]?.attempt, await shop.effects()]).toEqual([1, 2, 2]);
});

describe("what the shop shows", () => {
  test.each([
    ["a light screen", { colorScheme: "light" }],
    ["a dark screen", { colorScheme: "dark" }],
    ["a small phone", { colorScheme: "light", viewport: { width: 320, height: 568 } }],
    ["a small phone in the dark", { colorScheme: "dark", viewport: { width: 320, height: 568 } }],
  ] as const)("can be read and used on %s: form, refusal, order, error", async (_title, options) => {
    const page = await enter(options);
    const faults = { form: await pageFaults(page), refused: [""], paid: [""], error: [""] };
    await page.getByLabel("Test card").selectOption({ index: 1 });
    await orderButton(page).click();
    await page.getByRole("heading", { name: "Not paid" }).waitFor();
    faults.refused = await pageFaults(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await isPaid(page);
    faults.paid = await pageFaults(page);
    await page.goto(`${shop.url}/nothing`);
    faults.error = await pageFaults(page);

    expect(faults).toEqual({ form: [], refused: [], paid: [], error: [] });
    // The page that is not there is one that the browser mentions by itself.
    expect(visit.complaints.filter((text) => !text.includes("404"))).toEqual([]);
  });
});
