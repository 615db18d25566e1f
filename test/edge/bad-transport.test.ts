// Requests that are wrong before they have parameters, through the real front door: each answer is JSON with an `error`.
// It must never use a client that repairs what it sends.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { apiKeys, countRows, openWorld, type World } from "../support/world.ts";
import { errorOf, exchange, exchangeRaw, type Sent } from "./http-exchange.ts";

const good = "amount=2000&currency=usd";
const authorization = { Authorization: `Bearer ${apiKeys.first}` };
const json = { "Content-Type": "application/json" };
const creates = "/v1/payment_intents";

let world: World;
let server: Server;
let port: number;

beforeEach(async () => {
  world = await openWorld();
  server = createFrontDoorServer(world.handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const send = ({ headers = {}, ...sent }: Sent) =>
  exchange(port, { path: creates, ...sent, headers: { ...authorization, "Idempotency-Key": "K", ...headers } });

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each<[string, number, Sent]>([
  ["an unknown route", 404, { method: "GET", path: "/v1/payouts" }],
  ["an unknown route to post to", 404, { path: "/v1/payment_intents/pi_1/increment_authorization", body: good }],
  ["the root", 404, { method: "GET", path: "/" }],
  ["a slash too many", 404, { path: `${creates}/`, body: good }],
  ["upper case in a route", 404, { path: "/V1/payment_intents", body: good }],
  ["a wrong method", 405, { method: "DELETE", path: `${creates}/pi_1` }],
  ["another wrong method", 405, { method: "PUT", body: good }],
  ["a method that nobody knows here", 405, { method: "PROPFIND", body: good }],
  ["F20 truncated JSON", 400, { headers: json, body: '{"amount":2000,"currency":"us' }],
  ["F20 JSON that is a list", 400, { headers: json, body: "[]" }],
  ["F20 JSON that is a word", 400, { headers: json, body: "null" }],
  ["F20 JSON and then something", 400, { headers: json, body: '{"amount":2000,"currency":"usd"}x' }],
  ["F20 a byte order mark", 400, { headers: json, body: '\ufeff{"amount":2000,"currency":"usd"}' }],
  ["F20 a depth of 10 000", 400, { headers: json, body: deep(10_000) }],
  ["F20 __proto__", 400, { headers: json, body: '{"__proto__":{"amount":1},"amount":2000,"currency":"usd"}' }],
  ["more than 1000 parameters", 400, { body: `${good}${"&x=1".repeat(1_001)}` }],
  ["a bad escape in the path", 400, { path: `${creates}/%zz`, body: good }],
  ["a bad escape in the query", 400, { path: `${creates}?a=%c3`, body: good }],
  ["a bad escape in the body", 400, { body: `${good}&description=%c3%28` }],
  ["bytes that are not UTF-8", 400, { body: Buffer.from([...Buffer.from(`${good}&description=`), 0xc3, 0x28]) }],
  ["F20 a compressed body", 415, { headers: { "Content-Encoding": "gzip" }, body: gzipSync(good) }],
  ["F20 a compression that nobody knows", 415, { headers: { "Content-Encoding": "rot13" }, body: good }],
  ["F20 plain text", 415, { headers: { "Content-Type": "text/plain" }, body: good }],
  ["a multipart form", 415, { headers: { "Content-Type": "multipart/form-data; boundary=x" }, body: good }],
  ["another character set", 415, { headers: { "Content-Type": "application/json; charset=utf-16" }, body: "{}" }],
  ["F20 a body over 1 MiB", 413, { body: `${good}&description=${"a".repeat(1024 * 1024)}` }],
  ["F20 a body of 11 MB", 413, { body: Buffer.alloc(11_000_000, "a") }],
  ["no API key", 401, { headers: { Authorization: "" }, body: good }],
  ["an unknown API key", 401, { headers: { Authorization: "Bearer sk_test_nobody_at_all" }, body: good }],
  ["a malformed version", 400, { headers: { "Stripe-Version": "latest" }, body: good }],
])("F14 %s is a %i in JSON that stores nothing and leaves the key free", async (_, status, sent) => {
  const answer = await send(sent);

  expect(answer.status).toBe(status);
  expect(errorOf(answer)).toMatchObject({ type: "invalid_request_error", message: expect.stringMatching(/./) });
  expect(answer.body).not.toContain(apiKeys.first);
  expect(countRows(world)).toEqual({ intents: 0, charges: 0, bookings: 0, keys: 0, events: 0, outbox: 0 });
  expect(world.cache.records().size).toBe(0);
  const corrected = await send({ body: good });
  expect([corrected.status, corrected.headers["idempotent-replayed"]]).toEqual([200, undefined]);
});

test.each([
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["HTTP without a host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
])("%s is a %s in JSON", async (_, bytes, status) => {
  const answer = await exchangeRaw(port, bytes);
  expect(answer.status).toBe(status);
  expect(errorOf(answer).type).toBe("invalid_request_error");
});

test("an unknown key is never repeated in full, an unknown route is named as the contract names it", async () => {
  const unknownKey = await send({ headers: { Authorization: "Bearer sk_test_nobody_at_all" }, body: good });
  expect(errorOf(unknownKey).message).toBe("Invalid API Key provided: sk_test_…_all");
  const unknownRoute = await send({ method: "GET", path: "/v1/x?secret=1" });
  expect(errorOf(unknownRoute).message).toBe("Unrecognized request URL (GET: /v1/x).");
});

test("the key of HTTP Basic is taken like that of Bearer", async () => {
  const basic = Buffer.from(`${apiKeys.first}:`).toString("base64");
  expect((await send({ headers: { Authorization: `Basic ${basic}` }, body: good })).status).toBe(200);
});

test("a HEAD request has no body, and the connection serves the next one", async () => {
  const answer = await send({ method: "HEAD" });
  expect([answer.status, answer.body]).toEqual([405, ""]);
  expect((await send({ body: good })).status).toBe(200);
});
