// The front of a function: who gets through, by which header, and what then reaches the function.
import type { WireRequest } from "../../functions/edge/wire.ts";
import { jsonResponse } from "../../functions/edge/wire.ts";
import { movableClock } from "../../local/movable-clock.ts";
import { plannedFunction } from "../../local/plan.ts";
import { platformFront } from "../../local/platform-front.ts";
import { rightsOf } from "../../local/rights.ts";
import { tokenIssuer } from "../../local/token-issuer.ts";
import { planned } from "./planned.ts";

const url = "https://ledger-writer.function.invalid";
const schedule = "ledger-schedule@local-project.iam.gserviceaccount.com";

// Here and not in a test: the first synthesis of a process takes seconds.
const plan = planned();

async function open(name: "ledger-writer" | "payments-api" = "ledger-writer") {
  const issuer = await tokenIssuer(movableClock());
  const refusals: string[] = [];
  const arrived: WireRequest[] = [];
  const front = platformFront(
    { rights: rightsOf(plan, (message) => refusals.push(message)), issuer },
    plannedFunction(plan, name),
    async (request) => {
      arrived.push(request);
      return jsonResponse(200, {});
    },
  );
  const call = async (headers: Record<string, string>) => {
    const lines = Object.entries({ host: "127.0.0.1:4242", ...headers }).map(([key, value]) => [key, [value]] as const);
    const response = await front({
      method: "POST",
      target: "/complete",
      headers: new Map(lines),
      body: Buffer.from("x"),
    });
    return { status: response.status, message: JSON.parse(response.body.toString()).error?.message };
  };
  const token = (account = schedule, audience = url) => `Bearer ${issuer.issue({ account, audience })}`;
  return { call, token, arrived, refusals, issuer };
}

describe("the front of a closed function", () => {
  test("lets in whom a grant names, takes the signature off and keeps the Host that the token is for", async () => {
    const { call, token, arrived } = await open();
    const sent = token();

    expect(await call({ authorization: sent })).toEqual({ status: 200, message: undefined });
    expect(arrived[0]?.headers.get("authorization")).toEqual([
      `${sent.slice(0, sent.lastIndexOf("."))}.SIGNATURE_REMOVED_BY_GOOGLE`,
    ]);
    expect(arrived[0]?.headers.get("host")).toEqual(["ledger-writer.function.invalid"]);
    expect(arrived[0]?.body.toString()).toBe("x");
  });

  test("takes the token from its own header and leaves Authorization to the application", async () => {
    const { call, token, arrived } = await open();

    const answer = await call({ authorization: "Bearer sk_test_key", "x-serverless-authorization": token() });

    expect(answer.status).toBe(200);
    expect(arrived[0]?.headers.get("authorization")).toEqual(["Bearer sk_test_key"]);
    expect(arrived[0]?.headers.get("x-serverless-authorization")?.[0]).toMatch(/\.SIGNATURE_REMOVED_BY_GOOGLE$/);
  });

  test("refuses who has no token, and names the role that would let everybody in", async () => {
    const { call, arrived, refusals } = await open();

    const message = expect.stringMatching(
      /^PERMISSION_DENIED: allUsers lacks run\.routes\.invoke on \S+\/ledger-writer; a grant of roles\/run\.invoker would give it\.$/,
    );
    expect(await call({})).toEqual({ status: 403, message });
    expect([arrived, refusals]).toEqual([[], [message]]);
  });

  test("takes an application's key for no token", async () => {
    const { call, refusals } = await open();

    expect((await call({ authorization: "Bearer sk_test_key" })).status).toBe(403);
    expect(refusals).toHaveLength(1);
  });

  test("refuses an account without a grant, and names the role", async () => {
    const { call, token, arrived } = await open();

    expect(await call({ authorization: token("other@local-project.iam.gserviceaccount.com") })).toEqual({
      status: 403,
      message: expect.stringMatching(
        /^PERMISSION_DENIED: serviceAccount:other@\S+ lacks run\.routes\.invoke on \S+\/ledger-writer; a grant of roles\/run\.invoker/,
      ),
    });
    expect(arrived).toEqual([]);
  });

  test.each([
    ["for another service", "https://payments-api.function.invalid"],
    ["for its URL with a path", `${url}/complete`],
    ["for its address on this machine", "http://127.0.0.1:4242"],
  ])("refuses a token %s", async (_title, audience) => {
    const { call, token, arrived } = await open();

    expect((await call({ authorization: token(schedule, audience) })).status).toBe(401);
    expect(arrived).toEqual([]);
  });

  test("refuses a forged token even beside a good one in the other header", async () => {
    const { call, token } = await open();
    const forged = `${token().split(".").slice(0, 2).join(".")}.AAAA`;

    expect((await call({ authorization: forged })).status).toBe(401);
    expect((await call({ authorization: token(), "x-serverless-authorization": forged })).status).toBe(401);
  });
});

describe("the front of a public function", () => {
  test("passes everything on as it is", async () => {
    const { call, arrived, token } = await open("payments-api");
    const sent = token(schedule, "https://elsewhere.example");

    const statuses = [
      (await call({ authorization: "Bearer sk_test_key" })).status,
      (await call({ authorization: sent })).status,
    ];

    expect(statuses).toEqual([200, 200]);
    expect(arrived.map(({ headers }) => headers.get("authorization")?.[0])).toEqual(["Bearer sk_test_key", sent]);
    expect(arrived[1]?.headers.get("host")).toEqual(["127.0.0.1:4242"]);
  });
});
