// Shows how identity tokens are fetched, kept and refused, against a metadata server on loopback.
// It must never reach the metadata server of a real machine, and it ends every server that it starts.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { identityTokenFor } from "../../functions/adapters/identity-token.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

const audience = "https://test-acquirer-abc.a.run.app";
const issuedAtMs = 1_800_000_000_000;

/** A token that lives an hour; its signature is not looked at. */
const tokenAt = (ms: number) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part({ aud: audience, exp: ms / 1000 + 3600 })}.c2lnbmF0dXJl`;
};

/** A source over a metadata server that answers in this way, and what was asked of it. */
async function sourceOver(answer: (asked: number) => { status: number; body: string }) {
  const asked: { url: string | undefined; flavor: string | string[] | undefined }[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push({ url: request.url, flavor: request.headers["metadata-flavor"] });
    const { status, body } = answer(asked.length);
    response.writeHead(status).end(body);
  };
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = { ms: issuedAtMs, now: () => clock.ms };
  const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = identityTokenFor({ audience, clock, metadataUrl });
  if (token === undefined) throw new Error("there is an audience, so there is a source");
  return { token, clock, asked };
}

describe("an identity token", () => {
  test("is not there for a service that wants none", () => {
    const clock = { now: () => issuedAtMs };

    expect(identityTokenFor({ audience: undefined, clock })).toBeUndefined();
    expect(identityTokenFor({ audience: "", clock })).toBeUndefined();
  });

  test("is asked for the audience, with the header that the metadata server insists on", async () => {
    const { token, asked } = await sourceOver(() => ({ status: 200, body: `${tokenAt(issuedAtMs)}\n` }));

    expect(await token()).toBe(tokenAt(issuedAtMs));
    expect(asked).toEqual([
      {
        url: "/computeMetadata/v1/instance/service-accounts/default/identity?audience=https%3A%2F%2Ftest-acquirer-abc.a.run.app",
        flavor: "Google",
      },
    ]);
  });

  test("is kept until five minutes before its end, and then a new one is fetched", async () => {
    const { token, clock, asked } = await sourceOver((count) => ({
      status: 200,
      body: tokenAt(issuedAtMs + (count - 1) * 3_300_000),
    }));
    const first = await token();

    clock.ms = issuedAtMs + 54 * 60_000 + 59_999;
    expect(await token()).toBe(first);
    expect(asked).toHaveLength(1);

    clock.ms = issuedAtMs + 55 * 60_000;
    expect(await token()).not.toBe(first);
    expect(asked).toHaveLength(2);
  });

  test("is fetched once for all who wait for it at the same time", async () => {
    const { token, asked } = await sourceOver(() => ({ status: 200, body: tokenAt(issuedAtMs) }));

    const tokens = await Promise.all([token(), token(), token()]);

    expect(new Set(tokens).size).toBe(1);
    expect(asked).toHaveLength(1);
  });

  test("is asked for again after a failure", async () => {
    const { token } = await sourceOver((count) =>
      count === 1 ? { status: 503, body: "busy" } : { status: 200, body: tokenAt(issuedAtMs) },
    );

    await expect(token()).rejects.toThrow("The metadata server answered with status 503.");
    expect(await token()).toBe(tokenAt(issuedAtMs));
  });

  test.each([
    ["text", "secret-looking text"],
    ["a token without an end", "e30.e30.e30"],
    ["a token whose claims are not JSON", "e30.bm90LWpzb24.e30"],
  ])("is refused when it is %s, and the error does not quote it", async (_title, body) => {
    const { token } = await sourceOver(() => ({ status: 200, body }));

    const error: Error = await token().then(
      () => Promise.reject(new Error("it was taken")),
      (refused) => refused,
    );

    expect(error.message).toBe("The metadata server answered with something that is no identity token.");
    expect(error.cause).toBeUndefined();
  });
});
