/**
 * Pushes every dead letter of a topic to a recorder, until the recorder has it.
 * It must never give a letter up, nor be the only place that keeps it: the topic's kept subscription is the net beneath.
 */
import { PubsubSubscription } from "@cdktf/provider-google/lib/pubsub-subscription/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { type EventTopic, NEVER, RETENTION_MAX } from "./event-topic.ts";
import type { FunctionCaller } from "./function-caller.ts";

/** Who records what. */
export interface DeadLetterPushProperties {
  readonly settings: Settings;
  readonly topic: EventTopic;
  /** The recorder: base URL without a trailing slash, which is the token's audience too. */
  readonly calls: { readonly url: string };
  /** Where it takes letters, with the leading slash. */
  readonly path: string;
  /** Whom the token names; the recorder refuses everybody else. */
  readonly as: FunctionCaller;
  /** Timeout of the recorder. 10 to 600. */
  readonly timeoutSeconds: number;
}

/** The subscription. */
export class DeadLetterPush extends Construct {
  constructor(scope: Construct, id: string, properties: DeadLetterPushProperties) {
    super(scope, id);
    const { settings, topic, calls, as, path, timeoutSeconds } = properties;
    new PubsubSubscription(this, "subscription", {
      project: settings.projectId,
      name: named(settings, `${topic.node.id}-dead-to-recorder`),
      topic: topic.deadLetters.id,
      pushConfig: {
        pushEndpoint: `${calls.url}${path}`,
        oidcToken: { serviceAccountEmail: as.account.email, audience: calls.url },
      },
      ackDeadlineSeconds: timeoutSeconds,
      // No dead letter of dead letters: it is tried for as long as the letter is kept.
      retryPolicy: { minimumBackoff: "10s", maximumBackoff: "600s" },
      messageRetentionDuration: RETENTION_MAX,
      expirationPolicy: NEVER,
      dependsOn: [...as.grants],
    });
  }
}
