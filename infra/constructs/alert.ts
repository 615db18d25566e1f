/**
 * An alert: when somebody is told, and the page that says what to do then.
 * It must never exist without its page in docs/runbooks.
 */
import {
  MonitoringAlertPolicy,
  type MonitoringAlertPolicyConditions,
} from "@cdktf/provider-google/lib/monitoring-alert-policy/index.js";
import type { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";

/** What an alert is; its id is the name of its page. */
export interface AlertProperties {
  readonly settings: Settings;
  /** One sentence: what is wrong. */
  readonly says: string;
  /** ERROR: payments suffer now; WARNING: they will. */
  readonly severity: "ERROR" | "WARNING";
  /** Who is told; nobody where the stage names no address, and the incident stands in the console alone. */
  readonly tells: readonly MonitoringNotificationChannel[];
  /** Any of them will do. */
  readonly when: readonly MonitoringAlertPolicyConditions[];
  /** What must exist before it: an alert on a metric that is not known yet is refused. */
  readonly after: readonly ITerraformDependable[];
}

/** The policy. */
export class Alert extends Construct {
  constructor(scope: Construct, id: string, { settings, says, severity, tells, when, after }: AlertProperties) {
    super(scope, id);
    const page = `docs/runbooks/${id}.md`;
    new MonitoringAlertPolicy(this, "policy", {
      project: settings.projectId,
      displayName: named(settings, id),
      severity,
      combiner: "OR",
      conditions: [...when],
      notificationChannels: tells.map((channel) => channel.id),
      documentation: {
        subject: `${settings.stage}: ${says}`,
        content: `${says}\n\nWhat it means, what to look at and what to do: [${page}](${page}) in the project's repository.`,
        mimeType: "text/markdown",
      },
      alertStrategy: { autoClose: AUTO_CLOSE },
      dependsOn: [...after],
    });
  }
}

/** Fires when a count or a gauge is above `above`, as soon as it is. */
export function isAbove(
  what: string,
  {
    filter,
    above,
    seconds,
    aligner,
    reducer,
  }: { filter: string; above: number; seconds: number; aligner: string; reducer: string },
): MonitoringAlertPolicyConditions {
  return {
    displayName: what,
    conditionThreshold: {
      filter,
      comparison: "COMPARISON_GT",
      thresholdValue: above,
      duration: "0s",
      aggregations: [{ alignmentPeriod: `${seconds}s`, perSeriesAligner: aligner, crossSeriesReducer: reducer }],
    },
  };
}

/** Fires when one rate is more than `above` of another over each of two windows of `seconds`. */
export function shareIsAbove(
  what: string,
  {
    filter,
    of,
    above,
    seconds,
    by = [],
  }: { filter: string; of: string; above: number; seconds: number; by?: string[] },
): MonitoringAlertPolicyConditions {
  const rates = [
    {
      alignmentPeriod: `${seconds}s`,
      perSeriesAligner: "ALIGN_RATE",
      crossSeriesReducer: "REDUCE_SUM",
      ...(by.length === 0 ? {} : { groupByFields: by }),
    },
  ];
  return {
    displayName: what,
    conditionThreshold: {
      filter,
      denominatorFilter: of,
      comparison: "COMPARISON_GT",
      thresholdValue: above,
      duration: `${seconds}s`,
      aggregations: rates,
      denominatorAggregations: rates,
    },
  };
}

/** Fires when nothing at all came for `seconds`; never before the first one came. */
export function isSilent(
  what: string,
  { filter, seconds }: { filter: string; seconds: number },
): MonitoringAlertPolicyConditions {
  return {
    displayName: what,
    conditionAbsent: {
      filter,
      duration: `${seconds}s`,
      aggregations: [{ alignmentPeriod: "60s", perSeriesAligner: "ALIGN_DELTA", crossSeriesReducer: "REDUCE_SUM" }],
    },
  };
}

/** An hour without a new reason closes an incident: a metric of rare lines never says "zero again" by itself. */
const AUTO_CLOSE = "3600s";
