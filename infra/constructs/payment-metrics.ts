/**
 * The metrics that are made from the functions' log lines; each names the line that it reads.
 * It must never name a line that no function writes: an alert on it would be silent for ever.
 */
import type { LoggingMetric } from "@cdktf/provider-google/lib/logging-metric/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import { durationsOf, fieldOf, lineCount, lineIs } from "./log-metric.ts";

/** The metrics, and the wait after which alerts may name them. */
export class PaymentMetrics extends Construct {
  /** Requests to payments-api, and those of them that it answered with 5xx. */
  readonly requests: LoggingMetric;
  readonly requestsFailed: LoggingMetric;
  /** How long payments-api took, in milliseconds. */
  readonly requestDurations: LoggingMetric;
  /** Sweeps of ledger-writer over attempts whose worker died, and those that had to leave some open. */
  readonly sweeps: LoggingMetric;
  readonly sweepsWithBacklog: LoggingMetric;
  /** Attempts that no sweep will drive any more, counted each time a sweep meets one. */
  readonly attemptsGivenUp: LoggingMetric;
  /** Runs of the relay over the outbox, and those after which events past two minutes still waited. */
  readonly relays: LoggingMetric;
  readonly relaysWithOverdue: LoggingMetric;
  /** Verifications that found a bad row, or did not read to the end. */
  readonly ledgerFaults: LoggingMetric;
  /** Runs that sealed all that there was to seal. */
  readonly sealings: LoggingMetric;
  /** Reconciliations that left a break standing, or did not end. */
  readonly breaks: LoggingMetric;
  /** Times that payments-api went on without its cache, because it was slow, gone or forbidden. */
  readonly cacheTroubles: LoggingMetric;
  /** Events that a consumer gave up, each counted once. */
  readonly deadLetters: LoggingMetric;
  /** Attempts to deliver a webhook, those that failed, and deliveries that ended without success. */
  readonly webhookAttempts: LoggingMetric;
  readonly webhookAttemptsFailed: LoggingMetric;
  readonly webhooksDead: LoggingMetric;
  /** Alerts and charts depend on this. */
  readonly areKnown: ITerraformDependable;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const api = { settings, writtenBy: "payments-api" } as const;
    const writer = { settings, writtenBy: "ledger-writer" } as const;
    this.requests = lineCount(this, "requests", {
      ...api,
      where: lineIs("request"),
      description: "Requests to payments-api.",
    });
    this.requestsFailed = lineCount(this, "requests-failed", {
      ...api,
      where: `${lineIs("request")} AND ${fieldOf("request", "status")} >= 500`,
      description: "Requests that payments-api answered with 5xx.",
    });
    this.requestDurations = durationsOf(this, "request-durations", {
      ...api,
      where: lineIs("request"),
      field: fieldOf("request", "durationMs"),
      description: "Time from a request's first byte to its answer.",
    });
    this.cacheTroubles = lineCount(this, "cache-troubles", {
      ...api,
      where: lineIs(...CACHE_TROUBLES),
      description: "The idempotency cache was given up for a while, or refuses its function.",
    });
    this.sweeps = lineCount(this, "sweeps", {
      ...writer,
      where: lineIs("attempts completed"),
      description: "Sweeps over open attempts.",
    });
    this.sweepsWithBacklog = lineCount(this, "sweeps-with-backlog", {
      ...writer,
      where: `${lineIs("attempts completed")} AND ${fieldOf("attempts completed", "left")} > 0`,
      description: "Sweeps that had to leave attempts open.",
    });
    this.attemptsGivenUp = lineCount(this, "attempts-given-up", {
      ...writer,
      where: lineIs("attempt outside the drive window", "intention open for too long"),
      description: "Attempts and intentions older than the drive window, each time that a sweep meets one.",
    });
    this.relays = lineCount(this, "relays", {
      ...writer,
      where: lineIs("outbox relayed"),
      description: "Runs over the outbox.",
    });
    this.relaysWithOverdue = lineCount(this, "relays-with-overdue", {
      ...writer,
      where: `${lineIs("outbox relayed")} AND ${fieldOf("outbox relayed", "overdue")} > 0`,
      description: "Runs over the outbox that left events older than two minutes.",
    });
    this.ledgerFaults = lineCount(this, "ledger-faults", {
      ...writer,
      where: `(${lineIs("ledger has a bad row")} OR ${failed("/verify")})`,
      description: "Verifications of the ledger that found a bad row or did not end.",
    });
    this.sealings = lineCount(this, "sealings", {
      ...writer,
      where: lineIs("ledger sealing ended"),
      description: "Runs that sealed the bookings since the run before.",
    });
    this.breaks = lineCount(this, "breaks", {
      ...writer,
      where: `((${lineIs("reconciliation ended")} AND ${fieldOf("reconciliation ended", "open")} > 0) OR ${failed("/reconcile")})`,
      description: "Reconciliations that left a break standing or did not end.",
    });
    this.deadLetters = lineCount(this, "dead-letters", {
      settings,
      writtenBy: "dead-letter-recorder",
      where: lineIs("dead letter recorded"),
      description: "Events that a consumer gave up.",
    });
    const dispatcher = { settings, writtenBy: "webhook-dispatcher" } as const;
    this.webhookAttempts = lineCount(this, "webhook-attempts", {
      ...dispatcher,
      where: lineIs("webhook attempt"),
      description: "Attempts to deliver a webhook.",
    });
    this.webhookAttemptsFailed = lineCount(this, "webhook-attempts-failed", {
      ...dispatcher,
      where: `${lineIs("webhook attempt")} AND ${fieldOf("webhook attempt", "outcome")} = "failed"`,
      description: "Attempts to deliver a webhook that failed.",
    });
    this.webhooksDead = lineCount(this, "webhooks-dead", {
      ...dispatcher,
      where: `${lineIs("webhook delivery dead")} AND ${fieldOf("webhook delivery dead", "reason")} = ("exhausted" OR "window_over")`,
      description: "Webhooks that were given up after three days, each counted once.",
    });
    this.areKnown = this.#known();
  }

  /** Waits again when a metric is added. */
  #known(): ITerraformDependable {
    const metrics = this.node.children as LoggingMetric[];
    return new Sleep(this, "are-known", {
      createDuration: DESCRIPTOR_APPEARS,
      triggers: { metrics: metrics.map((metric) => metric.node.id).join(" ") },
      dependsOn: metrics,
    });
  }
}

/** A job of ledger-writer that did not end. */
function failed(path: string): string {
  return `(${lineIs("job failed")} AND ${fieldOf("job failed", "path")} = "${path}")`;
}

/** The lines of functions/flows/cache-guard.ts that mean "without the cache from now on". */
const CACHE_TROUBLES = [
  "cache breaker opened",
  "cache breaker stays open",
  "the cache refuses this function: grant missing",
] as const;

/** Monitoring learns of a new metric seconds to minutes after Logging made it. */
const DESCRIPTOR_APPEARS = "120s";
