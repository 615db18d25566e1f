/**
 * Sends the functions' log lines to a topic whose subscription writes them into BigQuery, where they outlast the log
 * buckets. It must never write to BigQuery itself: a sink makes its table with the first line and columns as they come, so
 * that no view over it could be deployed.
 */
import { LoggingProjectSink } from "@cdktf/provider-google/lib/logging-project-sink/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { type EventTopic, publishTo } from "./event-topic.ts";
import { deployedServices } from "./log-metric.ts";

/** The sink and its grant. */
export class LogArchive extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, topic: EventTopic) {
    super(scope, id);
    const sink = new LoggingProjectSink(this, "sink", {
      project: settings.projectId,
      name: named(settings, "payments-logs"),
      description: "Log lines of the functions.",
      destination: `pubsub.googleapis.com/projects/${topic.topic.project}/topics/${topic.topic.name}`,
      filter: [
        'resource.type = "cloud_run_revision"',
        `resource.labels.service_name = (${deployedServices(settings).join(" OR ")})`,
        // What the functions write; the platform's own line per request says nothing that theirs does not say better.
        '(log_id("run.googleapis.com/stdout") OR log_id("run.googleapis.com/stderr"))',
      ].join(" AND "),
      // An account of its own: what others write could not be told apart.
      uniqueWriterIdentity: true,
    });
    publishTo(topic)(this, sink.writerIdentity);
  }
}
