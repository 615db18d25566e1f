// Looks for names that are blocked for a while after what carried them was deleted: queues, Firestore databases, custom roles.
// It must never advise a new name where waiting or undeleting is enough.

import { storeNames } from "../../infra/settings.ts";
import { describe, lines } from "../gcloud.ts";
import type { Examined, Finding } from "./finding.ts";
import { blocks, fine, warns } from "./finding.ts";

/** Findings on the names that this stage would take. */
export async function checkNames(examined: Examined): Promise<Finding[]> {
  return [await checkQueues(examined), await checkRole(examined)];
}

/**
 * Cloud Tasks does not list a deleted queue, and blocks its name for a week. What it does list are the queues of other
 * generations: a newer one than this clone knows was deployed from elsewhere, and the older names are deleted ones.
 */
async function checkQueues({ gcloud, settings, enabledApis, resources }: Examined): Promise<Finding> {
  const planned = resources.filter(({ type }) => type === "google_cloud_tasks_queue");
  const names = planned.map(({ attributes }) => String(attributes["name"]));
  if (names.length === 0 || !enabledApis.has("cloudtasks.googleapis.com")) return fine("no queue's name is taken yet");
  const list = ["tasks", "queues", "list", `--location=${settings.region}`, "--format=value(name)"];
  const present = (await lines(gcloud, list)).map((name) => name.split("/").at(-1) ?? "");
  const withoutGeneration = (name: string) => name.replace(/-g\d+$/, "");
  const generations = present
    .filter((name) => names.some((wanted) => withoutGeneration(wanted) === withoutGeneration(name)))
    .map((name) => Number(/-g(\d+)$/.exec(name)?.[1] ?? 0));
  const newest = Math.max(0, ...generations);
  if (newest <= settings.queueGeneration) return fine(`queues of generation ${settings.queueGeneration}`);
  return blocks(
    `queues of generation ${newest} exist, and this clone would go back to ${settings.queueGeneration}, whose names are blocked for 7 days`,
    `set "queueGeneration": ${newest} in stage.local.json (or QUEUE_GENERATION=${newest})`,
  );
}

/** A deleted role can be undeleted for 7 days; its id is free again only after up to 37. */
async function checkRole({ gcloud, settings }: Examined): Promise<Finding> {
  const { ledgerRole } = storeNames(settings);
  const role = await describe(gcloud, ["iam", "roles", "describe", ledgerRole]);
  if (role?.["deleted"] !== true) return fine(`the id of role ${ledgerRole} is not blocked`);
  return warns(
    `role ${ledgerRole} was deleted and can be undeleted for 7 days, after that its id is blocked for 30 more; undelete it:`,
    `gcloud iam roles undelete ${ledgerRole} --project=${settings.projectId}`,
    "npm run doctor",
  );
}
