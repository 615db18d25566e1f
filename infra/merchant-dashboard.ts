/**
 * The merchants' dashboard as a function: it reads through the payments API with the merchant's own key.
 * It must never be given a store or a secret of the platform's but the key of its sessions.
 */
import { TerraformOutput } from "cdktf";
import type { Construct } from "constructs";
import { environmentNames } from "../functions/config.ts";
import { readHistory, readSecret, runQueries } from "./constructs/grants.ts";
import { invoke, PaymentFunction } from "./constructs/payment-function.ts";
import type { DataStack } from "./data-stack.ts";
import type { FoundationStack } from "./foundation-stack.ts";
import type { Settings } from "./settings.ts";

/** What the dashboard stands on, and what it asks. */
export interface AroundTheDashboard {
  readonly settings: Settings;
  readonly foundation: FoundationStack;
  readonly data: DataStack;
  readonly paymentsApi: PaymentFunction;
}

/** Adds the function. A payments API that is closed to the world lets it in with a token. */
export function merchantDashboard(scope: Construct, around: AroundTheDashboard): void {
  const { settings, foundation, data, paymentsApi } = around;
  const { historyDataset, historyLocation, project, paymentsUrl, paymentsAudience, dashboardSessionKey, crashTour } =
    environmentNames;
  const dashboard = new PaymentFunction(scope, "dashboard", {
    settings,
    foundation,
    account: foundation.accounts.dashboard,
    description: "The merchants' dashboard: payments, webhooks, dead letters.",
    ...PAGES,
    reachedFrom: "anywhere",
    isPublic: settings.isPublic,
    environment: {
      [project]: settings.projectId,
      [paymentsUrl]: paymentsApi.url,
      [historyDataset]: `${data.warehouse.views.project}.${data.warehouse.views.datasetId}`,
      [historyLocation]: settings.region,
      ...(settings.stage === "prod" ? {} : { [crashTour]: settings.stage }),
      ...(settings.isPublic ? {} : { [paymentsAudience]: paymentsApi.url }),
    },
    secrets: { [dashboardSessionKey]: data.dashboardSessionKey },
    may: [
      readSecret(data.dashboardSessionKey),
      readHistory(data.warehouse),
      runQueries(settings),
      ...(settings.isPublic ? [] : [invoke(paymentsApi, settings)]),
    ],
  });
  new TerraformOutput(scope, "dashboard-url", { value: dashboard.url });
}

/** A page waits for the payments API, a form 15 s at most; sixteen people at once on an instance, and few of them ever. */
const PAGES = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 60, instances: { min: 0, max: 5 } };
