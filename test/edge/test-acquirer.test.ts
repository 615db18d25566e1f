// Shows what the test acquirer answers to each request, right and wrong.
// It must never need a socket: the handler is a function of a request.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { type TestAcquirerPorts, testAcquirer } from "../../functions/edge/test-acquirer.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import type { AcquirerJournal } from "../../functions/flows/acquirer-ports.ts";

const order = { key: "att_1", amount_minor: "1099", currency: "usd", payment_method: "pm_card_visa" };
const bearer = { authorization: ["Bearer s3cret"] };

let handler: WireHandler;
let log: string[];
let nowMs: number;
beforeEach(() => {
  log = [];
  nowMs = 1_735_689_600_000;
  handler = testAcquirer(portsWith(memoryAcquirerJournal()));
});

function portsWith(journal: AcquirerJournal): TestAcquirerPorts {
  return {
    journal,
    clock: { now: () => nowMs, sleep: async () => {}, after: () => () => {} },
    log: (severity, message, fields) => void log.push(JSON.stringify({ severity, message, fields })),
    secret: "s3cret",
  };
}

async function call(method: string, target: string, body: unknown = "", headers: Record<string, string[]> = bearer) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const answer = await handler({ method, target, headers: new Map(Object.entries(headers)), body: bytes });
  return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.body.toString("utf8")) };
}

describe("authorizations", () => {
  test("an approved order is answered with its line, and repeating it gives the same bytes", async () => {
    const first = await call("POST", "/authorizations", order);
    nowMs += 5_000;
    const second = await call("POST", "/authorizations", order);

    expect(first).toMatchObject({
      status: 200,
      json: {
        ...order,
        kind: "authorize",
        reference: null,
        capture_later: false,
        result: { kind: "approved", reference: "auth_att_1" },
        created_at_ms: 1_735_689_600_000,
      },
    });
    expect(second).toEqual(first);
  });

  test("a decline is an answer too", async () => {
    const answer = await call("POST", "/authorizations", { ...order, payment_method: "pm_card_chargeDeclined" });

    expect(answer).toMatchObject({
      status: 200,
      json: {
        result: {
          kind: "declined",
          code: "card_declined",
          decline_code: "generic_decline",
          message: "Your card was declined.",
        },
      },
    });
  });

  test("the same key for another amount is 400 idempotency_mismatch", async () => {
    await call("POST", "/authorizations", order);

    const answer = await call("POST", "/authorizations", { ...order, amount_minor: "1100" });

    expect(answer).toMatchObject({ status: 400, json: { error: { code: "idempotency_mismatch", param: "key" } } });
  });

  test("a recorded key can be looked up, and of another one nothing is known", async () => {
    const recorded = await call("POST", "/authorizations", order);

    expect((await call("GET", "/orders/att_1")).json).toEqual({
      key: "att_1",
      state: "found",
      result: recorded.json.result,
      is_voided: false,
    });
    expect((await call("GET", "/orders/att_2")).json).toEqual({ key: "att_2", state: "none" });
  });

  test.each([
    ["no JSON", "{", "body_invalid", undefined],
    ["an array", [], "body_invalid", undefined],
    ["null", "null", "body_invalid", undefined],
    ["no key", { ...order, key: undefined }, "parameter_missing", "key"],
    ["a key with a slash", { ...order, key: "a/b" }, "parameter_invalid", "key"],
    ["a key of 256 characters", { ...order, key: "k".repeat(256) }, "parameter_invalid", "key"],
    ["an amount as a number", { ...order, amount_minor: 1099 }, "parameter_invalid", "amount_minor"],
    ["an amount of zero", { ...order, amount_minor: "0" }, "parameter_invalid", "amount_minor"],
    ["a negative amount", { ...order, amount_minor: "-1" }, "parameter_invalid", "amount_minor"],
    ["an amount of 16 digits", { ...order, amount_minor: "1".repeat(16) }, "parameter_invalid", "amount_minor"],
    ["an unknown currency", { ...order, currency: "xxx" }, "parameter_invalid", "currency"],
    [
      "an unknown payment method",
      { ...order, payment_method: "pm_card_unheardOf" },
      "parameter_invalid",
      "payment_method",
    ],
    ["a hold that is neither true nor false", { ...order, capture_later: "yes" }, "parameter_invalid", "capture_later"],
    ["a reference", { ...order, reference: "auth_att_1" }, "parameter_unknown", undefined],
    ["a member too much", { ...order, capture: "no" }, "parameter_unknown", undefined],
    ["a member of the prototype", '{"__proto__":{"key":"att_1"}}', "parameter_unknown", undefined],
  ])("%s is 400 and leaves no line", async (_title, body, code, param) => {
    const answer = await call("POST", "/authorizations", body);

    expect(answer).toMatchObject({ status: 400, json: { error: { code } } });
    expect(answer.json.error.param).toBe(param);
    expect((await call("GET", "/journal")).json).toEqual({ data: [] });
  });
});

describe("captures, voids and refunds", () => {
  const about = { key: "att_2", amount_minor: "99", currency: "usd", reference: "auth_att_1" };
  const verbs = [
    ["/captures", "capture"],
    ["/voids", "void"],
    ["/refunds", "refund"],
  ] as const;

  test.each(verbs)(
    "%s takes an order about an authorization, and repeating it gives the same bytes",
    async (path, kind) => {
      await call("POST", "/authorizations", { ...order, capture_later: "true" });
      const first = await call("POST", path, about);
      nowMs += 5_000;

      expect(first).toMatchObject({
        status: 200,
        json: {
          ...about,
          kind,
          payment_method: null,
          capture_later: false,
          result: { kind: "approved", reference: `${kind}_att_2` },
        },
      });
      expect(await call("POST", path, about)).toEqual(first);
      expect((await call("GET", "/journal")).json.data).toHaveLength(2);
    },
  );

  test("a refund that the bank will not take in the end is accepted at first, and refused by the time it is due", async () => {
    await call("POST", "/authorizations", { ...order, payment_method: "pm_card_refundFail" });

    expect((await call("POST", "/refunds", about)).json.result).toMatchObject({ kind: "pending" });
    nowMs += 9_999;
    expect((await call("GET", "/orders/att_2")).json.result).toMatchObject({ kind: "pending" });
    nowMs += 1;
    expect((await call("GET", "/orders/att_2")).json.result).toMatchObject({ kind: "declined", code: "refund_failed" });
    expect((await call("POST", "/captures", { ...about, key: "att_3" })).json.result.kind).toBe("approved");
  });

  test("one key is one order: another verb under it is 400 idempotency_mismatch", async () => {
    await call("POST", "/authorizations", order);
    await call("POST", "/captures", about);

    expect(await call("POST", "/voids", about)).toMatchObject({
      status: 400,
      json: { error: { code: "idempotency_mismatch", param: "key" } },
    });
  });

  test.each<[string, object, string, string | undefined]>([
    ["no reference", { ...about, reference: undefined }, "parameter_missing", "reference"],
    ["a reference that was never given", { ...about, reference: "auth_att_9" }, "parameter_invalid", "reference"],
    ["the reference of a decline", { ...about, reference: "auth_att_0" }, "parameter_invalid", "reference"],
    ["a payment method", { ...about, payment_method: "pm_card_visa" }, "parameter_unknown", undefined],
    ["a hold", { ...about, capture_later: "true" }, "parameter_unknown", undefined],
    ["an amount of zero", { ...about, amount_minor: "0" }, "parameter_invalid", "amount_minor"],
  ])("%s is 400 and leaves no line", async (_title, body, code, param) => {
    await call("POST", "/authorizations", order);
    await call("POST", "/authorizations", { ...order, key: "att_0", payment_method: "pm_card_chargeDeclined" });

    for (const [path] of verbs) {
      const answer = await call("POST", path, body);
      expect(answer).toMatchObject({ status: 400, json: { error: { code } } });
      expect(answer.json.error.param).toBe(param);
    }
    expect((await call("GET", "/journal")).json.data).toHaveLength(2);
  });
});

describe("the journal", () => {
  test("is newest first, as long as asked", async () => {
    for (const key of ["att_1", "att_2", "att_3"]) {
      await call("POST", "/authorizations", { ...order, key });
      nowMs += 1;
    }

    const { json } = await call("GET", "/journal?limit=2");

    expect(json.data.map((line: { key: string }) => line.key)).toEqual(["att_3", "att_2"]);
  });

  test.each(["0", "1001", "-1", "1e3", ""])("a limit of %j is 400", async (limit) => {
    expect(await call("GET", `/journal?limit=${limit}`)).toMatchObject({
      status: 400,
      json: { error: { param: "limit" } },
    });
  });
});

describe("who may ask", () => {
  test("health is open to all", async () => {
    expect(await call("GET", "/health", "", {})).toMatchObject({ status: 200, json: { status: "ok" } });
  });

  test.each([
    ["no header", {}],
    ["a wrong secret", { authorization: ["Bearer s3creT"] }],
    ["the secret with more behind it", { authorization: ["Bearer s3cret "] }],
    ["another scheme", { authorization: ["Basic s3cret"] }],
    ["two headers", { authorization: ["Bearer s3cret", "Bearer s3cret"] }],
    ["an empty secret", { authorization: ["Bearer "] }],
  ])("%s is 401 everywhere else, unknown paths included", async (_title, headers) => {
    for (const target of [
      "/authorizations",
      "/captures",
      "/voids",
      "/refunds",
      "/orders/att_1",
      "/key-voids",
      "/journal",
      "/nowhere",
    ]) {
      const answer = await call("GET", target, "", headers);
      expect(answer).toMatchObject({ status: 401, json: { error: { code: "unauthorized" } } });
      expect(JSON.stringify(answer)).not.toContain("s3cret");
    }
  });

  test("an empty secret of its own is refused at the start", () => {
    expect(() => testAcquirer({ ...portsWith(memoryAcquirerJournal()), secret: "" })).toThrow("needs a secret");
  });
});

describe("what is not there or does not work", () => {
  test.each([
    ["GET", "/authorizations", "POST"],
    ["GET", "/captures", "POST"],
    ["GET", "/refunds", "POST"],
    ["POST", "/journal", "GET"],
    ["DELETE", "/orders/att_1", "GET"],
    ["GET", "/key-voids", "POST"],
    ["POST", "/health", "GET"],
  ])("%s %s is 405 and says what is allowed", async (method, target, allowed) => {
    expect(await call(method, target)).toMatchObject({ status: 405, headers: { Allow: allowed } });
  });

  test.each(["/", "/authorizations/", "/authorizations/att_1", "/orders/a/b", "/orders/%2e"])(
    "%s is 404",
    async (target) => {
      expect(await call("GET", target)).toMatchObject({ status: 404, json: { error: { code: "route_unknown" } } });
    },
  );

  test("a failing journal is 503, and the log says why", async () => {
    const fails = async () => {
      throw refuse("store_unavailable", "Firestore did not do what was asked (gRPC code 14).");
    };
    handler = testAcquirer(portsWith({ record: fails, read: fails, list: fails, between: fails }));

    expect(await call("POST", "/authorizations", order)).toMatchObject({
      status: 503,
      json: { error: { code: "store_unavailable" } },
    });
    expect(log.join()).toContain("gRPC code 14");
    expect(log.join()).not.toContain("s3cret");
  });
});
