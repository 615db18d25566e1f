// The history of the synthesized stacks: tables and views of BigQuery, and the sinks that send log lines there.
// It must never make up a table or a view: what the plan does not have cannot be asked for here either.

import type { PlannedResource } from "./plan-resources.ts";
import type { HistoryTables } from "./sqlite-history.ts";

/** What the laptop plays of BigQuery and of Logging's export. */
export type PlannedHistory = HistoryTables & { sinks: PlannedSink[] };

/** An export of log lines to a topic. */
export type PlannedSink = {
  /** Full name of the topic. */
  topic: string;
  /** Deployed names of the functions whose lines it takes. */
  services: readonly string[];
};

/** All tables, views and sinks in the resources. */
export function readHistory(resources: readonly PlannedResource[]): PlannedHistory {
  const all = resources.filter(({ type }) => type === "google_bigquery_table");
  const views = all.flatMap((table) => {
    const query = table.value("view.query");
    return query === undefined ? [] : [{ name: fullName(table), query: String(query) }];
  });
  return {
    tables: all.filter((table) => table.value("view.query") === undefined).map(fullName),
    views,
    nameOf: (view) => {
      const found = views.find(({ name }) => name.endsWith(`.${view}`));
      if (found === undefined) throw new Error(`plan: there is no view ${view}`);
      return found.name;
    },
    sinks: resources.filter(({ type }) => type === "google_logging_project_sink").map(sinkOf),
  };
}

function fullName({ text }: PlannedResource): string {
  return `${text("project")}.${text("dataset_id")}.${text("table_id")}`;
}

/** The one form of filter in use: what named services write to stdout and stderr, which is every line of a function. */
function sinkOf({ address, text }: PlannedResource): PlannedSink {
  const topic = /^pubsub\.googleapis\.com\/(projects\/[^/]+\/topics\/[^/]+)$/.exec(text("destination"))?.[1];
  const form =
    /^resource\.type = "cloud_run_revision" AND resource\.labels\.service_name = \(([^()]+)\) AND \(log_id\("run\.googleapis\.com\/stdout"\) OR log_id\("run\.googleapis\.com\/stderr"\)\)$/;
  const services = form.exec(text("filter"))?.[1];
  if (topic === undefined || services === undefined)
    throw new Error(`plan: ${address} has a destination or a filter that the laptop does not play`);
  return { topic, services: services.split(" OR ").map((name) => name.slice(1, -1)) };
}
