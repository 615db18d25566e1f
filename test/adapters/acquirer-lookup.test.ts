// What the HTTP acquirer hears of orders that do not end at once: pending ones, challenges, voids by key.
// It must never reach beyond loopback, and every server that it starts is ended.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { httpAcquirer } from "../../functions/adapters/acquirer.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { systemClock } from "../../functions/adapters/system.ts";
import { frontDoor } from "../../functions/edge/front-door.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import type { AuthorizeOrder } from "../../functions/flows/acquirer-ports.ts";

const order: AuthorizeOrder = {
  key: "att_1",
  amountMinor: 1_099n,
  currency: "usd",
  paymentMethodToken: "pm_card_visa",
  captureLater: false,
  challengeReturnUrl: null,
  authentication: null,
};

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server?.listening) await once(server, "close");
  server = undefined;
});

async function openAcquirer() {
  const ports = { journal: memoryAcquirerJournal(), clock: systemClock, log: () => {}, secret: "s3cret" };
  return await acquirerBefore(frontDoor(testAcquirer(ports)));
}

async function acquirerBefore(listener: Parameters<typeof createServer>[1]) {
  server = createServer(listener as never);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return httpAcquirer({ baseUrl, secret: "s3cret", timeoutMs: 60_000 });
}

describe("an order that does not end at once", () => {
  test("a refund that the bank takes its time for is pending, and a lookup tells its end", async () => {
    const acquirer = await openAcquirer();
    const paid = await acquirer.authorize({ ...order, paymentMethodToken: "pm_card_refundFail" });
    const reference = paid.kind === "approved" ? paid.reference : "";

    const answer = await acquirer.refund({ key: "att_2", reference, amountMinor: 99n, currency: "usd" });

    expect(answer).toMatchObject({ kind: "pending", reference: "refund_att_2" });
    expect(await acquirer.lookup("att_2")).toEqual({ kind: "found", result: answer, isVoided: false });
  });

  test("a challenge names the page of the acquirer, and where it leads back is part of the order", async () => {
    const acquirer = await openAcquirer();
    const asked = { ...order, paymentMethodToken: "pm_card_threeDSecure2Required" };
    const challengeReturnUrl = "https://api.example.test/challenges/att_1/return";

    const answer = await acquirer.authorize({ ...asked, challengeReturnUrl });

    expect(answer).toMatchObject({ kind: "challenge", reference: "3ds_att_1", outcome: "waiting" });
    expect(answer).toHaveProperty("pageUrl", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/challenges\/att_1$/));
    await expect(acquirer.authorize(asked)).rejects.toMatchObject({ code: "internal" });
    expect(await acquirer.authorize({ ...asked, key: "att_2" })).toMatchObject({
      kind: "declined",
      failure: { code: "authentication_required" },
    });
  });

  test("a key that was voided is let go, whether its order came before or comes after", async () => {
    const acquirer = await openAcquirer();
    await acquirer.authorize(order);

    for (const key of ["att_1", "att_2"]) await acquirer.voidKey({ key, amountMinor: 1_099n, currency: "usd" });

    expect(await acquirer.lookup("att_1")).toMatchObject({ kind: "found", isVoided: true });
    expect(await acquirer.lookup("att_2")).toEqual({ kind: "none" });
    expect(await acquirer.authorize({ ...order, key: "att_2" })).toMatchObject({ kind: "declined" });
  });

  test.each([
    ["another key", { key: "att_9", state: "none" }],
    ["an unknown state", { key: "att_1", state: "perhaps" }],
    ["no word on a void", { key: "att_1", state: "found", result: { kind: "approved", reference: "r" } }],
    [
      "a result of no kind",
      { key: "att_1", state: "found", result: { kind: "odd", reference: "r" }, is_voided: false },
    ],
    [
      "a page that is no address",
      {
        key: "att_1",
        state: "found",
        is_voided: false,
        result: { kind: "challenge", reference: "r", page_url: "x", outcome: "waiting" },
      },
    ],
    [
      "a time that is no number",
      {
        key: "att_1",
        state: "found",
        is_voided: false,
        result: { kind: "pending", reference: "r", settles_at_ms: "soon" },
      },
    ],
  ])("of which an answer tells %s is silence, never a word on the money", async (_, answer) => {
    const acquirer = await acquirerBefore((_request: unknown, response: { end(text: string): void }) =>
      response.end(JSON.stringify(answer)),
    );
    await expect(acquirer.lookup("att_1")).rejects.toMatchObject({ code: "acquirer_unknown" });
  });
});
