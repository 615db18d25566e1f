// Shows what the HTTP acquirer makes of each kind of answer and of silence, against real sockets on loopback.
// It must never reach beyond loopback, and every server that it starts is ended.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { httpAcquirer } from "../../functions/adapters/acquirer.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { systemClock } from "../../functions/adapters/system.ts";
import { frontDoor } from "../../functions/edge/front-door.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import type { AuthorizeOrder, FollowUpOrder } from "../../functions/flows/acquirer-ports.ts";

const order: AuthorizeOrder = {
  key: "att_1",
  amountMinor: 1_099n,
  currency: "usd",
  paymentMethodToken: "pm_card_visa",
  captureLater: false,
  challengeReturnUrl: null,
  authentication: null,
};
const line = { key: "att_1", amount_minor: "1099", currency: "usd", payment_method: "pm_card_visa" };
const approved = { ...line, result: { kind: "approved", reference: "auth_1" }, created_at_ms: 1 };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The acquirer over a server that answers every request in this way; a minute, because only silence may time out. */
async function acquirerOver(listener: RequestListener, timeoutMs = 60_000) {
  return httpAcquirer({ baseUrl: await serve(listener), secret: "s3cret", timeoutMs });
}

const answering =
  (status: number, body: unknown): RequestListener =>
  (_request, response) =>
    void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

async function failureOf(
  listener: RequestListener,
  timeoutMs?: number,
): Promise<Error & { code?: string; cause?: unknown }> {
  const acquirer = await acquirerOver(listener, timeoutMs);
  return await acquirer.authorize(order).then(
    () => {
      throw new Error("The acquirer answered.");
    },
    (error) => error,
  );
}

describe("with the test acquirer behind it", () => {
  test("approvals and declines arrive as the acquirer recorded them, the amount beyond a double's range included", async () => {
    const journal = memoryAcquirerJournal();
    const ports = { journal, clock: systemClock, log: () => {}, secret: "s3cret" };
    const acquirer = await acquirerOver(frontDoor(testAcquirer(ports)));

    const approval = await acquirer.authorize({ ...order, amountMinor: 900_719_925_474_099n });
    const decline = await acquirer.authorize({
      ...order,
      key: "att_2",
      paymentMethodToken: "pm_card_chargeDeclinedExpiredCard",
    });

    expect(approval).toEqual((await journal.read("att_1"))?.result);
    expect((await journal.read("att_1"))?.amountMinor).toBe(900_719_925_474_099n);
    expect(decline).toEqual({
      kind: "declined",
      failure: { code: "expired_card", declineCode: null, message: "Your card has expired." },
    });
  });

  test("all four verbs arrive as what they are, about the authorization that was given", async () => {
    const journal = memoryAcquirerJournal();
    const ports = { journal, clock: systemClock, log: () => {}, secret: "s3cret" };
    const acquirer = await acquirerOver(frontDoor(testAcquirer(ports)));

    const held = await acquirer.authorize({ ...order, captureLater: true });
    const reference = held.kind === "approved" ? held.reference : "";
    const about = (key: string): FollowUpOrder => ({ key, reference, amountMinor: 99n, currency: "usd" });
    const answers = [
      await acquirer.capture(about("att_2")),
      await acquirer.void(about("att_3")),
      await acquirer.refund(about("att_4")),
    ];

    expect(answers.map((answer) => answer.kind)).toEqual(["approved", "approved", "approved"]);
    expect(await journal.read("att_1")).toMatchObject({ kind: "authorize", captureLater: true, reference: null });
    const kinds = ["capture", "void", "refund"];
    for (const [index, kind] of kinds.entries()) {
      const line = await journal.read(`att_${index + 2}`);
      expect(line).toMatchObject({
        kind,
        reference,
        amountMinor: 99n,
        paymentMethodToken: null,
        result: answers[index],
      });
    }
  });

  test("a key used for another order is our bug: internal", async () => {
    const ports = {
      journal: memoryAcquirerJournal(),
      clock: systemClock,
      log: () => {},
      secret: "s3cret",
    };
    const acquirer = await acquirerOver(frontDoor(testAcquirer(ports)));
    await acquirer.authorize(order);

    await expect(acquirer.authorize({ ...order, amountMinor: 5n })).rejects.toMatchObject({ code: "internal" });
  });
});

describe("silence: nobody knows whether money moved", () => {
  test.each<[string, RequestListener]>([
    ["a connection that is cut before an answer", (request) => void request.socket.destroy()],
    [
      "a connection that is cut within the answer",
      (request, response) => {
        response.writeHead(200, { "Content-Length": "1000" }).write("{", () => request.socket.destroy());
      },
    ],
    ["status 500", answering(500, approved)],
    ["status 503", answering(503, "")],
    ["status 408 of a platform in front", answering(408, "")],
    ["status 429 of a platform in front", answering(429, "")],
    ["a success that is not 200", answering(202, approved)],
    ["no JSON", answering(200, "s3cret-card-data")],
    ["JSON that is no object", answering(200, "null")],
    ["an answer without a result", answering(200, line)],
    ["an unknown kind of result", answering(200, { ...line, result: { kind: "maybe" } })],
    ["an approval without a reference", answering(200, { ...line, result: { kind: "approved" } })],
    [
      "a decline without a code",
      answering(200, { ...line, result: { kind: "declined", message: "no", decline_code: null } }),
    ],
    ["an answer about another key", answering(200, { ...approved, key: "att_2" })],
    ["an answer about another amount", answering(200, { ...approved, amount_minor: "1" })],
    ["an answer of more than 64 KiB", answering(200, { ...approved, padding: "x".repeat(64 * 1024) })],
  ])("%s is acquirer_unknown, without a word of the answer", async (_title, listener) => {
    const failure = await failureOf(listener);

    expect(failure).toMatchObject({ name: "DomainError", code: "acquirer_unknown" });
    expect(`${failure.message} ${String(failure.cause)}`).not.toContain("card-data");
  });

  test("a server that never answers is given up at the time-out, with the cause kept", async () => {
    const failure = await failureOf(() => {}, 50);

    expect(failure).toMatchObject({ code: "acquirer_unknown", cause: { name: "TimeoutError" } });
  });

  test("a body that never ends is given up at the time-out", async () => {
    const failure = await failureOf((_request, response) => void response.writeHead(200).write("{"), 50);

    expect(failure).toMatchObject({ code: "acquirer_unknown", cause: { name: "TimeoutError" } });
  });

  test("nobody listening is acquirer_unknown", async () => {
    const baseUrl = await serve(() => {});
    servers.splice(0)[0]?.close();

    await expect(httpAcquirer({ baseUrl, secret: "s3cret", timeoutMs: 60_000 }).authorize(order)).rejects.toMatchObject(
      {
        code: "acquirer_unknown",
      },
    );
  });

  test("a redirect is not followed", async () => {
    let followed = 0;
    const elsewhere = await serve((_request, response) => {
      followed += 1;
      response.end(JSON.stringify(approved));
    });

    const failure = await failureOf(
      (_request, response) => void response.writeHead(307, { Location: elsewhere }).end(),
    );

    expect([failure.code, followed]).toEqual(["acquirer_unknown", 0]);
  });
});

test.each(["capture", "void", "refund"] as const)(
  "a %s whose answer is about another authorization is silence",
  async (verb) => {
    const about = { key: "att_2", reference: "auth_1", amountMinor: 99n, currency: "usd" } as const;
    const line = { key: "att_2", amount_minor: "99", currency: "usd", reference: "auth_1" };
    const result = { kind: "approved", reference: "x_1" };
    const right = await acquirerOver(answering(200, { ...line, result }));
    const wrong = await acquirerOver(answering(200, { ...line, reference: "auth_2", result }));

    expect(await right[verb](about)).toEqual(result);
    await expect(wrong[verb](about)).rejects.toMatchObject({ code: "acquirer_unknown" });
  },
);

describe("a definite refusal: our bug", () => {
  test.each([400, 401, 403, 404, 405, 409, 415])(
    "status %i is internal, without a word of the answer",
    async (status) => {
      const failure = await failureOf(answering(status, "card-data"));

      expect(failure).toMatchObject({
        code: "internal",
        message: `The acquirer refused the order (status ${status}).`,
      });
    },
  );
});

describe("the secret", () => {
  test("is sent as a bearer token", async () => {
    let seen: string | undefined;
    const acquirer = await acquirerOver((request, response) => {
      seen = request.headers.authorization;
      answering(200, approved)(request, response);
    });

    expect(await acquirer.authorize(order)).toEqual({ kind: "approved", reference: "auth_1" });
    expect(seen).toBe("Bearer s3cret");
  });

  test.each(["", "s3cret\n", "s3cret\u00e9"])(
    "%j cannot be sent: refused at the start, without being shown",
    (secret) => {
      const make = () => httpAcquirer({ baseUrl: "http://127.0.0.1:9", secret, timeoutMs: 1 });

      expect(make).toThrow("The acquirer's secret is empty or not printable ASCII.");
    },
  );
});

describe("the identity token of a closed acquirer", () => {
  test("travels beside the secret, in the platform's own header", async () => {
    let seen: Record<string, unknown> = {};
    const baseUrl = await serve((request, response) => {
      seen = request.headers;
      answering(200, approved)(request, response);
    });
    const acquirer = httpAcquirer({ baseUrl, secret: "s3cret", identityToken: async () => "a.b.c" });

    await acquirer.authorize(order);

    expect(seen).toMatchObject({ authorization: "Bearer s3cret", "x-serverless-authorization": "Bearer a.b.c" });
  });

  test("is not sent to an open acquirer", async () => {
    let seen: Record<string, unknown> = {};
    const acquirer = await acquirerOver((request, response) => {
      seen = request.headers;
      answering(200, approved)(request, response);
    });

    await acquirer.authorize(order);

    expect(seen).not.toHaveProperty("x-serverless-authorization");
  });

  test("that cannot be had is silence: nothing was sent, and the attempt stays open", async () => {
    const identityToken = () => Promise.reject(new Error("no metadata server"));
    const acquirer = httpAcquirer({ baseUrl: "http://127.0.0.1:9", secret: "s3cret", identityToken });

    await expect(acquirer.authorize(order)).rejects.toMatchObject({ code: "acquirer_unknown" });
  });
});
