// Tries the views' SQL on Google's Spanner emulator, whose GoogleSQL has the functions that BigQuery's has.
// It must never be taken for BigQuery itself: types of the subscription's columns are in docs/unverified.md.
import { eventAttributes } from "../../functions/config.ts";
import { eventsQuery, paymentDaysQuery, paymentsQuery } from "../../infra/event-views.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";

const table = `CREATE TABLE event_deliveries (
  delivery INT64 NOT NULL, data JSON, subscription_name STRING(MAX), message_id STRING(MAX), publish_time TIMESTAMP,
  attributes JSON
) PRIMARY KEY (delivery)`;

type Delivery = {
  event: string;
  type?: string;
  intent?: string;
  version: number;
  status: string;
  received?: number;
  currency?: string;
  createdSeconds?: number;
  publishedAt?: string;
};

const noon = Date.UTC(2027, 0, 15, 12) / 1000;
let store: EmulatorDatabase;
let deliveries = 0;

beforeAll(async () => {
  store = await openEmulatorDatabase([table]);
});
afterAll(async () => await store?.close());
beforeEach(async () => {
  await store.database
    .table("event_deliveries")
    .deleteRows(Array.from({ length: deliveries }, (_, index) => [index + 1]));
  deliveries = 0;
});

async function deliver(given: Delivery): Promise<void> {
  const { event, type = "payment_intent.succeeded", intent = "pi_1", received = 0, currency = "usd" } = given;
  const data = {
    id: event,
    object: "event",
    type,
    created: noon + given.version,
    request: { id: "req_1", idempotency_key: "order-7" },
    data: {
      object: {
        id: intent,
        object: "payment_intent",
        created: given.createdSeconds ?? noon,
        status: given.status,
        amount: 1500,
        amount_received: received,
        currency,
        client_secret: "pi_1_secret_abc",
      },
    },
  };
  const attributes = { [eventAttributes.account]: "acct_1", [eventAttributes.objectVersion]: String(given.version) };
  deliveries += 1;
  await store.database.table("event_deliveries").insert({
    delivery: deliveries,
    data: JSON.stringify(data),
    subscription_name: "payment-events-to-bigquery",
    message_id: String(deliveries),
    publish_time: given.publishedAt ?? "2027-01-15T12:00:00Z",
    attributes: JSON.stringify(attributes),
  });
}

async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const [rows] = await store.database.run({ sql, json: true });
  return rows as unknown as Record<string, unknown>[];
}

const events = () => ask(eventsQuery("event_deliveries"));
const payments = () => ask(paymentsQuery(`(${eventsQuery("event_deliveries")})`));
const days = () => ask(paymentDaysQuery(`(${paymentsQuery(`(${eventsQuery("event_deliveries")})`)})`));

describe("the view of events", () => {
  test("shows an event once, however often it came, with the first time and the number of copies", async () => {
    await deliver({ event: "evt_1", version: 2, status: "succeeded", publishedAt: "2027-01-15T12:00:05Z" });
    await deliver({ event: "evt_1", version: 2, status: "succeeded", publishedAt: "2027-01-15T12:00:01Z" });
    await deliver({ event: "evt_2", version: 1, status: "processing", type: "payment_intent.created" });

    const rows = (await events()).sort((a, b) => String(a["event_id"]).localeCompare(String(b["event_id"])));

    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      event_id: "evt_1",
      type: "payment_intent.succeeded",
      account_id: "acct_1",
      object_type: "payment_intent",
      object_id: "pi_1",
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
    await deliver({ event: "evt_1", version: 1, status: "succeeded" });

    expect(JSON.stringify(await events())).not.toMatch(/secret|order-7/);
  });
});

describe("the view of payments", () => {
  test("shows the newest version, also when an older one arrives last", async () => {
    await deliver({ event: "evt_2", version: 2, status: "succeeded", received: 1500 });
    await deliver({ event: "evt_1", version: 1, status: "processing" });
    await deliver({ event: "evt_1", version: 1, status: "processing" });

    expect(await payments()).toEqual([
      expect.objectContaining({
        payment_intent_id: "pi_1",
        account_id: "acct_1",
        status: "succeeded",
        amount_received_minor: 1500,
        version: 2,
      }),
    ]);
  });
});

describe("the view of days", () => {
  test("counts each payment once, by the day in UTC on which it was created, and by currency", async () => {
    const lateSeconds = Date.UTC(2027, 0, 15, 23, 59) / 1000;
    await deliver({ event: "evt_1", version: 2, status: "succeeded", received: 1500, createdSeconds: lateSeconds });
    await deliver({ event: "evt_1", version: 2, status: "succeeded", received: 1500, createdSeconds: lateSeconds });
    await deliver({ event: "evt_2", intent: "pi_2", version: 1, status: "canceled" });
    await deliver({ event: "evt_3", intent: "pi_3", version: 1, status: "succeeded", received: 900, currency: "eur" });

    const rows = (await days()).sort((a, b) => String(a["currency"]).localeCompare(String(b["currency"])));

    expect(rows).toMatchObject([
      { currency: "eur", payments: 1, succeeded: 1, received_minor: 900, success_rate: 1 },
      { currency: "usd", payments: 2, succeeded: 1, canceled: 1, received_minor: 1500, success_rate: 0.5 },
    ]);
    for (const row of rows) expect(new Date(String(row["day"])).toISOString()).toBe("2027-01-15T00:00:00.000Z");
  });
});
