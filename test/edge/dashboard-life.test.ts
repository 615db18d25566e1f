// Shows what the dashboard tells of the past: the overview, the timeline of a payment, the life of a key, the books' health.
// It must never trust that a question named the right account: another merchant's history lies beside the visitor's own.

import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { type DashboardWorld, openDashboard } from "../support/dashboard.ts";
import { archiveDays, archiveKey } from "../support/dashboard-past.ts";
import { settled } from "../support/patience.ts";
import { apiKeys, beginMs, countRows, payForm } from "../support/world.ts";

let dash: DashboardWorld;
let visitor: ReturnType<DashboardWorld["visitor"]>;
beforeEach(async () => {
  dash = await openDashboard();
  visitor = dash.visitor();
  await visitor.signIn();
});

const down = { at: "before", act: "throw", error: new Error("secret words of a store") } as const;
const wordsOf = (text: string) => text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
const page = async (target: string) => wordsOf((await visitor.get(target)).text);

describe("the overview", () => {
  test("adds up the days of the signed-in account alone, each currency by itself", async () => {
    archiveDays(dash.archive, "acct_first", beginMs, 5);
    const mine = await page("/");
    archiveDays(dash.archive, "acct_second", beginMs, 5);

    expect(await page("/")).toBe(mine);
    expect(mine).toMatch(/Payments per day \d+ payments were made, \d+ of them succeeded\./);
    expect(mine).toMatch(/Received (?:USD [\d,.]+, EUR [\d,.]+|EUR [\d,.]+, USD [\d,.]+)/);
    for (const part of [
      "Conversion",
      "generic decline",
      "Refund rate",
      "Time to the receiver",
      "Executions saved",
      "invoice",
    ])
      expect(mine).toContain(part);
    // Each drawing has its numbers as a table too.
    const { text } = await visitor.get("/?days=7");
    expect(text.match(/<svg class="plot"/g)).toHaveLength(6);
    expect(text.match(/<summary>The numbers/g)).toHaveLength(6);
  });

  test("of a new account says in each part that there was nothing", async () => {
    const words = await page("/");

    for (const part of [
      "No payments were made",
      "Nothing was declined",
      "No money was captured",
      "No webhook was sent",
    ])
      expect(words).toContain(part);
    expect(words).not.toContain("NaN");
  });

  test.each(["'; DROP TABLE payments; --", "1e9", "-1", "%00"])("takes %s for a span as none at all", async (days) => {
    const { status, text } = await visitor.get(`/?days=${encodeURIComponent(days)}`);

    expect([status, text.includes('<a href="/?days=30" aria-current="true">')]).toEqual([200, true]);
  });

  test("without its history is a page that says so, and tells nobody why", async () => {
    dash.history.disturbAll(down);
    const { status, text } = await visitor.get("/");

    expect([status, text.match(/The history cannot be reached\./g)?.length]).toEqual([200, 6]);
    expect(text + dash.logged.join()).not.toContain("secret words");
  });

  test("with a slow history is there after eight seconds", async () => {
    dash.history.disturbAll({ at: "before", act: "wait", until: new Promise(() => {}) });
    const loading = visitor.get("/");
    await dash.world.clock.advance(8_000);

    expect((await loading).text).toContain("The history did not answer in time.");
  });
});

describe("a payment's page", () => {
  test("tells its story, its attempts, and entries whose debits equal their credits", async () => {
    const { json } = await dash.world.post("/v1/payment_intents", payForm, { key: "order-1" });
    const words = await page(`/payments/${json.id}`);

    expect(words).toMatch(/Attempt att_\w+ began: authorize 2000 usd/);
    expect(words).toMatch(/acquirer receivable USD 20\.00 merchant payable USD 19\.\d\d platform fees USD 0\.\d\d/);
    expect(words).toContain("debits equal credits");
    expect(words).toContain("payment_intent.succeeded");
    expect((await visitor.get(`/payments/${json.id}`)).text).not.toContain(json.client_secret);
  });
});

describe("the inspector", () => {
  const find = async (key: string) => await visitor.post("/keys", { form_token: await visitor.formToken(), key });

  test("shows a key's life and who came with it, under the name that logs have for it", async () => {
    const sent = { key: "order 1/ü" };
    await dash.world.post("/v1/payment_intents", payForm, sent);
    const keyId = keyIdentity("acct_first", false, sent.key);
    archiveKey(dash.archive, "acct_first", keyId, beginMs);

    const found = await find(sent.key);
    const words = await page(found.location);

    expect(found.location).toBe(`/keys/${keyId}`);
    expect(words).toContain("1 did the work, 1 got the first answer again, 1 were turned away.");
    expect(words).toMatch(/State completed Request POST \/v1\/payment_intents/);
    expect(words).toContain("The answer 200 was kept");
    expect((await visitor.get(found.location)).text).toContain(
      'href="https://traces.example/0af7651916cd43dd8448eb211c80319c"',
    );
  });

  test("shows nothing of another account's key of the same name, whatever address is asked for", async () => {
    await dash.world.post("/v1/payment_intents", payForm, { key: "order-1", apiKey: apiKeys.second });
    const foreign = keyIdentity("acct_second", false, "order-1");
    archiveKey(dash.archive, "acct_second", foreign, beginMs);

    for (const target of [(await find("order-1")).location, `/keys/${foreign}`]) {
      const words = await page(target);
      expect(words).toContain("No request of yours has left a key like this");
      expect(words).toContain("The logs know no request with it yet.");
      expect(words).not.toContain("req_0");
    }
  });

  test.each([
    ["/keys/1%27%20OR%20%271%27%3D%271", 404],
    [`/keys/${"f".repeat(63)}`, 404],
    [`/keys/${"f".repeat(64)}?before=1%27%20OR%201%3D1`, 200],
    [`/keys/${"f".repeat(64)}?before=${"9".repeat(400)}`, 200],
    ["/keys/..%2f..%2fv1%2faccount", 404],
  ])("is not led astray by %s", async (target, status) => {
    const seen = await visitor.get(target);

    expect(seen.status).toBe(status);
    expect(dash.logged.filter((line) => line.includes("ERROR"))).toEqual([]);
  });

  test.each([
    ["nothing", "", "Write the key."],
    ["256 characters", "k".repeat(256), "A key has at most 255 characters."],
  ])("asks again for %s", async (_title, key, sentence) => {
    const { status, text } = await find(key);

    expect([status, text.includes(sentence)]).toEqual([400, true]);
  });
});

describe("the ledger's page", () => {
  test("shows the account's own sums, and when the whole ledger was last verified", async () => {
    await dash.world.post("/v1/payment_intents", payForm);
    await dash.world.post("/v1/payment_intents", payForm.replace("2000", "999900"), { apiKey: apiKeys.second });
    archiveDays(dash.archive, "acct_first", beginMs, 5);
    const words = await page("/ledger");

    expect(words).toContain("USD USD 20.00 USD 20.00 USD 0.00");
    expect(words).toMatch(/2026-01-15 11:00:00 UTC books verified sound/);
    expect(words).not.toContain("9,999");
  });
});

describe("the crash tour", () => {
  const walk = async (stop: string, once = "A".repeat(24)) => {
    const form = { form_token: await visitor.formToken(), stop, once };
    return await settled(dash.world.clock, visitor.post("/tour", form));
  };

  test.each([
    ["lose-answer", "No answer."],
    ["crash-after-t1", "No answer."],
    ["crash-after-acquirer", "No answer."],
    ["run-twice", "HTTP 200"],
  ])("at the stop %s makes one payment, moves money once, and leads to the key that says why", async (stop, first) => {
    const { status, text } = await walk(stop);
    await walk(stop);

    const words = wordsOf(text);
    expect([status, words.includes(`The first failed ${first}`) || words.includes(`The first ${first}`)]).toEqual([
      200,
      true,
    ]);
    expect(words).toMatch(/The retry HTTP 200/);
    expect(countRows(dash.world)).toMatchObject({ intents: 1, charges: 1, bookings: 1, keys: 1 });
    expect(await dash.world.journal.list(10)).toHaveLength(1);
    const [, keyId] = /href="\/keys\/([0-9a-f]{64})"/.exec(text) ?? [];
    expect(await page(`/keys/${keyId}`)).toContain("What happened");
  });

  test("is not there where the stage has none, nor a stop that nobody knows", async () => {
    expect((await walk("drop-tables")).status).toBe(400);
    const prod = await openDashboard({ hasTour: false });
    const other = prod.visitor();
    await other.signIn();
    const form = { form_token: await other.formToken(), stop: "run-twice", once: "A".repeat(24) };

    expect([(await other.get("/tour")).status, (await other.post("/tour", form)).status]).toEqual([404, 404]);
    expect((await other.get("/")).text).not.toContain("/tour");
    expect(countRows(prod.world).intents).toBe(0);
  });
});
