/**
 * Copies the functions' log lines into BigQuery, where they outlast the log buckets and can be asked in SQL.
 * It must never write without a writer of its own: a shared one could not be told from other sinks of the project.
 */
import type { BigqueryDataset } from "@cdktf/provider-google/lib/bigquery-dataset/index.js";
import { BigqueryDatasetIamMember } from "@cdktf/provider-google/lib/bigquery-dataset-iam-member/index.js";
import { LoggingProjectSink } from "@cdktf/provider-google/lib/logging-project-sink/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { deployedServices } from "./log-metric.ts";

/** The sink and its grant. */
export class LogArchive extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, dataset: BigqueryDataset) {
    super(scope, id);
    const sink = new LoggingProjectSink(this, "sink", {
      project: settings.projectId,
      name: named(settings, "payments-logs"),
      description: "Log lines of the functions.",
      destination: `bigquery.googleapis.com/projects/${dataset.project}/datasets/${dataset.datasetId}`,
      filter: [
        'resource.type = "cloud_run_revision"',
        `resource.labels.service_name = (${deployedServices(settings).join(" OR ")})`,
        // What the functions write; the platform's own line per request says nothing that theirs does not say better.
        '(log_id("run.googleapis.com/stdout") OR log_id("run.googleapis.com/stderr"))',
      ].join(" AND "),
      uniqueWriterIdentity: true,
      // One partitioned table a log, instead of one table a log and day.
      bigqueryOptions: { usePartitionedTables: true },
    });
    new BigqueryDatasetIamMember(this, "sink-writes", {
      project: dataset.project,
      datasetId: dataset.datasetId,
      role: "roles/bigquery.dataEditor",
      member: sink.writerIdentity,
    });
  }
}
