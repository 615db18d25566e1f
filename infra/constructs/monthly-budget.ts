/**
 * A budget of the project's month: Google writes when half, nine tenths and all of it are spent, or will be.
 * It must never be taken for a limit: it tells, it stops nothing.
 */
import { BillingBudget } from "@cdktf/provider-google/lib/billing-budget/index.js";
import type { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { ProjectApis } from "./project-apis.ts";
import { ServiceAgents } from "./service-agents.ts";

/** What is budgeted, and who is told beside the account's own administrators. */
export interface MonthlyBudgetProperties {
  readonly settings: Settings;
  readonly budget: NonNullable<Settings["budget"]>;
  readonly tells: readonly MonitoringNotificationChannel[];
}

/** The budget, and the API that it alone needs. */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { settings, budget, tells }: MonthlyBudgetProperties) {
    super(scope, id);
    const api = new ProjectApis(this, "api", settings, ["billingbudgets.googleapis.com"]);
    new BillingBudget(this, "budget", {
      billingAccount: budget.billingAccount,
      displayName: named(settings, `payments-${settings.stage}`),
      budgetFilter: { projects: [`projects/${ServiceAgents.of(this, settings).projectNumber}`] },
      // Without a currency it is the billing account's own.
      amount: { specifiedAmount: { units: String(budget.monthlyUnits) } },
      thresholdRules: [
        { thresholdPercent: 0.5 },
        { thresholdPercent: 0.9 },
        { thresholdPercent: 1 },
        { thresholdPercent: 1, spendBasis: "FORECASTED_SPEND" },
      ],
      ...(tells.length === 0
        ? {}
        : { allUpdatesRule: { monitoringNotificationChannels: tells.map((channel) => channel.id) } }),
      dependsOn: [api.areReady],
    });
  }
}
