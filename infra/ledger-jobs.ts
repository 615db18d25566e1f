/**
 * The jobs of ledger-writer that stand beside the path of payments: the daily match, and what two persons have decided.
 * It must never hold a schedule that a payment waits for.
 */
import type { Construct } from "constructs";
import { Schedule, type ScheduleProperties } from "./constructs/schedule.ts";

/** Declares them; `schedule` says whom they call and as whom. */
export function ledgerJobs(
  scope: Construct,
  schedule: Omit<ScheduleProperties, "description" | "every" | "path">,
): void {
  new Schedule(scope, "reconcile", {
    ...schedule,
    description: "Matches the acquirer's list, the attempts and the books.",
    // Once a day, an hour after the books were verified; it looks back two days, so one missed run is made up.
    every: "23 4 * * *",
    path: "/reconcile",
  });
  new Schedule(scope, "operate", {
    ...schedule,
    description: "Carries out what two persons decided about an attempt.",
    // A person waits for it.
    every: "* * * * *",
    path: "/operate",
  });
}
