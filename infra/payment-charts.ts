/**
 * What the dashboard shows, in the order in which somebody looks: customers, ledger-writer, events, stores.
 * It must never hold a threshold: alerts decide, charts show.
 */
import type { PubsubSubscription } from "@cdktf/provider-google/lib/pubsub-subscription/index.js";
import type { LedgerDatabase } from "./constructs/ledger-database.ts";
import { metricFilter } from "./constructs/log-metric.ts";
import type { PaymentMetrics } from "./constructs/payment-metrics.ts";
import type { Chart, Series } from "./dashboard.ts";
import { named, type Settings } from "./settings.ts";

/** What there is to see. */
export interface PaymentChartsInput {
  readonly settings: Settings;
  readonly metrics: PaymentMetrics;
  readonly deadLetters: PubsubSubscription;
  readonly ledger: LedgerDatabase;
}

/** The charts. */
export function paymentCharts(input: PaymentChartsInput): Chart[] {
  return [...whatFunctionsSay(input), ...whatProductsSay(input)];
}

function whatFunctionsSay({ metrics }: PaymentChartsInput): Chart[] {
  return [
    {
      title: "Requests",
      unit: "a minute",
      series: [
        counted("all", metricFilter(metrics.requests)),
        counted("answered with 5xx", metricFilter(metrics.requestsFailed)),
      ],
    },
    {
      title: "Time of a request",
      unit: "ms",
      series: ["50", "95", "99"].map((percent) => ({
        name: `${percent} % are faster`,
        filter: metricFilter(metrics.requestDurations),
        aligner: "ALIGN_DELTA",
        reducer: `REDUCE_PERCENTILE_${percent}`,
      })),
    },
    {
      title: "Settling of open attempts",
      unit: "a minute",
      series: [
        counted("sweeps", metricFilter(metrics.sweeps)),
        counted("sweeps that left some open", metricFilter(metrics.sweepsWithBacklog)),
        counted("attempts outside the drive window", metricFilter(metrics.attemptsGivenUp)),
      ],
    },
    {
      title: "Runs over the outbox",
      unit: "a minute",
      series: [
        counted("all", metricFilter(metrics.relays)),
        counted("left events older than two minutes", metricFilter(metrics.relaysWithOverdue)),
      ],
    },
    {
      title: "Sealing, verifying and reconciling of the ledger",
      unit: "a minute",
      series: [
        counted("sealed", metricFilter(metrics.sealings)),
        counted("bad rows, or not ended", metricFilter(metrics.ledgerFaults)),
        counted("reconciliations with breaks, or not ended", metricFilter(metrics.breaks)),
      ],
    },
    {
      title: "Webhooks",
      unit: "a minute",
      series: [
        counted("attempts", metricFilter(metrics.webhookAttempts)),
        counted("failed", metricFilter(metrics.webhookAttemptsFailed)),
        counted("given up after three days", metricFilter(metrics.webhooksDead)),
      ],
    },
    {
      title: "Requests without the idempotency cache",
      unit: "a minute",
      series: [counted("given up", metricFilter(metrics.cacheTroubles))],
    },
  ];
}

function whatProductsSay({ settings, metrics, deadLetters, ledger }: PaymentChartsInput): Chart[] {
  return [
    {
      title: "Dead letters",
      unit: "messages",
      series: [
        {
          name: "waiting",
          filter: `resource.type = "pubsub_subscription" AND metric.type = "pubsub.googleapis.com/subscription/num_undelivered_messages" AND resource.labels.subscription_id = "${deadLetters.name}"`,
          aligner: "ALIGN_MAX",
          reducer: "REDUCE_MAX",
        },
        counted("recorded", metricFilter(metrics.deadLetters)),
      ],
    },
    {
      title: "Oldest event that nobody took",
      unit: "s",
      series: [
        {
          name: `$\{resource.labels.subscription_id}`,
          filter: `resource.type = "pubsub_subscription" AND metric.type = "pubsub.googleapis.com/subscription/oldest_unacked_message_age" AND resource.labels.subscription_id = starts_with("${named(settings, "payment-events")}")`,
          aligner: "ALIGN_MAX",
          reducer: "REDUCE_MAX",
          by: ["resource.label.subscription_id"],
        },
      ],
    },
    {
      title: "Tasks waiting in the queues",
      unit: "tasks",
      series: [
        {
          name: `$\{resource.labels.queue_id}`,
          filter: 'resource.type = "cloud_tasks_queue" AND metric.type = "cloudtasks.googleapis.com/queue/depth"',
          aligner: "ALIGN_MAX",
          reducer: "REDUCE_SUM",
          by: ["resource.label.queue_id"],
        },
      ],
    },
    {
      title: "Spanner: CPU of high priority",
      unit: "of 1",
      series: [
        {
          name: "used",
          filter: `resource.type = "spanner_instance" AND metric.type = "spanner.googleapis.com/instance/cpu/utilization_by_priority" AND metric.labels.priority = "high" AND resource.labels.instance_id = "${ledger.database.instance}"`,
          aligner: "ALIGN_MEAN",
          reducer: "REDUCE_SUM",
        },
      ],
    },
  ];
}

function counted(name: string, filter: string): Series {
  return { name, filter, aligner: "ALIGN_DELTA", reducer: "REDUCE_SUM" };
}
