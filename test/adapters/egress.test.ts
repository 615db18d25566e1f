// The egress guard against receivers that answer well, badly, slowly, endlessly or not at all (F35, F40), on real sockets.
// It must never dial anything but loopback.
import type { Socket } from "node:net";
import { egressGuard } from "../../functions/adapters/egress.ts";
import type { ExchangeLimits } from "../../functions/domain/exchange.ts";
import { parseLoopbackOrigins } from "../../functions/domain/webhook-url.ts";
import { hostileReceiver, type Receiver, rudeReceiver } from "../support/hostile-receiver.ts";

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const urls = { httpAllowed: false, loopback: parseLoopbackOrigins("http://127.0.0.1:*,http://localhost:*") };
const body = Buffer.from('{"id":"evt_1"}');

/** Runs one attempt against a receiver that answers each request as told. */
async function attempt(answer: (socket: Socket) => void, limits: Partial<ExchangeLimits> = {}) {
  const receiver = await hostileReceiver(answer);
  return { receiver, result: await postTo(receiver, limits) };
}

async function postTo(receiver: Receiver, limits: Partial<ExchangeLimits> = {}, host = "127.0.0.1") {
  receivers.push(receiver);
  const guard = egressGuard({ urls, limits });
  const headers = { "Content-Type": "application/json; charset=utf-8", "webhook-id": "evt_1" };
  return await guard.post({ url: `http://${host}:${receiver.port}/hook?x=1`, headers, body });
}

const answering = (text: string | Buffer) => (socket: Socket) => void socket.end(text);
const ok = "HTTP/1.1 200 OK\r\n";

describe("a good receiver", () => {
  test("gets one POST with path, headers and body, and its answer comes back", async () => {
    const { receiver, result } = await attempt(answering(`${ok}Content-Length: 5\r\n\r\nfine\n`));

    expect(result).toEqual({
      kind: "answered",
      status: 200,
      retryAfter: null,
      excerpt: "fine",
      bodyEnd: "complete",
      durationMs: expect.any(Number),
    });
    const [head = "", sent] = receiver.received().split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe("POST /hook?x=1 HTTP/1.1");
    expect(head.split("\r\n").slice(1).sort()).toEqual([
      "Connection: close",
      "Content-Length: 14",
      "Content-Type: application/json; charset=utf-8",
      `Host: 127.0.0.1:${receiver.port}`,
      "webhook-id: evt_1",
    ]);
    expect(sent).toBe('{"id":"evt_1"}');
  });

  test("is reached by a listed name of this machine", async () => {
    const receiver = await hostileReceiver(answering(`${ok}\r\n`));

    expect(await postTo(receiver, {}, "localhost")).toMatchObject({ kind: "answered", status: 200 });
  });

  test("keeps no connection after its answer, even when it offers to", async () => {
    const keepAlive = (socket: Socket) =>
      void socket.write(`${ok}Connection: keep-alive\r\nKeep-Alive: timeout=600\r\nContent-Length: 0\r\n\r\n`);
    const { receiver } = await attempt(keepAlive);

    await untilClosed(receiver);
  });

  test("may send interim answers before its own", async () => {
    const { result } = await attempt(
      answering(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${ok}\r\n`),
    );

    expect(result).toMatchObject({ kind: "answered", status: 200 });
  });

  test.each([
    ["Retry-After: 120", "120"],
    ["Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"],
    [`Retry-After: ${"9".repeat(65)}`, null],
    ["Retry-After: 1\r\nRetry-After: 2", null],
    ["X-Other: 1", null],
  ])("says when to come back: %s", async (header, retryAfter) => {
    const { result } = await attempt(answering(`HTTP/1.1 503 Busy\r\n${header}\r\n\r\n`));

    expect(result).toMatchObject({ status: 503, retryAfter });
  });
});

describe("F35 a redirecting receiver", () => {
  test.each([301, 302, 303, 307, 308])("gets its %s recorded, and the location is not visited", async (status) => {
    const elsewhere = await hostileReceiver(answering(`${ok}\r\n`));
    receivers.push(elsewhere);
    const location = `http://127.0.0.1:${elsewhere.port}/`;

    const { result } = await attempt(answering(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\n\r\n`));

    expect(result).toMatchObject({ kind: "answered", status });
    expect(elsewhere.received()).toBe("");
  });
});

describe("F40 a receiver that answers 200 and then", () => {
  test("sends 5 GB is success after 16 KiB, and the connection is cut", async () => {
    let written = 0;
    const { receiver, result } = await attempt((socket) => {
      socket.write(`${ok}Content-Length: 5000000000\r\n\r\n`);
      const pour = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x"))) written += 65_536;
      };
      socket.on("drain", pour);
      pour();
    });

    expect(result).toMatchObject({ status: 200, bodyEnd: "cut", excerpt: "x".repeat(500) });
    await untilClosed(receiver);
    // What the two ends of a socket buffer, not what the receiver wanted to send.
    expect(written).toBeLessThan(20_000_000);
  });

  test("sends a byte now and then is success without waiting for the rest", async () => {
    let dripping: NodeJS.Timeout | undefined;
    const { receiver, result } = await attempt(
      (socket) => {
        socket.write(`${ok}Content-Length: 1000\r\n\r\n`);
        dripping = setInterval(() => socket.write("x"), 10);
      },
      { bodyWaitMs: 60 },
    );
    clearInterval(dripping);

    expect(result).toMatchObject({ status: 200, bodyEnd: "cut", excerpt: expect.stringMatching(/^x*$/) });
    await untilClosed(receiver);
  });

  test("closes inside the body is success, for its status has said so", async () => {
    const { result } = await attempt(answering(`${ok}Content-Length: 1000\r\n\r\nhalf an ans`));

    expect(result).toMatchObject({ status: 200, bodyEnd: "broken", excerpt: "half an ans" });
  });

  test("breaks the framing of its body is success", async () => {
    const { result } = await attempt(answering(`${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nZZZ\r\n`));

    expect(result).toMatchObject({ status: 200, bodyEnd: "broken", excerpt: "ok" });
  });

  test.each(["gzip", "br", "deflate", "x-nonsense, gzip"])(
    "says %s over garbage is success, and nothing is unpacked",
    async (encoding) => {
      const head = Buffer.from(`${ok}Content-Encoding: ${encoding}\r\nContent-Length: 5\r\n\r\n`);
      const { result } = await attempt(answering(Buffer.concat([head, Buffer.from("1f8b616263", "hex")])));

      expect(result).toMatchObject({ status: 200, bodyEnd: "complete", excerpt: "\ufffdabc" });
    },
  );

  test("sends more than it said is success", async () => {
    const { result } = await attempt(answering(`${ok}Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`));

    expect(result).toMatchObject({ status: 200, excerpt: "ok" });
  });

  test("declares a charset that nobody knows is success", async () => {
    const { result } = await attempt(
      answering(`${ok}Content-Type: text/html; charset=klingon\r\nContent-Length: 2\r\n\r\nhi`),
    );

    expect(result).toMatchObject({ status: 200, excerpt: "hi" });
  });
});

describe("F40 a receiver without an answer", () => {
  const short = { deadlineMs: 80 };

  test("that accepts and says nothing times out, and the connection is cut", async () => {
    const { receiver, result } = await attempt(() => {}, short);

    expect(result).toMatchObject({ failure: "timeout", reason: expect.stringMatching(/^no answer while /) });
    await untilClosed(receiver);
  });

  test("that sends its headers a byte at a time times out: the deadline is for all of them", async () => {
    let dripping: NodeJS.Timeout | undefined;
    const { result } = await attempt((socket) => {
      const text = `${ok}X-Slow: ${"y".repeat(10_000)}`;
      let sent = 0;
      dripping = setInterval(() => socket.write(text.charAt(sent++)), 5);
    }, short);
    clearInterval(dripping);

    expect(result).toMatchObject({ failure: "timeout" });
  });

  test("that never ends its interim answers is given up", async () => {
    const { result } = await attempt((socket) => void socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(11)));

    expect(result).toMatchObject({ failure: "protocol_error", reason: "too many interim answers" });
  });

  test.each([
    ["one header of 1 MB", `X-Flood: ${"y".repeat(1_000_000)}\r\n`],
    ["50,000 headers", "X: y\r\n".repeat(50_000)],
  ])("that floods with %s is given up", async (_title, flood) => {
    const { receiver, result } = await attempt(answering(`${ok}${flood}\r\n`));

    expect(result).toMatchObject({ failure: "protocol_error", reason: "HPE_HEADER_OVERFLOW" });
    await untilClosed(receiver);
  });

  test.each([
    ["is no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["has a broken header", `${ok}bad header\r\n\r\n`],
    ["has two lengths", `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    ["has a status of 999", "HTTP/1.1 999 What\r\n\r\n"],
    ["switches protocols", "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
  ])("whose answer %s is a protocol error", async (_title, text) => {
    const { result } = await attempt(answering(text));

    expect(result).toMatchObject({ kind: "not_answered", failure: "protocol_error" });
  });

  test.each([
    ["closes at once", (socket: Socket) => void socket.destroy()],
    ["resets the connection", (socket: Socket) => void socket.resetAndDestroy()],
    ["closes inside its headers", answering("HTTP/1.1 200 OK\r\nX-")],
  ])("that %s is a connection error", async (_title, answer) => {
    const { result } = await attempt(answer);

    expect(result).toMatchObject({ kind: "not_answered", failure: "connection_error", reason: "ECONNRESET" });
  });

  test("that does not listen is a connection error", async () => {
    const receiver = await rudeReceiver(() => {});
    await receiver.close();
    const guard = egressGuard({ urls });

    const result = await guard.post({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body });

    expect(result).toMatchObject({ failure: "connection_error", reason: "ECONNREFUSED" });
  });

  test("leaves nothing of its words in a failure's reason", async () => {
    const { result } = await attempt(answering("<script>alert(1)</script>\r\n\r\n"));

    expect(JSON.stringify(result)).not.toContain("script");
  });
});

test("a request that cannot be put into bytes is our own fault and rejects, without its header's value", async () => {
  const receiver = await hostileReceiver(answering(`${ok}\r\n`));
  receivers.push(receiver);
  const url = `http://127.0.0.1:${receiver.port}/`;

  const sending = egressGuard({ urls }).post({ url, headers: { "X-A": "top\nsecret" }, body });

  await expect(sending).rejects.toThrow(/^(?!.*secret)/s);
});

/** Resolves when the receiver has no connection left; the test's own limit of time says when not. */
async function untilClosed(receiver: Receiver): Promise<void> {
  while ((await receiver.openConnections()) > 0) await new Promise((resolve) => setImmediate(resolve));
}
