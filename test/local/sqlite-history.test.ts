// Runs the contract of the history on the laptop's SQLite, with the very SQL that BigQuery gets.
// It must never need anything but this process.
import { historyViews } from "../../infra/history-views.ts";
import { openSqliteHistory } from "../../local/sqlite-history.ts";
import { historyContract } from "../contracts/history-contract.ts";
import { eventDelivery, payment, thatDay } from "../support/history-rows.ts";

const [deliveries, entries] = ["p.payments.event_deliveries", "p.payments_logs.log_entries"];

function open(rowsMax?: number) {
  const nameOf = (view: string) => `p.payments_history.${view}`;
  const views = historyViews({
    eventDeliveries: `\`${deliveries}\``,
    logEntries: `\`${entries}\``,
    view: (name) => `\`${nameOf(name)}\``,
    servicePrefix: "",
  }).map(({ name, query }) => ({ name: nameOf(name), query }));
  return openSqliteHistory({ tables: [deliveries, entries], views, nameOf }, rowsMax);
}

historyContract(async () => {
  const local = open();
  return {
    history: local.history,
    archive: async ({ events = [], lines = [] }) => {
      for (const delivery of events) local.write(deliveries, "to-bigquery", delivery);
      for (const delivery of lines) local.write(entries, "logs-to-bigquery", delivery);
    },
    close: async () => local.close(),
  };
});

test("drops the oldest rows when a table is full", async () => {
  const local = open(100);
  for (let index = 0; index < 400; index += 1) {
    const object = payment(`pi_${index}`, "succeeded");
    local.write(
      deliveries,
      "to-bigquery",
      eventDelivery({ account: "acct_1", event: `evt_${index}`, version: 1, object }),
    );
  }

  const [day] = await local.history.paymentDays({ accountId: "acct_1", range: thatDay, limit: 1 });

  expect(day?.payments).toBe(100);
  local.close();
});

test("says which table the plan lacks, and what SQLite cannot take", async () => {
  const local = open();
  const object = payment("pi_1", "succeeded");
  const delivery = eventDelivery({ account: "acct_1", event: "evt_1", version: 1, object });

  expect(() => local.write("p.payments.other", "to-bigquery", delivery)).toThrow("there is no table p.payments.other");
  expect(() => local.write(deliveries, "to-bigquery", { ...delivery, data: "{no json" })).toThrow(/malformed JSON/);
  local.close();
});
