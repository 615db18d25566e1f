/**
 * How the stage is watched: logs in BigQuery, metrics from log lines, alerts with a page each, a dashboard, a budget.
 * It must never be needed for a payment: without this stack everything works and nobody hears of what does not.
 */
import { MonitoringDashboard } from "@cdktf/provider-google/lib/monitoring-dashboard/index.js";
import { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TimeProvider } from "@cdktf/provider-time/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { LogArchive } from "./constructs/log-archive.ts";
import { MemoryStoreAlerts } from "./constructs/memory-store-alerts.ts";
import { MonthlyBudget } from "./constructs/monthly-budget.ts";
import { PaymentAlerts } from "./constructs/payment-alerts.ts";
import { PaymentMetrics } from "./constructs/payment-metrics.ts";
import { dashboardJson } from "./dashboard.ts";
import type { DataStack } from "./data-stack.ts";
import type { MessagingStack } from "./messaging-stack.ts";
import { paymentCharts } from "./payment-charts.ts";
import { named, type Settings } from "./settings.ts";
import { stateBackend } from "./state-backend.ts";

/** Logs, metrics, alerts, dashboard, budget. */
export class ObservabilityStack extends TerraformStack {
  constructor(scope: Construct, id: string, settings: Settings, from: { data: DataStack; messaging: MessagingStack }) {
    super(scope, id);
    const { alertEmail, budget, projectId } = settings;
    const { data, messaging } = from;
    stateBackend(this, id, settings);
    new GoogleProvider(this, "google", {
      project: projectId,
      region: settings.region,
      // The budget's API bills its calls to a project, and refuses a person's credentials that name none.
      ...(budget === null ? {} : { userProjectOverride: true, billingProject: projectId }),
    });
    new TimeProvider(this, "time");

    new LogArchive(this, "log-archive", settings, messaging.logs);

    const metrics = new PaymentMetrics(this, "metrics", settings);

    const tells =
      alertEmail === null
        ? []
        : [
            new MonitoringNotificationChannel(this, "on-call", {
              project: projectId,
              displayName: named(settings, "payments on call"),
              type: "email",
              labels: { email_address: alertEmail },
              // Taking the stage down takes the channel along, even if somebody named it in a policy made by hand.
              forceDelete: true,
            }),
          ];

    new PaymentAlerts(this, "alerts", { settings, metrics, tells, events: messaging.events });

    if (data.memoryStore) new MemoryStoreAlerts(this, "cache-alerts", { settings, tells, store: data.memoryStore });

    new MonitoringDashboard(this, "dashboard", {
      project: projectId,
      dashboardJson: dashboardJson(
        named(settings, `payments ${settings.stage}`),
        paymentCharts({ settings, metrics, deadLetters: messaging.events.deadLetterSubscription, ledger: data.ledger }),
      ),
    });

    if (budget !== null) new MonthlyBudget(this, "budget", { settings, budget, tells });
  }
}
