// Opens pages of a headless Chromium for tests, each in a context of its own: no cookies or storage of another test.
// It must never leave a browser behind, and never end one by its name: other people's browsers run on the same machine.

import { once } from "node:events";
import process from "node:process";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A running browser. */
export interface HeadlessBrowser {
  /** Id of its main process, for a test that watches it end. */
  readonly processId: number;
  /** A page in a new context; the context's options choose the screen, the colours and whether scripts run. */
  openPage(options?: BrowserContextOptions): Promise<OpenPage>;
  /** Ends it, by its id if it does not end when asked, and waits until it is gone. */
  close(): Promise<void>;
}

/** A page, and everything that it complained of. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts and of the console, violations of the page's policy among them. */
  readonly complaints: string[];
}

/**
 * Starts the browser that CHROMIUM names; `npm run test:browser` sets it. The profile is a new folder, which the driver
 * makes and removes. `keepsPages` lets it keep a left page alive for the back button, which its driver forbids by itself.
 * @throws Error without CHROMIUM
 */
export async function openBrowser({ keepsPages = false } = {}): Promise<HeadlessBrowser> {
  const executablePath = process.env["CHROMIUM"];
  if (executablePath === undefined) throw new Error("CHROMIUM names no browser; run `npm run test:browser`.");
  // A server, because only that one shows the process that it started.
  const server = await chromium.launchServer({
    executablePath,
    headless: true,
    // The sandbox refuses to run as root, as in most containers; every page here is our own.
    chromiumSandbox: process.getuid?.() !== 0,
    args: quietFlags,
    ...(keepsPages ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
    timeout: startMsMax,
  });
  const running = server.process();
  const browser = await chromium.connect(server.wsEndpoint());
  return {
    processId: running.pid ?? 0,
    openPage: async (options = {}) => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(stepMsMax);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      return { page, context, complaints };
    },
    close: async () => {
      const exited = running.exitCode === null && running.signalCode === null ? once(running, "exit") : undefined;
      const kill = setTimeout(() => running.kill("SIGKILL"), graceMs);
      await browser.close();
      await server.close();
      await exited;
      clearTimeout(kill);
    },
  };
}

/** Keeps it from asking for updates and look-ups: a test's browser speaks to loopback only. */
const quietFlags: string[] = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A cold start takes 1 s on a quiet machine; this is for one with many tests on it. */
const startMsMax = 30_000;

/** Pages come from this process; whatever takes longer does not come at all. */
const stepMsMax = 15_000;

/** It ends in 0.1 s when asked. */
const graceMs = 5_000;
