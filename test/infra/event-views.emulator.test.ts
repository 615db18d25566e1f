// Tries the views' SQL on Google's Spanner emulator, whose GoogleSQL has the functions that BigQuery's has, and the
// contract of the history through them. It must never be taken for BigQuery itself: see docs/unverified.md.
import { historyContract } from "../contracts/history-contract.ts";
import { eventDelivery, noonMs, payment } from "../support/history-rows.ts";
import { openHistoryOnEmulator } from "./history-on-emulator.ts";

let opened: Awaited<ReturnType<typeof openHistoryOnEmulator>>;

beforeAll(async () => {
  opened = await openHistoryOnEmulator();
});
afterAll(async () => await opened?.close());

async function rowsOf(view: string, account: string): Promise<Record<string, unknown>[]> {
  const sql = `SELECT * FROM ${opened.view(view)} WHERE account_id = @account`;
  const [rows] = await opened.store.database.run({ sql, params: { account }, json: true });
  return rows as unknown as Record<string, unknown>[];
}

describe("the history asked through its views", () => {
  historyContract(async () => ({ ...opened, close: async () => {} }));
});

describe("the view of events", () => {
  test("shows an event once, however often it came, with the first time and the number of copies", async () => {
    const paid = { account: "acct_v1", event: "evt_v1", version: 2, atMs: noonMs + 2_000 };
    const object = payment("pi_v1", "succeeded");
    await opened.archive({
      events: [
        eventDelivery({ ...paid, object, publishedAtMs: noonMs + 5_000 }),
        eventDelivery({ ...paid, object, publishedAtMs: noonMs + 1_000 }),
        eventDelivery({ ...paid, event: "evt_v2", version: 1, type: "payment_intent.created", object }),
      ],
    });

    const rows = (await rowsOf("events", "acct_v1")).sort((a, b) =>
      String(a["event_id"]).localeCompare(String(b["event_id"])),
    );

    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      event_id: "evt_v1",
      type: "payment_intent.succeeded",
      account_id: "acct_v1",
      object_type: "payment_intent",
      object_id: "pi_v1",
      object_version: 2,
      amount_minor: 1500,
      currency: "usd",
      request_id: "req_1",
      copies: 2,
    });
    expect(new Date(String(rows[0]?.["first_published_at"])).toISOString()).toBe("2027-01-15T12:00:01.000Z");
    expect(new Date(String(rows[0]?.["occurred_at"])).toISOString()).toBe("2027-01-15T12:00:02.000Z");
  });

  test("shows no secret of the buyer and no key of the client", async () => {
    const object = payment("pi_v3", "succeeded");
    await opened.archive({ events: [eventDelivery({ account: "acct_v3", event: "evt_v3", version: 1, object })] });

    const rows = await rowsOf("events", "acct_v3");

    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/secret|order-7/);
  });
});

describe("the view of days", () => {
  test("gives the share of payments that succeeded", async () => {
    const about = (event: string, status: string) =>
      eventDelivery({ account: "acct_v4", event, version: 1, object: payment(`pi_${event}`, status) });
    await opened.archive({ events: [about("evt_v4", "succeeded"), about("evt_v5", "canceled")] });

    expect(await rowsOf("payment_days", "acct_v4")).toMatchObject([{ payments: 2, success_rate: 0.5 }]);
  });
});
