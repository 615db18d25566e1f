// A real browser at the dashboard: every page with data, empty, broken and slow, by keyboard, on a phone and in the dark.
// With SCREENSHOTS it also takes a picture of each page, for a person's eyes (`npm run screenshots`).

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type HeadlessBrowser, openBrowser } from "../support/headless-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import { apiKeys } from "../support/world.ts";
import { openVisitedDashboard, type VisitedDashboard } from "./dashboard-in-browser.ts";

/** Fourteen pages are looked at twice: two seconds each on a quiet machine, and this is for one with many tests on it. */
import.meta.jest.setTimeout(180_000);

const folder = process.env["SCREENSHOTS"];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Session = NonNullable<BrowserContextOptions["storageState"]>;

let browser: HeadlessBrowser;
let dash: VisitedDashboard;
/** Sessions of the merchant with a month of data and of the new one; two sign-ins serve all tests. */
let sessions: { full: Session; empty: Session };
beforeAll(async () => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  [browser, dash] = await Promise.all([openBrowser(), openVisitedDashboard()]);
  sessions = { full: await sessionOf(apiKeys.first), empty: await sessionOf(apiKeys.second) };
});
afterAll(async () => {
  dash.close();
  await browser.close();
});
beforeEach(() => dash.become("fine"));

async function sessionOf(apiKey: string): Promise<Session> {
  const { page, context } = await browser.openPage();
  await page.goto(`${dash.url}/`);
  await page.getByLabel("API key").fill(apiKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Opens a context, does something with its page, and gives what the browser complained of. */
async function visiting(options: BrowserContextOptions, visit: (page: Page) => Promise<void>): Promise<string[]> {
  const { page, context, complaints } = await browser.openPage({ storageState: sessions.full, ...options });
  try {
    await visit(page);
    return complaints;
  } finally {
    await context.close();
  }
}

/** What the page's own look-over and axe find: serious and critical faults. The code of axe comes past the page's policy. */
async function faultsOf(page: Page, { isInjected = false } = {}): Promise<string[]> {
  const own = await pageFaults(page);
  // Neither call gives back what axe is or all that it found: copying that out of the browser takes longer than the look.
  if (!isInjected) await page.evaluate(`${axeSource};0`);
  return [...own, ...((await page.evaluate(seriousFaults(isInjected))) as string[])];
}

/** Runs in the page: one line for each serious or critical fault; on its second screen only what screens and colours change. */
const seriousFaults = (isAgain: boolean) => `axe.run(document, { resultTypes: ["violations"]${
  isAgain
    ? ', runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"] }'
    : ""
} }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + ": " + failureSummary)))`;

async function picture(page: Page, name: string): Promise<void> {
  if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

const light = { colorScheme: "light", viewport: { width: 1280, height: 800 } } as const;

/** Every page with a name for its picture. */
const pages = (): [string, string][] => [
  ["overview", "/"],
  ["payments", "/payments"],
  ["search", "/payments?status=succeeded&currency=usd&amount_from=20"],
  ["payment", `/payments/${dash.ids.payment}`],
  ["webhooks", "/webhooks"],
  ["endpoint", `/webhooks/${dash.ids.endpoint}`],
  ["delivery", `/deliveries/${dash.ids.delivery}`],
  ["dead-letters", "/dead-letters"],
  ["plan", "/dead-letters/plan"],
  ["keys", "/keys"],
  ["key", `/keys/${dash.ids.keyId}`],
  ["ledger", "/ledger"],
  ["tour", "/tour"],
  ["nothing", "/nothing"],
];

describe("every page", () => {
  test.each([
    ["those of payments and webhooks", 0, 7],
    ["all others", 7, 14],
  ])(
    "with a month of data has no fault that a program finds, in light and on a small phone in the dark: %s",
    async (_title, first, end) => {
      const faults: [string, string[]][] = [];
      const complaints = await visiting(light, async (page) => {
        for (const [name, target] of pages().slice(first, end)) {
          await page.setViewportSize(light.viewport);
          await page.emulateMedia({ colorScheme: "light" });
          await page.goto(`${dash.url}${target}`);
          faults.push([`${name} in light`, await faultsOf(page)]);
          await picture(page, `${name}-light`);
          // The same page once more: another screen and other colours, and axe is there already.
          await page.setViewportSize({ width: 320, height: 640 });
          await page.emulateMedia({ colorScheme: "dark" });
          faults.push([`${name} on a phone in the dark`, await faultsOf(page, { isInjected: true })]);
          await picture(page, `${name}-dark-phone`);
        }
      });

      expect(faults.filter(([, found]) => found.length > 0)).toEqual([]);
      expect(faults).toHaveLength(14);
      // The page that is not there is one that the browser mentions by itself.
      expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
    },
  );

  test("of a new merchant says that there is nothing yet, and what would be there", async () => {
    const told: Record<string, string> = {};
    await visiting({ storageState: sessions.empty }, async (page) => {
      for (const target of ["/", "/payments", "/webhooks", "/dead-letters", "/dead-letters/plan", "/ledger"]) {
        await page.goto(`${dash.url}${target}`);
        told[target] = (await page.locator(".empty").allTextContents()).join(" ");
        await picture(page, `empty-${target.slice(1).replace("/", "-") || "overview"}`);
        if (target === "/") expect(await faultsOf(page)).toEqual([]);
      }
    });

    expect(told).toMatchObject({
      "/": expect.stringContaining("No payments were made in these days."),
      "/payments": "There are no payments yet. The first one that your server makes appears here.",
      "/webhooks": expect.stringContaining("There are no endpoints."),
      "/dead-letters": expect.stringContaining("Nothing was given up."),
      "/dead-letters/plan": "There is nothing to redrive.",
      "/ledger": expect.stringContaining("Nothing is booked yet."),
    });
  });

  test("comes when the API or the history is away, and the part that is missing says so", async () => {
    const alerts: Record<string, number> = {};
    await visiting({}, async (page) => {
      const count = async (name: string, target: string) => {
        await page.goto(`${dash.url}${target}`);
        alerts[name] = await page.getByRole("alert").count();
        await picture(page, `away-${name}`);
      };
      dash.become("api away");
      for (const name of ["payments", "webhooks", "dead-letters", "ledger"]) await count(name, `/${name}`);
      expect(await faultsOf(page)).toEqual([]);
      await count("overview without the API", "/");
      dash.become("history away");
      await count("overview", "/");
      await count("key", `/keys/${dash.ids.keyId}`);
      await count("payments without the history", "/payments");
    });

    expect(alerts).toEqual({
      ...{ payments: 1, webhooks: 2, "dead-letters": 1, ledger: 2, "overview without the API": 0 },
      ...{ overview: 6, key: 1, "payments without the history": 0 },
    });
  });

  test("that is slow says that it is on its way, and then is there", async () => {
    await visiting({}, async (page) => {
      await page.goto(`${dash.url}/payments`);
      const told: string[] = [];
      page.on("console", (message) => told.push(message.text()));
      await page.evaluate(`{
        const busy = document.getElementById("busy");
        new MutationObserver(() => console.info(busy.hidden + " " + busy.textContent)).observe(busy, { attributes: true });
      }`);
      let release = () => {};
      dash.become({
        held: new Promise<void>((resolve) => {
          release = resolve;
        }),
      });
      const heard = page.waitForEvent("console");
      await page.getByRole("link", { name: "Webhooks" }).click({ noWaitAfter: true });
      await heard;
      release();
      await page.getByRole("heading", { name: "Webhooks" }).waitFor();

      expect(told[0]).toBe("false Loading…");
    });
  });
});

describe("somebody at the keyboard", () => {
  test("signs in, skips to the content, walks the navigation and signs out", async () => {
    const complaints = await visiting({ storageState: { cookies: [], origins: [] } }, async (page) => {
      await page.goto(`${dash.url}/payments`);
      expect(await faultsOf(page)).toEqual([]);
      await picture(page, "sign-in");
      await page.getByLabel("API key").fill("sk_test_not_the_right_one");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("This is not a valid API key.").waitFor();
      expect(await page.getByLabel("API key").inputValue()).toBe("");
      await page.getByLabel("API key").fill(apiKeys.first);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Overview" }).waitFor();

      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("content");

      await page.getByRole("link", { name: "Payments", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor();
      await page.getByRole("button", { name: "Sign out" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("You are signed out.").waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    });

    // A refused key is an answer that the browser mentions by itself.
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("finds a key, sends a delivery again, and redrives exactly what the plan showed", async () => {
    const complaints = await visiting({}, async (page) => {
      await page.goto(`${dash.url}/keys`);
      await page.getByLabel("Idempotency key").fill("order-1001");
      await page.keyboard.press("Enter");
      await page.getByText("1 did the work, 1 got the first answer again, 1 were turned away.").waitFor();
      expect(page.url()).toBe(`${dash.url}/keys/${dash.ids.keyId}`);

      await page.goto(`${dash.url}/dead-letters`);
      await page.getByRole("link", { name: "Plan a redrive (dry run)" }).press("Enter");
      await page.getByRole("button", { name: "Redrive 3 deliveries" }).press("Enter");
      await page.getByText("3 deliveries on the way again.").waitFor();
      await picture(page, "redriven");

      await page.goto(`${dash.url}/deliveries/${dash.ids.delivery}`);
      await page.getByRole("button", { name: "Resend" }).press("Enter");
      await page.getByText("It is being sent again.").waitFor();
    });

    expect(complaints).toEqual([]);
  });

  test("loses an answer on the crash tour, and sees why there is one payment", async () => {
    await visiting({ colorScheme: "dark" }, async (page) => {
      await page.goto(`${dash.url}/tour`);
      await page.getByRole("button", { name: "Lose the answer" }).press("Enter");
      await page.getByText("The first answer, again.").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await picture(page, "toured");
      await page.getByRole("link", { name: "Inspect the key" }).press("Enter");
      await page.getByRole("heading", { name: "What happened" }).waitFor();
    });
  });
});

test("times are in the reader's zone with scripts, and in UTC without", async () => {
  const shown: string[] = [];
  for (const javaScriptEnabled of [true, false]) {
    await visiting({ timezoneId: "Asia/Tokyo", locale: "en-GB", javaScriptEnabled }, async (page) => {
      await page.goto(`${dash.url}/webhooks/${dash.ids.endpoint}`);
      shown.push(`${await page.locator("dl time").first().textContent()} ${await page.locator("#zone").textContent()}`);
    });
  }

  expect(shown).toEqual([
    "15 Jan 2026, 21:00:00 Times are in Asia/Tokyo.",
    "2026-01-15 12:00:00 UTC Times are in UTC.",
  ]);
});
