// The request of one attempt: its headers, and that each attempt is signed anew over the same bytes.
// It must never be sent.
import { deliveryRequest } from "../../functions/domain/delivery-request.ts";
import { signingSecretFrom } from "../../functions/domain/signature.ts";

const secret = signingSecretFrom(new Uint8Array(32).fill(7));
const body = Buffer.from('{"id":"evt_1"}');
const delivery = { url: "https://shop.example.com/hook", eventId: "evt_1", body };

test("a request says what it is and carries both families of signatures", () => {
  const request = deliveryRequest(delivery, [secret], 1_800_000_000_000);

  expect(request.url).toBe("https://shop.example.com/hook");
  expect(request.body).toBe(body);
  expect(request.headers).toEqual({
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": "Payments-Webhooks/1.0",
    Accept: "*/*; q=0.5, application/xml",
    "Accept-Encoding": "identity",
    "Cache-Control": "no-cache",
    "Stripe-Signature": expect.stringMatching(/^t=1800000000,v1=[0-9a-f]{64}$/),
    "webhook-id": "evt_1",
    "webhook-timestamp": "1800000000",
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
});

test("the next attempt has the same id and bytes and other signatures", () => {
  const [first, second] = [1_800_000_000_000, 1_800_000_305_000].map((atMs) =>
    deliveryRequest(delivery, [secret], atMs),
  );

  expect(second?.body).toBe(first?.body);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.headers["Stripe-Signature"]).not.toBe(first?.headers["Stripe-Signature"]);
  expect(second?.headers["webhook-signature"]).not.toBe(first?.headers["webhook-signature"]);
});
