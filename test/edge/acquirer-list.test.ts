// The acquirer's list over HTTP's bytes: what the client asks and reads is what the journal holds, page by page.
// It must never need a socket: the handler is a function of a request.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { manualClock } from "../support/manual-clock.ts";

const beginMs = Date.UTC(2026, 0, 15, 12);

async function openNetwork() {
  const [journal, clock] = [memoryAcquirerJournal(), manualClock(beginMs)];
  const ports = { journal, clock, log: () => {} };
  const network = networkOver(ports);
  const handler = testAcquirer({ ...ports, secret: "s3cret" });
  const get = async (query: string) => {
    const headers = new Map([["authorization", ["Bearer s3cret"]]]);
    const answer = await handler({ method: "GET", target: `/orders?${query}`, headers, body: Buffer.alloc(0) });
    return { status: answer.status, json: JSON.parse(answer.body.toString("utf8")) };
  };
  const pay = async (key: string, paymentMethodToken = "pm_card_visa") => {
    const money = { amountMinor: 1_099n, currency: "usd" } as const;
    const more = { captureLater: false, challengeReturnUrl: null, authentication: null };
    return await network.authorize({ key, ...money, paymentMethodToken, ...more });
  };
  return { network, clock, get, pay };
}

const span = `from_ms=${beginMs}&before_ms=${beginMs + 1_000}`;

describe("the acquirer's list", () => {
  test("shows each order as it stands now, and nothing beside the orders", async () => {
    const { network, clock, get, pay } = await openNetwork();
    await pay("att_paid");
    await clock.advance(1);
    await pay("att_declined", "pm_card_chargeDeclined");
    await clock.advance(1);
    await pay("att_let_go");
    await network.voidKey({ key: "att_let_go", amountMinor: 1_099n, currency: "usd" });
    await clock.advance(1);
    await network.refund({ key: "att_back", reference: "auth_att_paid", amountMinor: 100n, currency: "usd" });

    const { status, json } = await get(`${span}&limit=100`);

    const order = { kind: "authorize", amount_minor: "1099", currency: "usd", state: "found", is_voided: false };
    expect([status, json.next]).toEqual([200, null]);
    expect(json.data).toMatchObject([
      { ...order, key: "att_paid", created_at_ms: beginMs, result: { kind: "approved", reference: "auth_att_paid" } },
      { ...order, key: "att_declined", created_at_ms: beginMs + 1, result: { kind: "declined" } },
      { ...order, key: "att_let_go", created_at_ms: beginMs + 2, is_voided: true },
      { ...order, kind: "refund", key: "att_back", amount_minor: "100", created_at_ms: beginMs + 3 },
    ]);
    expect(json.data).toHaveLength(4);
  });

  test("goes on behind a page, however short the lines beside the orders make it", async () => {
    const { network, get, pay } = await openNetwork();
    for (const key of ["att_1", "att_2", "att_3"]) {
      await pay(key);
      await network.voidKey({ key, amountMinor: 1_099n, currency: "usd" });
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await get(`${span}&limit=1${cursor}`);
      seen.push(...json.data.map(({ key }: { key: string }) => key));
      cursor = json.next === null ? "" : `&cursor=${json.next}`;
    } while (cursor !== "");
    expect(seen).toEqual(["att_1", "att_2", "att_3"]);
  });

  test.each([
    ["from_ms", "before_ms=2&limit=1"],
    ["before_ms", "from_ms=1&before_ms=x&limit=1"],
    ["limit", "from_ms=1&before_ms=2"],
    ["limit", "from_ms=1&before_ms=2&limit=0"],
    ["limit", "from_ms=1&before_ms=2&limit=101"],
    ["cursor", "from_ms=1&before_ms=2&limit=1&cursor=att_none"],
  ])("refuses a wrong %s by name", async (param, query) => {
    const { get } = await openNetwork();
    expect(await get(query)).toMatchObject({ status: 400, json: { error: { code: "parameter_invalid", param } } });
  });
});
