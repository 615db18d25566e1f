// What the door hands to its handler, what it refuses by itself, and that every answer is the handler's or a JSON error.
// It must never need the Functions Framework; installed under it, the door is tested in framework.process.test.ts.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrontDoorOptions } from "../../functions/edge/front-door.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { hangUp, jsonResponse, type WireHandler, type WireRequest } from "../../functions/edge/wire.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { errorOf, exchange, exchangeRaw, openConnection } from "./http-exchange.ts";

const mebibyte = 1024 * 1024;
const servers: Server[] = [];

async function open(handler: WireHandler, options: FrontDoorOptions = {}): Promise<number> {
  const server = createFrontDoorServer(handler, options);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A handler that keeps what it saw and answers with a fixed value. */
function recorder(): { seen: WireRequest[]; handler: WireHandler } {
  const seen: WireRequest[] = [];
  const handler: WireHandler = async (request) => {
    seen.push(request);
    return jsonResponse(200, { ok: true });
  };
  return { seen, handler };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe("a request in order", () => {
  test("reaches the handler as plain values: raw target, repeated headers apart, bytes", async () => {
    const { seen, handler } = recorder();
    const port = await open(handler);

    const head = "POST /v1/x%2Fy?a[b]=%C3%A9&a%5Bc%5D=+ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
    const answer = await exchangeRaw(
      port,
      `${head}Idempotency-Key: a\r\nidempotency-KEY:  b \r\nContent-Length: 3\r\n\r\n\u0001x&`,
    );

    expect(answer).toMatchObject({ status: 200, body: '{"ok":true}' });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", target: "/v1/x%2Fy?a[b]=%C3%A9&a%5Bc%5D=+" });
    expect(seen[0]?.headers.get("idempotency-key")).toEqual(["a", "b"]);
    expect(seen[0]?.body).toEqual(Buffer.from("\u0001x&"));
  });

  test("gets the handler's answer, never to be cached", async () => {
    const port = await open(async () =>
      jsonResponse(402, { error: { type: "card_error" } }, { "Request-Id": "req_1" }),
    );
    const answer = await exchange(port, {});
    expect(answer.status).toBe(402);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-cache, no-store",
      "content-length": "31",
      "request-id": "req_1",
    });
    expect((await exchange(port, { method: "HEAD" })).body).toBe("");
  });

  test("may have a body of exactly the limit, sent in one piece or in chunks", async () => {
    const { seen, handler } = recorder();
    const port = await open(handler);
    const body = Buffer.alloc(mebibyte, "a");
    await exchange(port, { body });
    await exchange(port, { body, headers: { "Transfer-Encoding": "chunked" } });
    expect(seen.map((request) => request.body.length)).toEqual([mebibyte, mebibyte]);
  });

  test("F06 may have an idempotency key of 100 000 characters, for the handler to refuse by name", async () => {
    const { seen, handler } = recorder();
    const port = await open(handler);
    await exchange(port, { headers: { "Idempotency-Key": "x".repeat(100_000) } });
    expect(seen[0]?.headers.get("idempotency-key")?.[0]?.length).toBe(100_000);
  });
});

describe("the door refuses by itself, in JSON, without the handler", () => {
  test.each([
    ["a bad escape in the path", 400, "GET /v1/%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    ["an escape in the path that is no UTF-8", 400, "GET /v1/%ff HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    ["a bad escape in the query", 400, "GET /v1/x?a=%4 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    ["a raw letter beyond ASCII in the query", 400, "GET /v1/x?a=é HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    [
      "F20 a compressed body",
      415,
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
    ],
    [
      "two encodings",
      415,
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: identity, br\r\nContent-Length: 2\r\n\r\nxx",
    ],
    ["an icon", 404, "GET /favicon.ico HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    ["bytes that are no HTTP", 400, "hello\r\n\r\n"],
    ["a request without Host", 400, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["two different lengths", 400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"],
    [
      "an expectation",
      417,
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: magic\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    ],
    ["200 KB of headers", 431, `GET / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(200_000)}\r\n\r\n`],
  ])("%s", async (_title, status, bytes) => {
    const { seen, handler } = recorder();
    const answer = await exchangeRaw(await open(handler), bytes);
    expect(answer.status).toBe(status);
    expect(errorOf(answer).type).toBe("invalid_request_error");
    expect(answer.headers["cache-control"]).toBe("no-cache, no-store");
    expect(seen).toEqual([]);
  });

  test("robots are told to keep out", async () => {
    const answer = await exchange(await open(recorder().handler), { method: "GET", path: "/robots.txt" });
    expect(answer).toMatchObject({ status: 200, body: "User-agent: *\nDisallow: /\n" });
  });

  test("its own answers carry the headers it is given, and the connection stays usable", async () => {
    const port = await open(recorder().handler, { ownHeaders: () => ({ "Request-Id": "req_1" }) });
    const answers = await exchangeRaw(
      port,
      "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\nGET /v1/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    );
    expect(answers.headers["request-id"]).toBe("req_1");
    expect(answers.body).toContain("HTTP/1.1 200 OK");
  });

  test.each([
    ["of 4 MiB, announced", 4 * mebibyte, {}],
    ["of 11 MiB, announced", 11 * mebibyte, {}],
    ["of 4 MiB, in chunks", 4 * mebibyte, { "Transfer-Encoding": "chunked" }],
    ["one byte too large", mebibyte + 1, {}],
  ])(
    "F20 a body %s: 413 for less than a second of work, and the client can read it",
    async (_title, bytes, headers) => {
      const { seen, handler } = recorder();
      const port = await open(handler);
      const startedAt = cpuTimeMs();
      const answer = await exchange(port, { headers, body: Buffer.alloc(bytes) });
      expect(answer.status).toBe(413);
      expect(errorOf(answer).message).toBe("The request body is larger than 1048576 bytes.");
      expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
      expect(seen).toEqual([]);
      expect((await exchange(port, {})).status).toBe(200);
    },
  );

  test("F20 a client that writes on without reading meets no reset", async () => {
    const head = `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${11 * mebibyte}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(11 * mebibyte)]);
    const answer = await exchangeRaw(await open(recorder().handler), bytes);
    expect(answer.status).toBe(413);
    errorOf(answer);
  });

  test("a body that does not arrive in time: 408", async () => {
    const { seen, handler } = recorder();
    const port = await open(handler, { bodyMsMax: 20 });
    const answer = await exchangeRaw(port, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nx");
    expect(answer.status).toBe(408);
    errorOf(answer);
    expect(seen).toEqual([]);
  });
});

describe("a handler that fails", () => {
  test("is a 500 without details, told to the log", async () => {
    const lines: unknown[] = [];
    const error = new Error("secret detail");
    const port = await open(() => Promise.reject(error), { log: (...line) => void lines.push(line) });
    const answer = await exchange(port, {});
    expect(answer.status).toBe(500);
    expect(answer.headers["stripe-should-retry"]).toBe("true");
    expect(errorOf(answer).type).toBe("api_error");
    expect(answer.body).not.toContain("secret");
    const told = { code: "internal", reason: "Error", stack: expect.stringMatching(/^ {4}at /) };
    expect(lines).toEqual([["ERROR", "handler threw", told]]);
  });

  test("is a 500 also when it throws at once, or gives a header that HTTP cannot carry", async () => {
    const log = () => {};
    const throwing = await open(
      () => {
        throw new Error("at once");
      },
      { log },
    );
    const unsendable = await open(async () => jsonResponse(200, {}, { "X-Bad": "a\nb" }), { log });
    for (const port of [throwing, unsendable]) {
      const answer = await exchange(port, {});
      expect([answer.status, errorOf(answer).type]).toEqual([500, "api_error"]);
    }
  });
});

test("a handler that gives no answer ends the connection without a byte", async () => {
  const port = await open(async () => hangUp);
  const socket = await openConnection(port, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  const bytes: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => bytes.push(chunk)).on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  expect(bytes).toEqual([]);
});

describe("a client that goes away", () => {
  test("in the middle of its body is not handled, and the next one is served", async () => {
    const { seen, handler } = recorder();
    const port = await open(handler);
    const socket = await openConnection(port, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nx");
    socket.destroy();
    expect((await exchange(port, {})).status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  test("F10 while the handler works does not stop the handler", async () => {
    // Given a handler that works until it is let go
    const entered = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    const finished = Promise.withResolvers<string>();
    const port = await open(async () => {
      entered.resolve();
      await letGo.promise;
      finished.resolve("finished");
      return jsonResponse(200, {});
    });
    // When its client hangs up in the meantime
    const socket = await openConnection(port, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    await entered.promise;
    socket.resetAndDestroy();
    await once(socket, "close");
    letGo.resolve();
    // Then it still comes to its end, and its answer harms nobody
    expect(await finished.promise).toBe("finished");
  });
});
