// The views of the history on Google's Spanner emulator, and the history asked through them.
// It must never be taken for BigQuery itself: what only BigQuery can show is in docs/unverified.md.
import { historyBy } from "../../functions/adapters/bigquery-questions.ts";
import type { ArchivedMessage } from "../../functions/flows/history-ports.ts";
import { historyViews } from "../../infra/history-views.ts";
import type { HistoryUnderTest } from "../contracts/history-lines-contract.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";

const tableOf = (name: string) => `CREATE TABLE ${name} (
  message_id STRING(MAX) NOT NULL, data JSON, subscription_name STRING(MAX), publish_time TIMESTAMP, attributes JSON
) PRIMARY KEY (message_id)`;

/** A database with the tables of raw rows; `view` gives a view's SQL in brackets, as a table of a statement. */
export async function openHistoryOnEmulator(): Promise<
  HistoryUnderTest & { readonly store: EmulatorDatabase; view(name: string): string }
> {
  const store = await openEmulatorDatabase([tableOf("event_deliveries"), tableOf("log_entries")]);
  const view = (name: string): string => {
    const names = { eventDeliveries: "event_deliveries", logEntries: "log_entries", servicePrefix: "" };
    const found = historyViews({ ...names, view: (other) => `«${other}»` }).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no view ${name}`);
    return `(${found.query.replace(/«(\w+)»/g, (_match, other: string) => view(other))})`;
  };
  const history = historyBy(async ({ sql, params }) => {
    const [rows] = await store.database.run({ sql, params: params as Record<string, string>, json: true });
    return rows as unknown as Record<string, unknown>[];
  }, view);
  return {
    store,
    view,
    history,
    archive: async ({ events = [], lines = [] }) => {
      if (events.length > 0) await store.database.table("event_deliveries").insert(events.map(rowOf));
      if (lines.length > 0) await store.database.table("log_entries").insert(lines.map(rowOf));
    },
    close: async () => await store.close(),
  };
}

let rows = 0;

function rowOf({ messageId, publishedAtMs, data, attributes }: ArchivedMessage) {
  rows += 1;
  return {
    message_id: `${messageId}-${rows}`,
    data,
    subscription_name: "to-bigquery",
    publish_time: new Date(publishedAtMs).toISOString(),
    attributes: JSON.stringify(attributes),
  };
}
