/**
 * Spanner: the instance, the database with its schema, its backups, and the role under which functions use it.
 * It must never give that role a right over the schema: Google's own databaseUser role has one.
 */
import { ProjectIamCustomRole } from "@cdktf/provider-google/lib/project-iam-custom-role/index.js";
import { SpannerBackupSchedule } from "@cdktf/provider-google/lib/spanner-backup-schedule/index.js";
import { SpannerDatabase } from "@cdktf/provider-google/lib/spanner-database/index.js";
import { SpannerInstance } from "@cdktf/provider-google/lib/spanner-instance/index.js";
import { Construct } from "constructs";
import { readDdl } from "../ddl.ts";
import { type Settings, storeNames } from "../settings.ts";

/** The ledger's database. */
export class LedgerDatabase extends Construct {
  readonly database: SpannerDatabase;
  readonly runtimeRole: ProjectIamCustomRole;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { isProtected, spanner } = settings;
    const names = storeNames(settings);
    const isFreeTrial = spanner.processingUnits === null;
    const instance = new SpannerInstance(this, "instance", {
      name: names.spannerInstance,
      displayName: names.spannerInstance,
      config: spanner.multiRegion ?? `regional-${settings.region}`,
      instanceType: isFreeTrial ? "FREE_INSTANCE" : "PROVISIONED",
      ...(spanner.processingUnits === null ? {} : { processingUnits: spanner.processingUnits }),
      ...(spanner.edition === null ? {} : { edition: spanner.edition }),
      // The schedule below says what is kept. Google's own, AUTOMATIC, would keep a second set for a week.
      defaultBackupScheduleType: "NONE",
      // Backups block the deletion of an instance, so an unprotected stage deletes what somebody made by hand.
      forceDestroy: !isProtected,
      lifecycle: { preventDestroy: isProtected },
    });
    this.database = new SpannerDatabase(this, "database", {
      instance: instance.name,
      name: names.spannerDatabase,
      databaseDialect: "GOOGLE_STANDARD_SQL",
      // The provider sends only what follows the statements it already sent, and replaces the database if those changed.
      ddl: readDdl(),
      versionRetentionPeriod: `${spanner.versionRetentionDays}d`,
      // The first is Terraform's own guard, the second holds against every tool and guards the instance too.
      deletionProtection: isProtected,
      enableDropProtection: isProtected,
      lifecycle: { preventDestroy: isProtected },
    });
    // The free trial has no backups.
    if (spanner.backupRetentionDays !== null && !isFreeTrial) {
      new SpannerBackupSchedule(this, "daily-backup", {
        instance: instance.name,
        database: this.database.name,
        name: "daily",
        // 3 in the morning in UTC, outside the busy hours of Europe and America; cron's day is the longest a day may be lost.
        spec: { cronSpec: { text: "0 3 * * *" } },
        retentionDuration: `${spanner.backupRetentionDays * SECONDS_PER_DAY}s`,
        fullBackupSpec: {},
      });
    }
    this.runtimeRole = new ProjectIamCustomRole(this, "runtime-role", {
      roleId: names.ledgerRole,
      title: "Payments ledger runtime",
      description: "Reads and writes rows of the ledger; no right to change or drop its schema.",
      permissions: RUNTIME_PERMISSIONS,
    });
  }
}

const SECONDS_PER_DAY = 24 * 60 * 60;

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
