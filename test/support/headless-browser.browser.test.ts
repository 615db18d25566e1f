// Shows that the browser of the tests is a real one: it runs scripts, sends forms, keeps contexts apart, and ends.
// It must never need anything but a browser and loopback.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import { type HeadlessBrowser, openBrowser } from "./headless-browser.ts";

let browser: HeadlessBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());

const sent: string[] = [];
const handler: WireHandler = async ({ method, body }) => {
  if (method === "POST") sent.push(body.toString("utf8"));
  const html = `<!doctype html><title>Form</title><form method="post"><button name="pressed" value="yes">Send</button></form>
<script>document.cookie = "seen=1"; console.error("cookie " + document.cookie);</script>`;
  return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(html) };
};
const server = createFrontDoorServer(handler);
let baseUrl: string;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe("a page of the headless browser", () => {
  test("sends a form when its button is pressed", async () => {
    const { page, context } = await browser.openPage();
    await page.goto(baseUrl);

    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForLoadState();

    expect(sent).toEqual(["pressed=yes"]);
    await context.close();
  });

  test("runs scripts and tells what they complain of; without scripts it is silent", async () => {
    const [scripted, plain] = [await browser.openPage(), await browser.openPage({ javaScriptEnabled: false })];

    await Promise.all([scripted.page.goto(baseUrl), plain.page.goto(baseUrl)]);

    expect(scripted.complaints).toContain("cookie seen=1");
    expect(plain.complaints).toEqual([]);
    await Promise.all([scripted.context.close(), plain.context.close()]);
  });

  test("knows nothing of another page's cookies", async () => {
    const first = await browser.openPage();
    await first.page.goto(baseUrl);

    const second = await browser.openPage();

    expect(await first.context.cookies()).toHaveLength(1);
    expect(await second.context.cookies()).toEqual([]);
    await Promise.all([first.context.close(), second.context.close()]);
  });
});

describe("a headless browser", () => {
  test("is gone, with its process, once it is closed", async () => {
    const second = await openBrowser();
    expect(isAlive(second.processId)).toBe(true);

    await second.close();

    expect(isAlive(second.processId)).toBe(false);
  });
});

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
