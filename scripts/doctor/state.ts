// Looks for stores that exist and that Terraform does not know, and for a lock that a killed run left behind.
// It must never advise to delete a store: a leftover is adopted, and may hold data.

import { storeNames } from "../../infra/settings.ts";
import { describe } from "../gcloud.ts";
import { type KnownResource, knownResources, locks } from "../terraform-state.ts";
import type { Examined, Finding } from "./finding.ts";
import { blocks, fine } from "./finding.ts";

/** Findings on locks and leftovers. */
export async function checkState(examined: Examined): Promise<Finding[]> {
  const { gcloud, settings, resources } = examined;
  const stacks = [...new Set(resources.map(({ stack }) => stack))];
  const known = await knownResources(gcloud, settings, stacks);
  const held = await locks(gcloud, settings, stacks);
  const locked = held.map(({ stack, lock }) =>
    blocks(
      `the state of ${stack} is locked; if no deploy is running, a killed one left the lock:`,
      "npm run app",
      `terraform -chdir=cdktf.out/stacks/${stack} init`,
      `terraform -chdir=cdktf.out/stacks/${stack} force-unlock ${lock}`,
    ),
  );
  return [...locked, ...(await checkLeftovers(examined, known))];
}

type Leftover = {
  type: string;
  what: string;
  importId: string;
  api: string;
  describe: string[];
  /** Its name in the plan, where there can be several of its type. */
  name?: string;
  isLive?: (found: Record<string, unknown>) => boolean;
};

/**
 * What can exist without Terraform knowing it. The database of the ledger is the likely one: the provider makes it empty,
 * sends the schema afterwards and forgets it when a statement is refused.
 */
function candidates({ settings }: Examined): Leftover[] {
  const { projectId } = settings;
  const names = storeNames(settings);
  const {
    spannerInstance: instance,
    spannerDatabase: database,
    firestoreDatabase,
    shopDatabase,
    ledgerRole: role,
  } = names;
  return [
    {
      type: "google_spanner_instance",
      what: `Spanner instance ${instance}`,
      importId: `${projectId}/${instance}`,
      api: "spanner.googleapis.com",
      describe: ["spanner", "instances", "describe", instance],
    },
    {
      type: "google_spanner_database",
      what: `Spanner database ${database}`,
      importId: `projects/${projectId}/instances/${instance}/databases/${database}`,
      api: "spanner.googleapis.com",
      describe: ["spanner", "databases", "describe", database, `--instance=${instance}`],
    },
    ...[firestoreDatabase, ...(settings.hasSampleShop ? [shopDatabase] : [])].map((documents) => ({
      type: "google_firestore_database",
      what: `Firestore database ${documents}`,
      importId: `projects/${projectId}/databases/${documents}`,
      api: "firestore.googleapis.com",
      describe: ["firestore", "databases", "describe", `--database=${documents}`],
      name: documents,
    })),
    {
      type: "google_project_iam_custom_role",
      what: `role ${role}`,
      importId: `projects/${projectId}/roles/${role}`,
      api: "iam.googleapis.com",
      describe: ["iam", "roles", "describe", role],
      // A deleted role is a matter of names.
      isLive: (found) => found["deleted"] !== true,
    },
  ];
}

async function checkLeftovers(examined: Examined, known: readonly KnownResource[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const candidate of candidates(examined)) {
    const planned = examined.resources.find(
      ({ type, attributes }) =>
        type === candidate.type && (candidate.name === undefined || attributes["name"] === candidate.name),
    );
    if (planned === undefined || !examined.enabledApis.has(candidate.api)) continue;
    const isKnown = known.some(({ type, id }) => type === planned.type && id === planned.id);
    if (isKnown) continue;
    const found = await describe(examined.gcloud, candidate.describe);
    if (found === undefined || candidate.isLive?.(found) === false) continue;
    findings.push(
      blocks(
        `${candidate.what} exists, and Terraform does not know it; it is adopted by:`,
        "npm run app",
        `terraform -chdir=cdktf.out/stacks/${planned.stack} init`,
        `terraform -chdir=cdktf.out/stacks/${planned.stack} import ${planned.type}.${planned.id} ${candidate.importId}`,
      ),
    );
  }
  return findings.length > 0 ? findings : [fine("no store exists that Terraform does not know")];
}
