/**
 * The events in BigQuery: the table that a subscription fills, and the views that unfold it.
 * It must never be read without the views: the table holds an event as often as it was delivered.
 */
import type { BigqueryDataset } from "@cdktf/provider-google/lib/bigquery-dataset/index.js";
import { BigqueryTable } from "@cdktf/provider-google/lib/bigquery-table/index.js";
import { Construct } from "constructs";
import { eventsQuery, paymentDaysQuery, paymentsQuery } from "../event-views.ts";
import type { Settings } from "../settings.ts";
import { ProtectedDataset } from "./protected-dataset.ts";

/** Table and views. */
export class EventWarehouse extends Construct {
  readonly dataset: BigqueryDataset;
  /** One row per delivery, as Pub/Sub writes it. */
  readonly deliveries: BigqueryTable;
  /** One row per event. */
  readonly events: BigqueryTable;
  /** One row per payment. */
  readonly payments: BigqueryTable;
  /** One row per account, day and currency. */
  readonly paymentDays: BigqueryTable;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const description = "Events of payments: the table that Pub/Sub fills, and the views over it.";
    const { dataset } = new ProtectedDataset(this, "history", settings, { name: "payments", description });
    this.dataset = dataset;
    this.deliveries = new BigqueryTable(this, "deliveries", {
      ...at(dataset, "event_deliveries"),
      description: "Every delivery of every event, with the message's metadata; duplicates are normal.",
      schema: JSON.stringify(columns),
      timePartitioning: { type: "DAY", field: "publish_time" },
      deletionProtection: settings.isProtected,
      lifecycle: { preventDestroy: settings.isProtected },
    });
    this.events = this.#view("events", {
      query: eventsQuery(nameOf(this.deliveries)),
      over: this.deliveries,
      description: "Each event once.",
    });
    this.payments = this.#view("payments", {
      query: paymentsQuery(nameOf(this.events)),
      over: this.events,
      description: "Each payment in its newest version.",
    });
    this.paymentDays = this.#view("payment_days", {
      query: paymentDaysQuery(nameOf(this.payments)),
      over: this.payments,
      description: "Payments by account, day and currency.",
    });
  }

  #view(name: string, view: { query: string; over: BigqueryTable; description: string }): BigqueryTable {
    return new BigqueryTable(this, name, {
      ...at(this.dataset, name),
      description: view.description,
      // By default a view is in the old dialect, which does not know these functions.
      view: { query: view.query, useLegacySql: false },
      // Nothing is lost with a view; protecting it would only make its query unchangeable.
      deletionProtection: false,
      // Made after what it reads from, and so destroyed before it.
      dependsOn: [view.over],
    });
  }
}

/**
 * What Pub/Sub writes without a schema of the message, keys in the order in which BigQuery returns them: the provider
 * compares text. Attributes hold the ordering key too, if there is one.
 */
const columns = [
  { name: "data", type: "JSON", mode: "NULLABLE", description: "The event, as published." },
  { name: "subscription_name", type: "STRING", mode: "NULLABLE", description: "Subscription that wrote the row." },
  { name: "message_id", type: "STRING", mode: "NULLABLE", description: "Another one for each publication." },
  { name: "publish_time", type: "TIMESTAMP", mode: "NULLABLE", description: "When it was published; the partition." },
  { name: "attributes", type: "JSON", mode: "NULLABLE", description: "Attributes of the message." },
];

function at(dataset: BigqueryDataset, tableId: string) {
  return { project: dataset.project, datasetId: dataset.datasetId, tableId };
}

/** The table as SQL names it. */
function nameOf({ project, datasetId, tableId }: BigqueryTable): string {
  return `\`${project}.${datasetId}.${tableId}\``;
}
