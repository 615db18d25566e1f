// The door under the real Functions Framework, on bundles as they are deployed: what it answers, and how it ends.
// It must never fake the framework or a signal.
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { type FrameworkProcess, removeBundles, startUnderFramework, untilClosed } from "./framework-process.ts";
import { errorOf, exchange, exchangeRaw, openConnection } from "./http-exchange.ts";

const form = { "Content-Type": "application/x-www-form-urlencoded" };
const json = { "Content-Type": "application/json" };
const running: FrameworkProcess[] = [];
/** A start takes 0.3 to 1 s, on a machine that runs other suites beside this one several times that. */
const startMsMax = 30_000;

async function start(...how: Parameters<typeof startUnderFramework>): Promise<FrameworkProcess> {
  const started = await startUnderFramework(...how);
  running.push(started);
  return started;
}

afterAll(async () => {
  await Promise.all(running.map((started) => started.end()));
  removeBundles();
});

describe.each(["cjs", "esm"] as const)("a %s bundle under the framework", (format) => {
  let door: FrameworkProcess;
  beforeAll(async () => {
    door = await start(format);
  }, startMsMax);

  test.each([
    ["broken JSON", 400, { headers: json, body: '{"a":' }],
    ["F20 1001 parameters", 400, { headers: form, body: "a[]=1&".repeat(1_001) }],
    ["an unknown charset", 400, { headers: { "Content-Type": "application/json; charset=none" }, body: "{}" }],
    ["text/plain", 400, { headers: { "Content-Type": "text/plain" }, body: "a=1" }],
    ["a bad escape in the path", 400, { path: "/v1/%zz" }],
    ["a bad escape in the body", 400, { headers: form, body: "a=%zz" }],
    ["F20 a compressed body", 415, { headers: { ...json, "Content-Encoding": "gzip" }, body: gzipSync("{}") }],
    ["bad compression", 415, { headers: { ...json, "Content-Encoding": "gzip" }, body: "no gzip" }],
    ["F20 a body of 11 MB", 413, { headers: json, body: Buffer.alloc(11_000_000, " ") }],
    ["an icon", 404, { method: "GET", path: "/favicon.ico" }],
    ["a handler that throws", 500, { path: "/throw" }],
  ])("answers %s in JSON", async (_title, status, sent) => {
    const answer = await exchange(door.port, sent);
    expect(answer.status).toBe(status);
    errorOf(answer);
    expect(answer.body).not.toContain("secret");
  });

  test("serves good requests before and after, and never through the framework", async () => {
    const answer = await exchange(door.port, { headers: json, body: '{"a":1}', path: "/v1/x?b=2" });
    expect(answer).toMatchObject({ status: 200, body: '{"parameters":2,"bytes":7}' });
    expect(answer.headers["x-powered-by"]).toBeUndefined();
    expect(door.messages).not.toContain("never");
  });
});

describe("a process that crashes", () => {
  test.each(["/stray-exception", "/stray-rejection"])(
    "by %s answers in JSON whoever waits, and ends",
    async (path) => {
      const crashing = await start("cjs");
      const answer = await exchange(crashing.port, { path });
      expect(answer.status).toBe(500);
      expect(errorOf(answer).type).toBe("api_error");
      expect(answer.headers["stripe-should-retry"]).toBe("true");
      expect(await crashing.exited).toBe(16);
    },
    startMsMax,
  );
});

describe("SIGTERM under the framework, with the Spanner package that swallows signals", () => {
  const spanner = ["@google-cloud/spanner"];

  test(
    "stops accepting, answers what is in work and closes its connection, then drains and exits with 0",
    async () => {
      // Given one request in work, and one connection that is idle
      const ending = await start("cjs", {}, spanner);
      const idle = await openConnection(ending.port, "");
      const held = exchange(ending.port, { path: "/held", headers: { Connection: "keep-alive" } });
      await ending.received("entered");
      // When the platform ends the process
      ending.child.kill("SIGTERM");
      await untilClosed(ending.port);
      ending.child.kill("SIGTERM");
      expect(ending.messages).toEqual(["entered"]);
      ending.child.send("release");
      // Then the request gets its answer before anything is closed
      const answer = await held;
      expect(answer).toMatchObject({ status: 200, body: '{"held":true}' });
      expect(answer.headers.connection).toBe("close");
      expect(await ending.exited).toBe(0);
      expect(ending.messages).toEqual(["entered", "finished", "drained"]);
      idle.destroy();
    },
    startMsMax,
  );

  test(
    "F10 waits also for the work of a client that hung up",
    async () => {
      const ending = await start("esm");
      const socket = await openConnection(ending.port, "POST /held HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
      await ending.received("entered");
      socket.resetAndDestroy();
      ending.child.kill("SIGTERM");
      await untilClosed(ending.port);
      ending.child.send("release");
      expect(await ending.exited).toBe(0);
      expect(ending.messages).toEqual(["entered", "finished", "drained"]);
    },
    startMsMax,
  );

  test(
    "SIGINT does the same, at once when nothing is in work",
    async () => {
      const ending = await start("cjs");
      await exchangeRaw(ending.port, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
      ending.child.kill("SIGINT");
      expect(await ending.exited).toBe(0);
      expect(ending.messages).toEqual(["drained"]);
    },
    startMsMax,
  );

  test(
    "ends with 1 at its bound when a request does not finish, and says how many were cut off",
    async () => {
      const ending = await start("cjs", { BOUND_MS: "50" });
      await openConnection(ending.port, "POST /held HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
      await ending.received("entered");
      ending.child.kill("SIGTERM");
      expect(await ending.exited).toBe(1);
      expect(ending.messages).toEqual(["entered"]);
      expect(ending.standardError()).toContain('"inFlight":1');
    },
    startMsMax,
  );
});
