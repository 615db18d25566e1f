// Binds the history to a function's service account, as identity.ts does for the stores.
// It must never let a question through whose grants are missing: BigQuery would refuse it.

import type { Ask } from "../functions/adapters/bigquery-questions.ts";
import { environmentNames } from "../functions/config.ts";
import type { History } from "../functions/flows/history-ports.ts";
import { guarded } from "./guarded-call.ts";
import type { PlannedFunction } from "./plan.ts";

/** The history with the function's rights, as a port and as BigQuery answers it. */
export type HistoryIdentity = { history(history: History): History; ask(ask: Ask): Ask };

/** The binding; `must` checks rights on a resource. A question is a job of the project that reads the dataset's views. */
export function historyIdentity(
  { environment }: Pick<PlannedFunction, "environment">,
  must: (resource: string, permissions: readonly string[]) => void,
): HistoryIdentity {
  const check = () => {
    const [project, dataset] = (environment[environmentNames.historyDataset] ?? "").split(".");
    must(`projects/${project}`, ["bigquery.jobs.create"]);
    must(`projects/${project}/datasets/${dataset}`, ["bigquery.tables.getData"]);
  };
  return {
    history: (history) => ({
      paymentDays: guarded(check, history.paymentDays),
      declineReasons: guarded(check, history.declineReasons),
      refundDays: guarded(check, history.refundDays),
      deliveryDays: guarded(check, history.deliveryDays),
      consumerLags: guarded(check, history.consumerLags),
      replayDays: guarded(check, history.replayDays),
      keyLines: guarded(check, history.keyLines),
      ledgerRuns: guarded(check, history.ledgerRuns),
    }),
    ask: (ask) => guarded(check, ask),
  };
}
