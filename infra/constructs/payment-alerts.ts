/**
 * The alerts of a stage, one line each; every one has a page of the same name in docs/runbooks.
 * It must never fire for what heals by itself within its window: an alert that is ignored twice is not read the third time.
 */
import type { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel/index.js";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import { Alert, isAbove, isSilent, shareIsAbove } from "./alert.ts";
import type { EventTopic } from "./event-topic.ts";
import { deployedServices, metricFilter } from "./log-metric.ts";
import type { PaymentMetrics } from "./payment-metrics.ts";
import { subscriptionName } from "./push-consumer.ts";

/** What the alerts watch, and whom they tell. */
export interface PaymentAlertsProperties {
  readonly settings: Settings;
  readonly metrics: PaymentMetrics;
  readonly events: EventTopic;
  readonly tells: readonly MonitoringNotificationChannel[];
}

/** The alerts. */
export class PaymentAlerts extends Construct {
  constructor(scope: Construct, id: string, { settings, metrics, events, tells }: PaymentAlertsProperties) {
    super(scope, id);
    const shared = { settings, tells, after: [metrics.areKnown] };

    new Alert(this, "error-rate", {
      ...shared,
      says: "Requests fail with 5xx.",
      severity: "ERROR",
      when: [
        shareIsAbove("payments-api answers 5xx", {
          filter: metricFilter(metrics.requestsFailed),
          of: metricFilter(metrics.requests),
          ...FAILURES,
        }),
        // Sees what never reached our code: an instance that does not start logs no request.
        shareIsAbove("a function answers 5xx", {
          filter: `${answers(settings)} AND metric.labels.response_code_class = "5xx"`,
          of: answers(settings),
          ...FAILURES,
          by: ["resource.label.service_name"],
        }),
      ],
    });

    new Alert(this, "latency", {
      ...shared,
      says: "Requests are slow.",
      severity: "WARNING",
      when: [
        isAbove("one request in twenty takes longer than 2 s", {
          filter: metricFilter(metrics.requestDurations),
          above: SLOW_MS,
          seconds: 600,
          aligner: "ALIGN_DELTA",
          reducer: "REDUCE_PERCENTILE_95",
        }),
      ],
    });

    new Alert(this, "settle-backlog", {
      ...shared,
      says: "Attempts to move money stay open.",
      severity: "ERROR",
      when: [
        isAbove("most sweeps of a quarter of an hour left attempts open", {
          ...countOver(metricFilter(metrics.sweepsWithBacklog), QUARTER_HOUR),
          above: 10,
        }),
        isAbove("an attempt is older than the drive window", {
          ...countOver(metricFilter(metrics.attemptsGivenUp), QUARTER_HOUR),
          above: 0,
        }),
        isSilent("no sweep went through for a quarter of an hour", {
          filter: metricFilter(metrics.sweeps),
          seconds: QUARTER_HOUR,
        }),
      ],
    });

    new Alert(this, "outbox-overdue", {
      ...shared,
      says: "Events of committed payments are not published.",
      severity: "ERROR",
      when: [
        isAbove("a third of the runs of a quarter of an hour left events behind", {
          ...countOver(metricFilter(metrics.relaysWithOverdue), QUARTER_HOUR),
          above: 5,
        }),
        isSilent("no run over the outbox went through for a quarter of an hour", {
          filter: metricFilter(metrics.relays),
          seconds: QUARTER_HOUR,
        }),
      ],
    });

    new Alert(this, "ledger-fault", {
      ...shared,
      says: "The verification of the ledger found a bad row or did not end, or the ledger is not sealed.",
      severity: "ERROR",
      when: [
        isAbove("a verification went wrong", {
          ...countOver(metricFilter(metrics.ledgerFaults), QUARTER_HOUR),
          above: 0,
        }),
        isSilent("nothing was sealed for an hour", { filter: metricFilter(metrics.sealings), seconds: 3_600 }),
      ],
    });

    new Alert(this, "breaks", {
      ...shared,
      says: "The acquirer, the attempts and the books do not tell the same story, or were not matched.",
      severity: "ERROR",
      when: [
        isAbove("a reconciliation left a break or did not end", {
          ...countOver(metricFilter(metrics.breaks), QUARTER_HOUR),
          above: 0,
        }),
      ],
    });

    new Alert(this, "dead-letters", {
      ...shared,
      says: "An event was given up and waits among the dead letters.",
      severity: "ERROR",
      when: [
        isAbove("dead letters wait", {
          filter: `${SUBSCRIPTION}/num_undelivered_messages" AND resource.labels.subscription_id = "${events.deadLetterSubscription.name}"`,
          above: 0,
          seconds: 60,
          aligner: "ALIGN_MAX",
          reducer: "REDUCE_MAX",
        }),
        // Says which consumer and event in its line; the one above still sees what the recorder could not record.
        isAbove("a dead letter was recorded", { ...countOver(metricFilter(metrics.deadLetters), 300), above: 0 }),
      ],
    });

    new Alert(this, "events-stuck", {
      ...shared,
      says: "A consumer of events does not take them.",
      severity: "WARNING",
      when: [
        isAbove("an event waits for more than an hour", {
          filter: `${SUBSCRIPTION}/oldest_unacked_message_age" AND resource.labels.subscription_id = starts_with("${subscriptionName(settings, events, "")}")`,
          above: 3_600,
          seconds: 60,
          aligner: "ALIGN_MAX",
          reducer: "REDUCE_MAX",
        }),
      ],
    });

    new Alert(this, "webhooks-failing", {
      ...shared,
      says: "Webhooks do not reach merchants.",
      severity: "WARNING",
      when: [
        // One merchant that is down makes few of all attempts; half of them mean that it is us.
        shareIsAbove("half of all attempts fail", {
          filter: metricFilter(metrics.webhookAttemptsFailed),
          of: metricFilter(metrics.webhookAttempts),
          above: 0.5,
          seconds: 1_800,
        }),
        isAbove("a webhook was given up after three days", {
          ...countOver(metricFilter(metrics.webhooksDead), 3_600),
          above: 0,
        }),
      ],
    });

    new Alert(this, "cache-down", {
      ...shared,
      says: "Payments run without their idempotency cache; the ledger alone guards them.",
      severity: "WARNING",
      when: [
        isAbove("the cache was given up again and again", {
          ...countOver(metricFilter(metrics.cacheTroubles), 300),
          above: 10,
        }),
      ],
    });
  }
}

/** More than one request in twenty, over five minutes twice: a deployment's restart is shorter. */
const FAILURES = { above: 0.05, seconds: 300 };

/** A confirmed payment waits for the card network, a second at most as a rule, and for two commits. */
const SLOW_MS = 2_000;

/** Seconds: as long as an attempt is driven by repeating its call. A sweep runs each minute, so there are fifteen in it. */
const QUARTER_HOUR = 900;

const SUBSCRIPTION = 'resource.type = "pubsub_subscription" AND metric.type = "pubsub.googleapis.com/subscription';

function countOver(filter: string, seconds: number) {
  return { filter, seconds, aligner: "ALIGN_DELTA", reducer: "REDUCE_SUM" };
}

/** All answers of the stage's functions, as Cloud Run counts them. */
function answers(settings: Settings): string {
  const services = deployedServices(settings).join(", ");
  return `resource.type = "cloud_run_revision" AND metric.type = "run.googleapis.com/request_count" AND resource.labels.service_name = one_of(${services})`;
}
