// What a bad receiver does to its delivery: the real guard on real sockets under the real dispatcher, in virtual time.
// It must never dial anything but loopback; names are answered by the test.
import type { Socket } from "node:net";
import Stripe from "stripe";
import { type EgressSettings, egressGuard } from "../../functions/adapters/egress.ts";
import { sealSecrets } from "../../functions/domain/endpoint-secrets.ts";
import { signingSecretFrom } from "../../functions/domain/signature.ts";
import { parseLoopbackOrigins } from "../../functions/domain/webhook-url.ts";
import { newAuthority, newIdentity } from "../support/certificates.ts";
import { answered, beginMs, type DeliveryWorld, openDeliveryWorld } from "../support/delivery-world.ts";
import { hostileReceiver, type Receiver } from "../support/hostile-receiver.ts";

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const hourMs = 3_600_000;
const loopback = parseLoopbackOrigins("http://127.0.0.1:*,http://localhost:*,https://localhost:*");
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const answering = (text: string) => (socket: Socket) => void socket.end(text);
const hanging = () => {};
const authority = newAuthority("Test Authority");

const only = (world: DeliveryWorld) => {
  const [delivery] = world.deliveries.everything();
  if (delivery === undefined) throw new Error("there is no delivery");
  return delivery;
};

/** An event to an endpoint at `url`, after its first attempt through the real guard. */
async function firstAttempt(url: string, settings: EgressSettings = {}) {
  const guard = egressGuard({ urls: { httpAllowed: false, loopback }, limits: { deadlineMs: 100 }, ...settings });
  const world = openDeliveryWorld((request) => guard.post(request));
  await world.endpoint({ id: "we_1", url });
  await world.fanOut({ id: "evt_1" });
  const [task] = world.tasks.takeDue();
  if (task === undefined) throw new Error("there is no task");
  await world.deliver(task.body as never);
  return world;
}

async function listening(answer: (socket: Socket) => void, ...identity: Parameters<typeof hostileReceiver>[1][]) {
  const receiver = await hostileReceiver(answer, ...identity);
  receivers.push(receiver);
  return receiver;
}

/** Long limits for receivers that answer, so that a busy machine is not taken for a slow one. */
const patient = { limits: { deadlineMs: 4_000 } };

describe("a receiver that fails gets its failure recorded by class, and another attempt", () => {
  test.each([
    [
      "F35 redirects to the metadata server",
      "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n",
      "redirect",
      302,
    ],
    ["answers 500", "HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops", "status", 500],
    ["F40 floods with headers", `HTTP/1.1 200 OK\r\nX: ${"y".repeat(100_000)}\r\n\r\n`, "protocol_error", null],
    ["F40 speaks no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "protocol_error", null],
    ["F40 closes inside its headers", "HTTP/1.1 200 OK\r\nX-", "connection_error", null],
  ])("%s", async (_title, text, failure, status) => {
    const { port } = await listening(answering(text));

    const world = await firstAttempt(`http://127.0.0.1:${port}/`, patient);

    expect(only(world).attempts).toMatchObject([{ failure, status }]);
    expect(only(world)).toMatchObject({ state: "pending", next: { number: 2 } });
    expect(world.tasks.waiting()).toHaveLength(1);
  });

  test("F40 hangs: a timeout, and a minute until the next attempt", async () => {
    const { port } = await listening(hanging);

    const world = await firstAttempt(`http://127.0.0.1:${port}/`);

    expect(only(world).attempts).toMatchObject([{ failure: "timeout", status: null }]);
    expect(only(world).next).toEqual({ number: 2, atMs: beginMs + 60_000 });
  });

  test("F40 has a certificate of nobody: a TLS error, and no byte of the event leaves", async () => {
    const receiver = await listening(answering(ok), newIdentity({ host: "localhost" }));
    const settings = { ...patient, certificateAuthorities: authority.certificate };

    const world = await firstAttempt(`https://localhost:${receiver.port}/`, settings);

    expect(only(world).attempts).toMatchObject([{ failure: "tls_error", excerpt: "DEPTH_ZERO_SELF_SIGNED_CERT" }]);
    expect(receiver.received()).toBe("");
  });
});

describe("a receiver that answers 200 has its event", () => {
  test.each([
    ["with a body that breaks off", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"],
    ["with a body that is no gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzip!"],
    ["with more than it said", `${ok}HTTP/1.1 500 No\r\n\r\n`],
  ])("F40 %s", async (_title, text) => {
    const { port } = await listening(answering(text));

    const world = await firstAttempt(`http://127.0.0.1:${port}/`, patient);

    expect(only(world)).toMatchObject({ state: "delivered", next: null, attempts: [{ failure: null, status: 200 }] });
    expect(world.tasks.waiting()).toEqual([]);
  });
});

describe("F43 a receiver that cannot be found for a while", () => {
  test.each(["ENOTFOUND", "ESERVFAIL", "ETIMEOUT"])("is delivered to once %s is over", async (code) => {
    let down = true;
    const guard = egressGuard({
      resolve: async () => {
        throw Object.assign(new Error(code), { code });
      },
    });
    const world = openDeliveryWorld((request) => (down ? guard.post(request) : answered(200)));
    await world.endpoint({ id: "we_1" });
    await world.fanOut({ id: "evt_1" });
    const [task] = world.tasks.takeDue();
    await world.deliver(task?.body as never);
    expect(only(world).attempts).toMatchObject([{ failure: "dns_error", excerpt: code }]);

    down = false;
    await world.runUntil(10_000);

    expect(only(world)).toMatchObject({ state: "delivered", attempts: [{}, { failure: null, status: 200 }] });
  });
});

describe("F36 an endpoint whose name leads inside", () => {
  test.each([
    ["https://169.254.169.254.nip.io/computeMetadata/v1/", ["169.254.169.254"]],
    ["https://shop.example/hooks", ["8.8.8.8", "10.0.0.1"]],
  ])("is a dead letter at once, and is not tried for three days: %s", async (url, addresses) => {
    const world = await firstAttempt(url, { ...patient, resolve: async () => addresses });
    await world.runUntil(4 * 24 * hourMs, { isSwept: false });
    await world.sweep();

    expect(only(world)).toMatchObject({ state: "dead", dead: { reason: "blocked_destination" }, next: null });
    expect(only(world).attempts).toMatchObject([{ failure: "blocked_destination" }]);
    expect(world.received).toHaveLength(1);
    expect(world.tasks.waiting()).toEqual([]);
  });
});

test("F33 retries are signed anew: with both secrets during a rotation's overlap, later with the new one only", async () => {
  const [current, previous] = [1, 2].map((byte) => signingSecretFrom(new Uint8Array(32).fill(byte)));
  if (current === undefined || previous === undefined) throw new Error("two secrets");
  const world = openDeliveryWorld(() => answered(500));
  const secrets = [
    { secret: current, endsAtMs: null },
    { secret: previous, endsAtMs: beginMs + 25 * hourMs },
  ];
  await world.endpoint({ id: "we_1", sealedSecrets: sealSecrets(world.box, "we_1", secrets) });
  const event = '{"id":"evt_1","object":"event"}';
  await world.fanOut({ id: "evt_1", render: () => Buffer.from(event) });
  await world.runUntil(73 * hourMs);

  const stripe = new Stripe("sk_test_unused");
  const verdicts = world.received.map(({ atMs, headers }) =>
    [current, previous].map((secret) => {
      try {
        const signature = headers["Stripe-Signature"] ?? "";
        return stripe.webhooks.constructEvent(event, signature, secret, 300, undefined, Math.floor(atMs / 1000)).id;
      } catch {
        return "refused";
      }
    }),
  );

  // Seven attempts fall into the first 25 hours, three behind them.
  const overlap = Array(7).fill(["evt_1", "evt_1"]);
  expect(verdicts).toEqual([...overlap, ...Array(3).fill(["evt_1", "refused"])]);
  expect(new Set(world.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["evt_1"]));
  expect(new Set(world.received.map(({ headers }) => headers["webhook-signature"])).size).toBe(10);
});
