/**
 * The rights that a function can be given, as sentences for the stacks: `may: [useLedger(ledger), …]`.
 * It must never grant on a project what can be granted on a resource, and never more than the adapters call.
 */
import { BigqueryDatasetIamMember } from "@cdktf/provider-google/lib/bigquery-dataset-iam-member/index.js";
import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member/index.js";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member/index.js";
import { SpannerDatabaseIamMember } from "@cdktf/provider-google/lib/spanner-database-iam-member/index.js";
import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { AdoptedSecret } from "./adopted-secret.ts";
import type { DocumentDatabase } from "./document-database.ts";
import type { HistoryWarehouse } from "./history-warehouse.ts";
import type { LedgerDatabase } from "./ledger-database.ts";

/** One right, given to a member (`serviceAccount:…`) inside a construct; what it returns must exist before its use. */
export type Grant = (scope: Construct, member: string) => ITerraformDependable;

/** Read and write rows of the ledger, without a right to change its schema. */
export function useLedger({ database, runtimeRole }: LedgerDatabase): Grant {
  return (scope, member) =>
    new SpannerDatabaseIamMember(scope, "uses-ledger", {
      instance: database.instance,
      database: database.name,
      role: runtimeRole.id,
      member,
    });
}

/**
 * Read and write documents of this database and no other. Firestore has no policy per database, so the grant stands on
 * the project with a condition on the database's name.
 */
export function useDocuments({ database }: DocumentDatabase): Grant {
  return (scope, member) =>
    new ProjectIamMember(scope, "uses-documents", {
      project: database.project,
      role: "roles/datastore.user",
      member,
      condition: {
        title: "only-this-database",
        expression: `resource.name == "projects/${database.project}/databases/${database.name}"`,
      },
    });
}

/** Read one secret. */
export function readSecret({ secret, node }: AdoptedSecret): Grant {
  return (scope, member) =>
    new SecretManagerSecretIamMember(scope, `reads-${node.id}`, {
      secretId: secret.secretId,
      role: "roles/secretmanager.secretAccessor",
      member,
    });
}

/** Ask the views of the history, and no table beneath them. */
export function readHistory({ views }: HistoryWarehouse): Grant {
  return (scope, member) =>
    new BigqueryDatasetIamMember(scope, "reads-history", {
      project: views.project,
      datasetId: views.datasetId,
      role: "roles/bigquery.dataViewer",
      member,
    });
}

/** Run queries, which the project pays for; they read what other grants let them read. A query belongs to no dataset. */
export function runQueries({ projectId: project }: Settings): Grant {
  return (scope, member) =>
    new ProjectIamMember(scope, "runs-queries", { project, role: "roles/bigquery.jobUser", member });
}

/** Send spans to the project's traces; a project has one set of them, so there is nothing smaller to grant it on. */
export function writeTraces(projectId: string): Grant {
  return (scope, member) =>
    new ProjectIamMember(scope, "writes-traces", { project: projectId, role: "roles/telemetry.tracesWriter", member });
}
