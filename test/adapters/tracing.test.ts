// Shows what a trace is made of: whose it is, which spans it has, what goes on from it, what a log line says of it, and
// that neither a broken collector nor a broken header ever reaches the work.
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import * as otel from "@opentelemetry/api";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { recordClientSpans } from "../../functions/adapters/trace-client-spans.ts";
import { openExporter } from "../../functions/adapters/trace-exporter.ts";
import { type LogLine, tracedLog } from "../../functions/adapters/trace-log.ts";
import { tracingWith } from "../../functions/adapters/trace-open.ts";
import { exportRequest } from "../../functions/adapters/trace-otlp.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { parseTraceparent } from "../../functions/domain/trace-context.ts";
import { tracedHandler } from "../../functions/edge/traced-handler.ts";
import { jsonResponse } from "../../functions/edge/wire.ts";
import type { FinishedSpan } from "../../functions/flows/trace-ports.ts";
import { clientOf } from "../support/world.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = `00-${traceId}-00f067aa0ba902b7-01`;

function open({ sampleRatio = 1 } = {}) {
  const spans: FinishedSpan[] = [];
  const lines: LogLine[] = [];
  let nowMs = 1_000;
  const log = tracedLog({ service: "test", projectId: "p", revision: "test-1" }, (line) => void lines.push(line));
  const now = () => nowMs;
  const tracing = tracingWith({ service: "test", sampleRatio, now, sink: (span) => void spans.push(span), log });
  const pass = (milliseconds: number) => {
    nowMs += milliseconds;
  };
  const request = <Result>(traceparent: string | undefined, work: () => Promise<Result>) =>
    tracing.tracer.request(
      { name: "GET /", kind: "server", traceparent: traceparent === undefined ? [] : [traceparent] },
      work,
    );
  return { ...tracing, spans, lines, request, pass };
}

describe("a header traceparent", () => {
  test("is read with its flag, and a later version as far as this one goes", () => {
    const context = { traceId, spanId: "00f067aa0ba902b7", isSampled: true };
    expect(parseTraceparent([caller])).toEqual(context);
    expect(parseTraceparent([caller.replace(/01$/, "02")])).toEqual({ ...context, isSampled: false });
    expect(parseTraceparent([`cc${caller.slice(2)}-more`])).toEqual(context);
  });

  test.each([
    ["nothing", []],
    ["two of them", [caller, caller]],
    ["capital letters", [caller.toUpperCase()]],
    ["a trace of zeros", [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`]],
    ["a span of zeros", [`00-${traceId}-0000000000000000-01`]],
    ["the forbidden version", [`ff${caller.slice(2)}`]],
    ["more than version 00 has", [`${caller}-more`]],
    ["a short one", [caller.slice(0, -1)]],
    ["a long one", [`cc${caller.slice(2)}-${"x".repeat(300)}`]],
  ])("with %s begins a new trace", (_title, values) => {
    expect(parseTraceparent(values)).toBeUndefined();
  });
});

describe("a request", () => {
  test("goes on with its caller's trace, and hands its own place on", async () => {
    const { request, tracer, spans, pass } = open();
    const handed = await request(caller, () =>
      tracer.span({ name: "inner", kind: "client" }, async () => {
        pass(5);
        return tracer.traceparent();
      }),
    );
    const [inner, root] = spans;
    expect(root).toMatchObject({ traceId, parentId: "00f067aa0ba902b7", name: "GET /", startMs: 1_000, endMs: 1_005 });
    expect(inner).toMatchObject({ traceId, parentId: root?.spanId, name: "inner", failure: null });
    expect(handed).toBe(`00-${traceId}-${inner?.spanId}-01`);
    expect(tracer.traceparent()).toBeUndefined();
  });

  test("goes on with what its message carries instead, and never with a broken text", async () => {
    const { request, tracer, spans } = open();
    const carried = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    await request(caller, async () => tracer.continueFrom(carried));
    await request(caller, async () => tracer.continueFrom("nonsense"));
    expect(spans.map((span) => [span.traceId, span.parentId])).toEqual([
      ["a".repeat(32), "b".repeat(16)],
      [traceId, "00f067aa0ba902b7"],
    ]);
  });

  test("is not recorded where the ratio says no, and its caller's wish is heard a few times a second only", async () => {
    const { request, tracer, spans, pass } = open({ sampleRatio: 0 });
    const flag = await request(undefined, async () => tracer.traceparent()?.slice(-2));
    expect([flag, spans.length]).toEqual(["00", 0]);
    for (let call = 0; call < 20; call += 1) await request(caller, async () => {});
    expect(spans).toHaveLength(5);
    pass(1_000);
    await request(caller, async () => {});
    expect(spans).toHaveLength(6);
  });

  test("mixes with no other that runs at the same time", async () => {
    const { request, tracer } = open();
    const traces = await Promise.all(
      Array.from({ length: 10 }, () =>
        request(undefined, async () => {
          const before = tracer.traceparent();
          await new Promise((resolve) => setImmediate(resolve));
          tracer.countRoundTrips(1);
          return [before === tracer.traceparent(), tracer.roundTrips()];
        }),
      ),
    );
    expect(traces).toEqual(Array(10).fill([true, 1]));
  });

  test("counts a transaction's reads and its commit, tells its tag, and stamps the events that it commits", async () => {
    const { request, tracer, watch, spans } = open();
    const inner = memoryLedger();
    const { ledger } = watch({ ledger: inner });
    const event = {
      id: "evt_1",
      accountId: "acct_1",
      type: "charge.failed",
      objectId: "ch_1",
      objectVersion: 1,
    } as const;
    const row = { ...event, createdAtMs: 1, requestId: "req_1", idempotencyKey: null, data: Buffer.from("{}") };
    const trips = await request(caller, async () => {
      await ledger.transact("settle", async (scope) => {
        await scope.read({ events: "evt_1" });
        scope.write([{ op: "insert", table: "events", row }]);
      });
      return tracer.roundTrips();
    });
    expect(trips).toBe(2);
    expect(spans.map(({ name, fields }) => [name, fields["tag"], fields["db.system"]])).toEqual([
      ["ledger.read", "settle", "spanner"],
      ["ledger.transact", "settle", "spanner"],
      ["GET /", undefined, undefined],
    ]);
    expect(inner.rows("events")[0]?.traceparent).toBe(`00-${traceId}-${spans[1]?.spanId}-01`);
  });
});

test("spans of a client stand under the call that made them, until the request is over, and tell no foreign text", async () => {
  const { request, tracer, spans } = open();
  recordClientSpans({ service: "test", sink: (span) => void spans.push(span), now: () => 1_000 });
  const client = otel.trace.getTracer("client");
  const read = () =>
    client.startActiveSpan(
      "Client.read",
      { attributes: { "db.name": "ledger", "db.statement": "SELECT secret" } },
      async (span) => {
        await new Promise((resolve) => setImmediate(resolve));
        client.startSpan("Client.rpc").end();
        span.setStatus({ code: otel.SpanStatusCode.ERROR, message: "jane@customer.example" }).end();
      },
    );
  let later = async () => {};
  await request(caller, async () => {
    await tracer.span({ name: "ledger.read", kind: "client" }, read);
    later = scopesBound(read);
  });
  await later();
  await read();
  const idOf = (name: string) => spans.find((span) => span.name === name)?.spanId;
  expect(spans.map(({ name, parentId, failure, fields }) => [name, parentId, failure, fields])).toEqual([
    ["Client.rpc", idOf("Client.read"), null, {}],
    ["Client.read", idOf("ledger.read"), "error", { "db.name": "ledger" }],
    ["ledger.read", idOf("GET /"), null, {}],
    ["GET /", "00f067aa0ba902b7", null, {}],
  ]);
  otel.trace.disable();
  otel.context.disable();
});

/** Runs later in the scope of now, as a client's timer does. */
function scopesBound(work: () => Promise<void>): () => Promise<void> {
  return AsyncLocalStorage.bind(work);
}

describe("what is told of failures", () => {
  test("is a code in spans, and positions of our code in a report, never a foreign text", async () => {
    const { request, tracer, spans, lines, log } = open();
    const foreign = new Error("jane@customer.example");
    await request(caller, async () => {
      await tracer.span({ name: "a", kind: "client" }, () => Promise.reject(foreign)).catch(() => {});
      await tracer
        .span({ name: "b", kind: "client" }, () => Promise.reject(refuse("store_unavailable", "gone")))
        .catch(() => {});
      log("ERROR", "job failed", { accountId: "acct_1", stack: "    at somewhere" });
    });
    log("INFO", "outside");
    expect(spans.map(({ failure }) => failure)).toEqual(["Error", "store_unavailable", null]);
    expect(lines).toEqual([
      {
        ...{ severity: "ERROR", message: "job failed", accountId: "acct_1" },
        "@type": "type.googleapis.com/google.devtools.clouderrorreporting.v1beta1.ReportedErrorEvent",
        ...{ serviceContext: { service: "test", version: "test-1" }, stack_trace: "job failed\n    at somewhere" },
        "logging.googleapis.com/trace": `projects/p/traces/${traceId}`,
        "logging.googleapis.com/spanId": spans[2]?.spanId,
        "logging.googleapis.com/trace_sampled": true,
        "logging.googleapis.com/labels": { function: "test", accountId: "acct_1" },
      },
      { severity: "INFO", message: "outside", "logging.googleapis.com/labels": { function: "test" } },
    ]);
    expect(JSON.stringify([spans, lines])).not.toContain("jane");
  });
});

test("a span is named by its route, and holds neither ids nor keys nor a query", async () => {
  const { tracer, spans } = open();
  const handler = tracedHandler(tracer, async () => jsonResponse(404, {}));
  const { get } = clientOf(handler);
  await get("/v1/payment_intents/pi_3fA/confirm?expand[]=secret");
  await get("/orders/4242424242424242");
  await get("/health");
  expect(spans.map(({ name, fields }) => [name, fields["http.response.status_code"]])).toEqual([
    ["GET /v1/payment_intents/{id}/confirm", 404],
    ["GET /orders/{id}", 404],
  ]);
});

describe("the exporter", () => {
  const span: FinishedSpan = {
    ...{ service: "test", traceId, spanId: "00f067aa0ba902b7", parentId: "1".repeat(16), name: "a", kind: "client" },
    ...{ startMs: 1_700_000_000_000.5, endMs: 1_700_000_000_001, fields: { count: 300, ok: true }, failure: "late" },
  };

  test("writes spans as the protocol's own library does", () => {
    expect(exportRequest({ "service.name": "test" }, [span]).toString("hex")).toBe(EXPECTED);
  });

  test("sends what waits when it closes, with a token of its account, and survives a collector that is gone", async () => {
    const asked: [string | undefined, string | undefined, number][] = [];
    const server = createServer(async (incoming: IncomingMessage, outgoing) => {
      asked.push([incoming.url, incoming.headers.authorization, (await buffer(incoming)).length]);
      const isToken = incoming.url?.endsWith("/token") === true;
      outgoing.end(isToken ? JSON.stringify({ access_token: "held", expires_in: 3_600 }) : "");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const options = { url: `${metadataUrl}/v1/traces`, resource: {}, isGoogle: true, log, metadataUrl };
    const exporter = openExporter(options);
    exporter.sink(span);
    await exporter.close();
    await exporter.close();
    const length = exportRequest({}, [span]).length;
    expect(asked).toEqual([
      ["/computeMetadata/v1/instance/service-accounts/default/token", undefined, 0],
      ["/v1/traces", "Bearer held", length],
    ]);
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    const lonely = openExporter({ ...options, isGoogle: false });
    for (let sent = 0; sent < 5_000; sent += 1) lonely.sink(span);
    await lonely.close();
    expect(lines).toEqual([["WARNING", "spans not exported", { spans: 4_096, reason: "TypeError" }]]);
  });
});

/** Compared with @opentelemetry/otlp-transformer 0.223.0, which adds counters that are zero and the trace's flags. */
const EXPECTED =
  "0a89010a180a160a0c736572766963652e6e616d6512060a0474657374126d0a0a0a087061796d656e7473125f0a104bf92f3577b34da6a3ce92" +
  "9d0e0e4736120800f067aa0ba902b7220811111111111111112a016130033920a13136fe9c97174140423936fe9c97174a0c0a05636f756e7412" +
  "0318ac024a080a026f6b120210017a0812046c6174651802";
