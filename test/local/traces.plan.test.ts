// Shows that one payment is one trace on the laptop, from the request to the repeated webhook, and that the pages show it.
// It must never look at a span by its place: parents and ids make the tree.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { exportRequest } from "../../functions/adapters/trace-otlp.ts";
import type { FinishedSpan } from "../../functions/flows/trace-ports.ts";
import { openCollector, spansIn } from "../../local/collector.ts";
import { effectsPage } from "../../local/effects-page.ts";
import { startEmbedded } from "../../local/embedded.ts";
import type { Host } from "../../local/host.ts";
import { laptopKey, seedLaptopKey } from "../../local/laptop-key.ts";
import { freePortFrom, listenFrom } from "../../local/listen.ts";
import { movableClock } from "../../local/movable-clock.ts";
import { openSeen, type SeenTrace } from "../../local/seen.ts";
import { planned } from "./planned.ts";

describe("one payment by bank debit whose first webhook attempts fail", () => {
  let host: Host;
  let trace: SeenTrace;
  const received: { status: number; traceparent: unknown }[] = [];
  const merchant = createServer((request, response) => {
    request.resume();
    const status = received.length < 2 ? 500 : 200;
    received.push({ status, traceparent: request.headers["traceparent"] });
    response.writeHead(status).end();
  });
  beforeAll(async () => {
    merchant.listen(0, "127.0.0.1");
    await once(merchant, "listening");
    const clock = movableClock(Date.parse("2026-01-15T12:00:05Z"));
    const port = await freePortFrom(undefined);
    host = await startEmbedded({ plan: planned(), clock, port, log: () => {}, onRefusal: () => {} });
    await seedLaptopKey({ accounts: host.accounts, clock: systemClock, random: systemRandom });
    const post = async (path: string, form: Record<string, string>) => {
      const headers = { Authorization: `Bearer ${laptopKey}`, "Idempotency-Key": path };
      const body = new URLSearchParams(form);
      const answer = await fetch(`${host.addresses.get("payments-api")}${path}`, { method: "POST", headers, body });
      return (await answer.json()) as { id?: string };
    };
    const url = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/hooks`;
    await post("/v1/webhook_endpoints", { url, "enabled_events[]": "charge.succeeded" });
    const debit = { "payment_method_types[]": "us_bank_account", payment_method: "pm_usBankAccount_success" };
    const paid = await post("/v1/payment_intents", { amount: "2000", currency: "usd", confirm: "true", ...debit });
    // when a task settles the debit, and the webhook comes a second and a third time
    await clock.advance(10 * 60_000);
    const found = host.seen.traces().find(({ lines }) => lines.some((line) => line["objectId"] === paid.id));
    trace = found as SeenTrace;
  });
  afterAll(async () => {
    await host.stop();
    merchant.closeAllConnections();
    merchant.close();
  });

  test("is one connected trace with one root, through every function that it needs", () => {
    const ids = new Set(trace.spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(trace.spans.length);
    expect(trace.spans.filter(({ parentId }) => parentId === null).map(({ name }) => name)).toEqual([
      "POST /v1/payment_intents",
    ]);
    expect(trace.spans.filter(({ parentId }) => parentId !== null && !ids.has(parentId))).toEqual([]);
    expect([...new Set(trace.spans.map(({ service }) => service))].sort()).toEqual([
      ...["invoice", "ledger-writer", "notification", "payments-api", "risk", "test-acquirer", "webhook-dispatcher"],
    ]);
    const names = trace.spans.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "cache.claim",
        "ledger.insert",
        "acquirer.authorize",
        "POST /authorizations",
        "POST /settle",
      ]),
    );
    expect(names.filter((name) => name === "POST /deliver")).toHaveLength(3);
  });

  test("has all of its log lines under that id, the attempts of the webhook among them", () => {
    const about = (line: object) => JSON.stringify(line);
    const [attempt] = trace.lines.filter(({ message }) => message === "webhook attempt");
    const eventId = String(attempt?.["eventId"]);
    const elsewhere = host.seen
      .traces()
      .filter(({ id }) => id !== trace.id)
      .flatMap(({ lines }) => lines.map(about));
    expect(elsewhere.filter((line) => line.includes(eventId))).toEqual([]);
    const messages = trace.lines.map(({ message }) => message);
    expect(messages.filter((message) => message === "webhook attempt")).toHaveLength(3);
    expect(messages).toEqual(
      expect.arrayContaining([
        "request",
        "acquirer answered",
        "settlement looked at",
        "event fanned out",
        "event consumed",
      ]),
    );
    expect(new Set(trace.lines.map((line) => line["logging.googleapis.com/trace"]))).toEqual(
      new Set([`projects/local-project/traces/${trace.id}`]),
    );
  });

  test("goes on at the merchant, each attempt from a span of its own", () => {
    const posts = trace.spans.filter(({ name }) => name === "webhook.post").map(({ spanId }) => spanId);
    expect(received).toEqual(
      [500, 500, 200].map((status, place) => ({ status, traceparent: `00-${trace.id}-${posts[place]}-01` })),
    );
  });

  test("stands on the pages, in the list and as a tree, without anything that runs", async () => {
    const server = effectsPage(host);
    const baseUrl = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
    const list = await (await fetch(`${baseUrl}/traces`)).text();
    const page = await fetch(`${baseUrl}/traces/${trace.id}`);
    const text = await page.text();
    expect(list).toContain(`<a href="/traces/${trace.id}">POST /v1/payment_intents</a>`);
    expect(list).not.toContain("POST /relay");
    expect([page.headers.get("content-security-policy"), text.includes("<script")]).toEqual([
      expect.stringContaining("default-src 'none'"),
      false,
    ]);
    expect(text).toContain("webhook attempt");
    expect((await fetch(`${baseUrl}/traces/${"0".repeat(32)}`)).status).toBe(404);
    server.close();
    server.closeAllConnections();
  });
});

const span: FinishedSpan = {
  ...{ service: "test", traceId: "a".repeat(32), spanId: "b".repeat(16), parentId: null, name: "a", kind: "server" },
  ...{ startMs: 1_700_000_000_000.5, endMs: 1_700_000_000_001, failure: "late" },
  fields: { text: "é", count: 300, part: 0.25, no: false },
};

test("the collector reads what the exporter writes, and answers bytes that are none with an error", async () => {
  const seen = openSeen();
  const { url, close } = await openCollector(seen.span);
  const post = (body: Uint8Array) => fetch(url, { method: "POST", body: new Uint8Array(body) });
  expect((await post(exportRequest({ "service.name": "test" }, [span]))).status).toBe(200);
  expect(seen.trace(span.traceId)?.spans).toEqual([span]);
  expect(() => spansIn(Buffer.from([0x0a, 0xff]))).toThrow("no protobuf");
  close();
});

test("the memory of traces is bounded, and lets go of the schedule's first", () => {
  const seen = openSeen();
  const id = (number: number) => String(number).padStart(32, "0");
  for (let number = 0; number < 600; number += 1) {
    seen.span({ ...span, traceId: id(number), name: number % 2 === 0 ? "POST /relay" : "GET /" });
  }
  expect(seen.traces()).toHaveLength(500);
  expect([seen.trace(id(0)), seen.trace(id(1))?.id, seen.trace(id(599))?.id]).toEqual([undefined, id(1), id(599)]);
});
