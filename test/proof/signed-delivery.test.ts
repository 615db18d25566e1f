// One signed delivery over real HTTP: what the guard puts on the wire is what unmodified libraries and our receiver accept.
// It must never hand a header or a body to a verifier in another way than the server received it.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { egressGuard } from "../../functions/adapters/egress.ts";
import { memorySeenEvents } from "../../functions/adapters/memory/seen-events.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { deliveryRequest } from "../../functions/domain/delivery-request.ts";
import { signingSecretFrom } from "../../functions/domain/signature.ts";
import { parseLoopbackOrigins } from "../../functions/domain/webhook-url.ts";
import { receiveWebhook } from "../../functions/flows/receive-webhook.ts";

const current = signingSecretFrom(new Uint8Array(32).fill(1));
const previous = signingSecretFrom(new Uint8Array(32).fill(2));
const body = Buffer.from('{"id":"evt_1","object":"event","name":"é 😀","amount":9007199254740993}\n');

type Arrived = { readonly headers: IncomingHttpHeaders; readonly raw: Buffer };

let server: Server;
let answer: (arrived: Arrived) => Promise<number>;
beforeEach(async () => {
  server = createServer(async (request, response) => {
    const status = await answer({ headers: request.headers, raw: await buffer(request) });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.close();
  await once(server, "close");
});

/** Delivers the event once, signed with both secrets as in a rotation; gives the receiver's status. */
async function deliver(): Promise<number | string> {
  const guard = egressGuard({ urls: { httpAllowed: false, loopback: parseLoopbackOrigins("http://127.0.0.1:*") } });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const exchange = await guard.post(
    deliveryRequest({ url, eventId: "evt_1", body }, [current, previous], systemClock.now()),
  );
  return exchange.kind === "answered" ? exchange.status : exchange.failure;
}

const textOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const verifiers: Readonly<Record<string, (arrived: Arrived, secret: string) => unknown>> = {
  stripe: ({ headers, raw }, secret) =>
    new Stripe("sk_test_unused").webhooks.constructEvent(raw, String(headers["stripe-signature"]), secret),
  standardwebhooks: ({ headers, raw }, secret) => new StandardWebhook(secret).verify(raw, textOf(headers)),
  svix: ({ headers, raw }, secret) => new SvixWebhook(secret).verify(raw, textOf(headers)),
};

test.each(Object.keys(verifiers))("a delivery is accepted by an unmodified receiver that uses %s", async (library) => {
  for (const secret of [current, previous]) {
    answer = async (arrived) => {
      try {
        verifiers[library]?.(arrived, secret);
        return 204;
      } catch {
        return 400;
      }
    };

    expect(await deliver()).toBe(204);
  }
});

test("a delivery that is repeated is handled once by a receiver that uses our library", async () => {
  const handled: string[] = [];
  const receiver = {
    seen: memorySeenEvents(),
    clock: systemClock,
    random: systemRandom,
    secrets: [previous],
    handle: async (eventId: string, bytes: Uint8Array) => void handled.push(`${eventId} ${bytes.length}`),
  };
  const ends: string[] = [];
  answer = async ({ headers, raw }) => {
    ends.push((await receiveWebhook(receiver, { headers, rawBody: raw })).kind);
    return 200;
  };

  expect([await deliver(), await deliver()]).toEqual([200, 200]);

  expect(ends).toEqual(["handled", "duplicate"]);
  expect(handled).toEqual([`evt_1 ${body.length}`]);
});
