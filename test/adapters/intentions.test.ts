// Shows what ledger-writer makes of each answer of the dispatcher, and of none.
// It must never need the real dispatcher: its answers are written out here, and test/proof has the real one behind the same bytes.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { httpIntentions } from "../../functions/adapters/intentions.ts";
import type { Intention } from "../../functions/domain/intention.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { headerValues, jsonResponse, type WireRequest, type WireResponse } from "../../functions/edge/wire.ts";

let answer: () => WireResponse | Promise<WireResponse>;
let seen: WireRequest[] = [];
const server = createFrontDoorServer(async (request) => {
  seen.push(request);
  return await answer();
});
let baseUrl: string;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const use = { keyHash: "a".repeat(64), accountId: "acct_first", createdAtMs: 7 };
const intention: Intention = { verb: "resend_delivery", input: { deliveryId: "wd_1" } };
const carryOut = async (told: WireResponse | undefined, timeoutMs = 5_000) => {
  seen = [];
  const { promise: never } = Promise.withResolvers<never>();
  answer = () => told ?? never;
  const carrier = httpIntentions({ baseUrl, timeoutMs, identityToken: async () => "a.b.c", traceparent: () => "00-t" });
  // More than identifies the use is known of a key row, and stays here.
  return await carrier.carryOut({ ...use, owner: "secret owner" } as typeof use, intention);
};

test("a call tells who calls, the use of the key and what is wanted, and nothing else", async () => {
  await carryOut(jsonResponse(200, { status: 200, body: "e30=" }));

  const [request] = seen as [WireRequest];
  expect([request.method, request.target]).toEqual(["POST", "/carry-out"]);
  expect(headerValues(request, "authorization")).toEqual(["Bearer a.b.c"]);
  expect(headerValues(request, "traceparent")).toEqual(["00-t"]);
  expect(JSON.parse(request.body.toString())).toEqual({ ...use, intention });
});

test.each([
  ["an outcome", { status: 200, body: "e30=" }, { status: 200, body: new Uint8Array([123, 125]) }],
  ["a refusal that is stored", { status: 404, body: "e30=" }, { status: 404, body: new Uint8Array([123, 125]) }],
  ["an outcome too large to keep", { status: 200, body: null }, { status: 200, body: null }],
  ["that others are at it", { busy: true }, "busy"],
])("an answer can be %s", async (_title, told, outcome) => {
  expect(await carryOut(jsonResponse(200, told))).toEqual(outcome);
});

test.each([
  ["an error of the dispatcher's", jsonResponse(503, { error: {} }), "store_unavailable"],
  ["a caller who is not let in, which a grant may cure", jsonResponse(403, {}), "store_unavailable"],
  ["a platform that is busy", jsonResponse(429, {}), "store_unavailable"],
  ["a body that is refused as such", jsonResponse(400, {}), "internal"],
  ["an outcome that is none", jsonResponse(200, { status: 503, body: "" }), "store_unavailable"],
  ["a body that is no text", jsonResponse(200, { status: 200, body: 7 }), "store_unavailable"],
  ["no JSON", { status: 200, headers: {}, body: Buffer.from("<html>sk_test_quoted") }, "store_unavailable"],
  ["more than an answer can be", { status: 200, headers: {}, body: Buffer.alloc(3 << 20) }, "store_unavailable"],
  ["a way elsewhere", { status: 307, headers: { Location: "/health" }, body: Buffer.alloc(0) }, "store_unavailable"],
])("%s is no outcome, and no word of it is repeated", async (_title, told, code) => {
  const error = await carryOut(told).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code });
  expect(String((error as Error).message)).not.toContain("quoted");
  expect((error as Error).cause).toBeUndefined();
});

test("silence is no outcome either", async () => {
  await expect(carryOut(undefined, 50)).rejects.toMatchObject({ code: "store_unavailable" });
});
