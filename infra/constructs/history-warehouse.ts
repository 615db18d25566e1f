/**
 * The history in BigQuery: two tables that subscriptions fill, of events and of log lines, and the views that unfold them.
 * It must never be read without the views: a table holds a message as often as it was delivered, and holds all of it.
 */
import type { BigqueryDataset } from "@cdktf/provider-google/lib/bigquery-dataset/index.js";
import { BigqueryDatasetAccessA } from "@cdktf/provider-google/lib/bigquery-dataset-access/index.js";
import { BigqueryTable } from "@cdktf/provider-google/lib/bigquery-table/index.js";
import { Construct } from "constructs";
import { historyViews } from "../history-views.ts";
import { named, type Settings } from "../settings.ts";
import { ProtectedDataset } from "./protected-dataset.ts";

/** Tables in a dataset each, and the views in one of their own, which alone is shown to readers. */
export class HistoryWarehouse extends Construct {
  /** One row per delivery of an event, as Pub/Sub writes it. */
  readonly eventDeliveries: BigqueryTable;
  /** One row per delivery of a log line. */
  readonly logEntries: BigqueryTable;
  /** Where the views are. */
  readonly views: BigqueryDataset;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const datasetOf = (datasetId: string, name: string, description: string) =>
      new ProtectedDataset(this, datasetId, settings, { name, description }).dataset;
    const events = datasetOf("raw-events", "payments", "Events of payments as Pub/Sub delivered them.");
    const logs = datasetOf("raw-logs", "payments-logs", "Log lines of the functions as Pub/Sub delivered them.");
    this.views = datasetOf(
      "shown",
      "payments-history",
      "Events and log lines, each once, and what is counted from them.",
    );
    this.eventDeliveries = messageTable(this, settings, events, {
      name: "event_deliveries",
      description: "Every delivery of every event, with the message's metadata; duplicates are normal.",
    });
    this.logEntries = messageTable(this, settings, logs, {
      name: "log_entries",
      description: "Every delivery of every log line, with the message's metadata; duplicates are normal.",
    });
    for (const dataset of [events, logs]) authorize(this, dataset, this.views);
    this.#makeViews(settings);
  }

  #makeViews(settings: Settings): void {
    const made = new Map<string, BigqueryTable>();
    const views = historyViews({
      eventDeliveries: nameOf(this.eventDeliveries),
      logEntries: nameOf(this.logEntries),
      view: (name) => `\`${this.views.project}.${this.views.datasetId}.${name}\``,
      servicePrefix: named(settings, ""),
    });
    for (const { name, description, over, query } of views) {
      const sources = over.length === 0 ? [this.eventDeliveries, this.logEntries] : over.map((one) => made.get(one));
      const view = new BigqueryTable(this, name, {
        ...at(this.views, name),
        description,
        // By default a view is in the old dialect, which does not know these functions.
        view: { query, useLegacySql: false },
        // Nothing is lost with a view; protecting it would only make its query unchangeable.
        deletionProtection: false,
        // Made after what it reads from, and so destroyed before it.
        dependsOn: sources.filter((source) => source !== undefined),
      });
      made.set(name, view);
    }
  }
}

/** The table as SQL names it. */
function nameOf({ project, datasetId, tableId }: BigqueryTable): string {
  return `\`${project}.${datasetId}.${tableId}\``;
}

/** A table of a subscription without a schema: the whole message, and when it came. */
function messageTable(
  scope: Construct,
  settings: Settings,
  dataset: BigqueryDataset,
  { name, description }: { readonly name: string; readonly description: string },
): BigqueryTable {
  return new BigqueryTable(scope, name, {
    ...at(dataset, name),
    description,
    schema: JSON.stringify(columns),
    timePartitioning: { type: "DAY", field: "publish_time" },
    // Of what Pub/Sub fills only times are worth an order: inside a busy day a question about an hour reads that hour.
    clustering: ["publish_time"],
    deletionProtection: settings.isProtected,
    lifecycle: { preventDestroy: settings.isProtected },
  });
}

/**
 * Lets every view of a dataset read another one, whoever asks the view. It stands beside the dataset, not in it, and no
 * `google_bigquery_dataset_iam_member` may ever name that dataset: writing a policy takes such entries away.
 */
function authorize(scope: Construct, dataset: BigqueryDataset, views: BigqueryDataset): void {
  new BigqueryDatasetAccessA(scope, `views-read-${dataset.node.scope?.node.id}`, {
    project: dataset.project,
    datasetId: dataset.datasetId,
    dataset: { dataset: { projectId: views.project, datasetId: views.datasetId }, targetTypes: ["VIEWS"] },
  });
}

/**
 * What Pub/Sub writes without a schema of the message, keys in the order in which BigQuery returns them: the provider
 * compares text. Attributes hold the ordering key too, if there is one.
 */
const columns = [
  { name: "data", type: "JSON", mode: "NULLABLE", description: "The message, as published." },
  { name: "subscription_name", type: "STRING", mode: "NULLABLE", description: "Subscription that wrote the row." },
  { name: "message_id", type: "STRING", mode: "NULLABLE", description: "Another one for each publication." },
  { name: "publish_time", type: "TIMESTAMP", mode: "NULLABLE", description: "When it was published; the partition." },
  { name: "attributes", type: "JSON", mode: "NULLABLE", description: "Attributes of the message." },
];

function at(dataset: BigqueryDataset, tableId: string) {
  return { project: dataset.project, datasetId: dataset.datasetId, tableId };
}
