/**
 * Spanner: the instance, the database with its schema, and the role under which functions use it.
 * It must never give that role a right over the schema: Google's own databaseUser role has one.
 */
import { ProjectIamCustomRole } from "@cdktf/provider-google/lib/project-iam-custom-role/index.js";
import { SpannerDatabase } from "@cdktf/provider-google/lib/spanner-database/index.js";
import { SpannerInstance } from "@cdktf/provider-google/lib/spanner-instance/index.js";
import { Construct } from "constructs";
import { readDdl } from "../ddl.ts";
import { named, type Settings, storeNames } from "../settings.ts";

/** The ledger's database. */
export class LedgerDatabase extends Construct {
  readonly database: SpannerDatabase;
  readonly runtimeRole: ProjectIamCustomRole;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { isProtected, spanner } = settings;
    const names = storeNames(settings);
    const instance = new SpannerInstance(this, "instance", {
      name: names.spannerInstance,
      displayName: names.spannerInstance,
      config: spanner.multiRegion ?? `regional-${settings.region}`,
      processingUnits: spanner.processingUnits,
      edition: spanner.edition,
      // Backups block the deletion of an instance, so an unprotected stage makes none and deletes what there is.
      defaultBackupScheduleType: isProtected ? "AUTOMATIC" : "NONE",
      forceDestroy: !isProtected,
    });
    this.database = new SpannerDatabase(this, "database", {
      instance: instance.name,
      name: names.spannerDatabase,
      databaseDialect: "GOOGLE_STANDARD_SQL",
      ddl: readDdl(),
      versionRetentionPeriod: `${spanner.versionRetentionDays}d`,
      // The first is Terraform's own guard, the second holds against every tool and guards the instance too.
      deletionProtection: isProtected,
      enableDropProtection: isProtected,
      lifecycle: { preventDestroy: isProtected },
    });
    this.runtimeRole = new ProjectIamCustomRole(this, "runtime-role", {
      // Stable for ever: a deleted role's id stays blocked for up to 37 days. Hyphens are not allowed in it.
      roleId: named(settings, "paymentsLedgerRuntime").replaceAll("-", "_"),
      title: "Payments ledger runtime",
      description: "Reads and writes rows of the ledger; no right to change or drop its schema.",
      permissions: RUNTIME_PERMISSIONS,
    });
  }
}

/** What the Spanner client calls at run time: sessions, transactions, reads, queries and commits. */
const RUNTIME_PERMISSIONS = [
  "spanner.databases.beginOrRollbackReadWriteTransaction",
  "spanner.databases.beginReadOnlyTransaction",
  "spanner.databases.read",
  "spanner.databases.select",
  "spanner.databases.write",
  "spanner.sessions.create",
  "spanner.sessions.delete",
  "spanner.sessions.get",
  "spanner.sessions.list",
];
