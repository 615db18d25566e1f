// Runs the smoke script with sh and curl against servers on loopback: a sound one, broken ones, and none at all.
// It must never leave a server running, and never let the script's verdict be the only proof: broken servers must fail.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import type { WireHandler, WireRequest } from "../../functions/edge/wire.ts";
import { openEmbeddedStores } from "../../scripts/embedded-stores.ts";

const script = path.join(import.meta.dirname, "../../scripts/smoke.sh");

/** A run makes two dozen curl calls; a busy machine starts a process in tens of milliseconds. */
const runMsMax = 60_000;

describe("npm run smoke", () => {
  test(
    "passes every check of a sound server, shows each exchange, and leaves no file behind",
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), "smoke-test-"));
      const { output, code, apiKey } = await smoke((handler) => handler, { TMPDIR: folder });
      const left = readdirSync(folder);
      await rm(folder, { recursive: true });

      expect(output).toContain("> POST /v1/payment_intents   Idempotency-Key: smoke-");
      expect(output).toMatch(/^< 200 .* {3}Idempotent-Replayed: true/m);
      expect(output.match(/^ok: /gm)).toHaveLength(16);
      expect(output.trimEnd().split("\n").at(-1)).toBe("16 passed, 0 failed");
      expect(code).toBe(0);
      expect(left).toEqual([]);
      // Neither the key nor what lets a browser confirm a payment is shown.
      expect(output).not.toContain(apiKey);
      expect(output).not.toMatch(/_secret_[A-Za-z0-9]/);
    },
    runMsMax,
  );

  test(
    "fails a server that executes a replay",
    async () => {
      const { output, code } = await smoke((handler) => (request) => handler(withKey(request, undefined)));

      expect(code).toBe(1);
      expect(output).toMatch(/^FAILED: replay: /m);
      expect(output).toMatch(/^FAILED: twins: of two at once/m);
      expect(output).toMatch(/^FAILED: list: /m);
    },
    runMsMax,
  );

  test(
    "fails a server that pays twice behind the right bytes",
    async () => {
      const { output, code } = await smoke((handler) => async (request) => {
        const response = await handler(request);
        const isReplay = response.headers["Idempotent-Replayed"] === "true" && response.status === 200;
        if (isReplay) await handler(withKey(request, systemRandom.token()));
        return response;
      });

      expect(code).toBe(1);
      expect(output).toMatch(/^FAILED: list: /m);
      expect(output).toMatch(/^ok: replay: /m);
    },
    runMsMax,
  );

  test(
    "says at once that nobody answers, or that the key is not known",
    async () => {
      const free = await listening(async () => await new Promise(() => {}));
      await free.close();
      const nobody = await runScript(["--url", free.baseUrl, "--key", "sk_test_x"]);
      expect([nobody.code, nobody.output]).toEqual([
        1,
        expect.stringContaining(`smoke: no answer from ${free.baseUrl}: curl:`),
      ]);

      const stranger = await smoke((handler) => handler, {}, "sk_test_stranger00000000000000000000");
      expect([stranger.code, stranger.output]).toEqual([1, expect.stringContaining("does not know this key")]);
      expect(stranger.output).not.toContain("sk_test_stranger");
    },
    runMsMax,
  );

  test.each([
    [[], "--url is missing"],
    [["--url", "http://127.0.0.1:1"], "--key is missing"],
    [["--url"], "--url needs a value"],
    [["--url", "127.0.0.1:1", "--key", "sk_test_x"], "--url must begin with http"],
    [["--url", "http://127.0.0.1:1", "--key", 'sk_"\nurl = "x'], "--key does not look like an API key"],
    [["--port", "1"], "unknown argument --port"],
  ])("explains %j: %s", async (args, reason) => {
    const { code, output } = await runScript(args);
    expect(code).toBe(2);
    expect(output).toContain(reason);
    expect(output).toContain("usage: npm run smoke -- --url URL --key KEY");
  });

  test("sends an identity token beside the API's key, where a closed platform looks for it", async () => {
    const seen: (readonly string[])[] = [];
    const server = await listening(async (request) => {
      seen.push([
        ...(request.headers.get("authorization") ?? []),
        ...(request.headers.get("x-serverless-authorization") ?? []),
      ]);
      return { status: 403, headers: {}, body: Buffer.from("<html>") };
    });
    const args = ["--url", `${server.baseUrl}/`, "--key", "sk_test_x", "--identity-token", "a.b-c_d"];
    const { code, output } = await runScript(args);
    await server.close();
    expect(seen).toEqual([["Bearer sk_test_x", "Bearer a.b-c_d"]]);
    expect([code, output]).toEqual([1, expect.stringContaining("does not answer like a payments API")]);
  });
});

/** Runs the script against the API on memory stores, with the handler bent by `bend`. */
async function smoke(
  bend: (handler: WireHandler) => WireHandler,
  environment: Record<string, string> = {},
  givenKey?: string,
) {
  const { ledger, balances, stories, cache, accounts, acquirer, webhooks, apiKey } = await openEmbeddedStores();
  const machine = { clock: systemClock, random: systemRandom, log: () => {} };
  const server = await listening(
    bend(paymentsApi({ ledger, balances, stories, cache, accounts, acquirer, webhooks, ...machine })),
  );
  try {
    const ran = await runScript(["--url", server.baseUrl, "--key", givenKey ?? apiKey], environment);
    return { ...ran, apiKey };
  } finally {
    await server.close();
  }
}

async function listening(handler: WireHandler) {
  const server = createFrontDoorServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function runScript(args: readonly string[], environment: Record<string, string> = {}) {
  return await new Promise<{ code: number; output: string }>((resolve) => {
    execFile("sh", [script, ...args], { env: { ...process.env, ...environment } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

function withKey(request: WireRequest, key: string | undefined): WireRequest {
  const headers = new Map(request.headers);
  if (key === undefined) headers.delete("idempotency-key");
  else if (headers.has("idempotency-key")) headers.set("idempotency-key", [key]);
  return { ...request, headers };
}
