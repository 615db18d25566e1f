/**
 * A topic, and where its messages go when nobody could take them: a dead-letter topic with a subscription that keeps them.
 * It must never have a dead-letter topic without a subscription: what is published there would be gone without a trace.
 */
import { PubsubSubscription } from "@cdktf/provider-google/lib/pubsub-subscription/index.js";
import { PubsubTopic } from "@cdktf/provider-google/lib/pubsub-topic/index.js";
import { PubsubTopicIamMember } from "@cdktf/provider-google/lib/pubsub-topic-iam-member/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import type { Grant } from "./grants.ts";
import { ServiceAgents } from "./service-agents.ts";

/** The topic with its dead letters. */
export class EventTopic extends Construct {
  readonly topic: PubsubTopic;
  readonly deadLetters: PubsubTopic;
  /** Keeps every dead letter until a person redrives or drops it; alerts watch how many it holds. */
  readonly deadLetterSubscription: PubsubSubscription;
  /** Pub/Sub's own account exists once this is done, so that it can be granted something. */
  readonly agentExists: ITerraformDependable;

  constructor(scope: Construct, name: string, settings: Settings) {
    super(scope, name);
    const { projectId: project } = settings;
    this.topic = new PubsubTopic(this, "topic", { project, name: named(settings, name) });
    this.deadLetters = new PubsubTopic(this, "dead-letters", { project, name: named(settings, `${name}-dead`) });
    this.agentExists = new Sleep(this, "agent-exists", {
      createDuration: AGENT_APPEARS,
      dependsOn: [this.topic, this.deadLetters],
    });
    this.deadLetterSubscription = new PubsubSubscription(this, "dead-letters-kept", {
      project,
      name: named(settings, `${name}-dead-kept`),
      topic: this.deadLetters.id,
      messageRetentionDuration: RETENTION_MAX,
      expirationPolicy: NEVER,
      // A person reads and redrives them, so whoever pulled one has the longest time that there is.
      ackDeadlineSeconds: 600,
    });
    // Without this and the right to take messages from each subscription, Pub/Sub goes on retrying and says nothing.
    new PubsubTopicIamMember(this, "pubsub-buries", {
      project,
      topic: this.deadLetters.name,
      role: "roles/pubsub.publisher",
      member: ServiceAgents.of(this, settings).member("pubsub"),
      dependsOn: [this.agentExists],
    });
  }
}

/** Publish to the topic. */
export function publishTo({ topic, node }: EventTopic): Grant {
  return (scope, member) =>
    new PubsubTopicIamMember(scope, `publishes-to-${node.id}`, {
      project: topic.project,
      topic: topic.name,
      role: "roles/pubsub.publisher",
      member,
    });
}

/** A subscription goes after 31 days without a call by default; an empty time means never. */
export const NEVER = { ttl: "" };

/** 31 days in seconds, the longest that Pub/Sub keeps a message that nobody took. */
export const RETENTION_MAX = "2678400s";

/**
 * A minute: the agent is made by the product's first use, which is the topic, and a grant to an account that is not there
 * yet is refused.
 */
const AGENT_APPEARS = "60s";
