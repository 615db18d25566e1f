/**
 * Writes every message of a topic into a table of the warehouse, by Pub/Sub itself: no function, no code.
 * It must never be made before its grants: Pub/Sub checks them when the subscription is made, and refuses.
 */
import type { BigqueryTable } from "@cdktf/provider-google/lib/bigquery-table/index.js";
import { BigqueryTableIamMember } from "@cdktf/provider-google/lib/bigquery-table-iam-member/index.js";
import { PubsubSubscription } from "@cdktf/provider-google/lib/pubsub-subscription/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { EventTopic } from "./event-topic.ts";
import { deliveryUntilDeath, subscriptionName, takesDeadLetters } from "./push-consumer.ts";
import { ServiceAgents } from "./service-agents.ts";

/** What is archived where. */
export interface BigqueryArchiveProperties {
  readonly settings: Settings;
  readonly topic: EventTopic;
  /** One of the warehouse's tables of messages. */
  readonly table: BigqueryTable;
}

/** The subscription with its grants. */
export class BigqueryArchive extends Construct {
  readonly subscription: PubsubSubscription;

  constructor(scope: Construct, id: string, { settings, topic, table }: BigqueryArchiveProperties) {
    super(scope, id);
    const { project, datasetId, tableId } = table;
    const grant = {
      project,
      datasetId,
      tableId,
      member: ServiceAgents.of(this, settings).member("pubsub"),
      dependsOn: [topic.agentExists],
    };
    const canWrite = new Sleep(this, "can-write", {
      createDuration: GRANTS_SPREAD,
      dependsOn: [
        new BigqueryTableIamMember(this, "writes-rows", { ...grant, role: "roles/bigquery.dataEditor" }),
        new BigqueryTableIamMember(this, "reads-schema", { ...grant, role: "roles/bigquery.metadataViewer" }),
      ],
    });
    this.subscription = new PubsubSubscription(this, "subscription", {
      project: settings.projectId,
      name: subscriptionName(settings, topic, id),
      topic: topic.topic.id,
      // Neither the table's nor the topic's schema: the whole message goes into `data`, and nothing is refused for its shape.
      bigqueryConfig: { table: `${project}.${datasetId}.${tableId}`, writeMetadata: true },
      ...deliveryUntilDeath(topic),
      dependsOn: [canWrite],
    });
    takesDeadLetters(this, settings, this.subscription);
  }
}

/** A grant is everywhere after two minutes, as a rule. */
const GRANTS_SPREAD = "120s";
