// A fresh database with the whole schema on Google's Spanner emulator, which SPANNER_EMULATOR_HOST must name.
// It must never run against anything else: without that variable it refuses.
import { randomBytes } from "node:crypto";
import { Spanner } from "@google-cloud/spanner";
import { type OpenSpanner, openSpanner, type SpannerNames } from "../../functions/adapters/spanner-client.ts";
import { rowCodecs } from "../../functions/adapters/spanner-rows.ts";
import type { Tables } from "../../functions/domain/rows.ts";
import { readDdl } from "../../infra/ddl.ts";

/** A database that only the caller knows. `rows` reads a whole table. */
export type EmulatorDatabase = OpenSpanner & {
  names: SpannerNames;
  rows<T extends keyof Tables>(table: T): Promise<readonly Tables[T][]>;
};

/** Creates a database from `ddl`, by default the project's own, and opens it. */
export async function openEmulatorDatabase(ddl: readonly string[] = readDdl()): Promise<EmulatorDatabase> {
  if (process.env["SPANNER_EMULATOR_HOST"] === undefined) throw new Error("SPANNER_EMULATOR_HOST is not set");
  const names = { projectId: "local-project", instance: "tests", database: `t${randomBytes(8).toString("hex")}` };
  await createDatabase(names, ddl);
  const opened = openSpanner(names, () => {});
  return { ...opened, names, rows: (table) => allRows(opened, table) };
}

/** gRPC code ALREADY_EXISTS: another test file made the instance. */
const ALREADY_EXISTS = 6;

async function createDatabase(names: SpannerNames, ddl: readonly string[]): Promise<void> {
  const spanner = new Spanner({ projectId: names.projectId, disableBuiltInMetrics: true });
  const parent = `projects/${names.projectId}`;
  try {
    const config = `${parent}/instanceConfigs/emulator-config`;
    const [making] = await spanner.getInstanceAdminClient().createInstance({
      parent,
      instanceId: names.instance,
      instance: { config, displayName: names.instance, nodeCount: 1 },
    });
    await making.promise();
  } catch (error) {
    if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
  }
  const [making] = await spanner.getDatabaseAdminClient().createDatabase({
    parent: `${parent}/instances/${names.instance}`,
    createStatement: `CREATE DATABASE \`${names.database}\``,
    extraStatements: [...ddl],
  });
  await making.promise();
  await spanner.close();
}

async function allRows<T extends keyof Tables>({ database }: OpenSpanner, table: T): Promise<readonly Tables[T][]> {
  const sql = `SELECT ARRAY(${rowCodecs[table].select}) AS found`;
  const [rows] = await database.run({ sql, json: true, jsonOptions: { wrapNumbers: true } });
  const [{ found }] = rows as unknown as [{ found: Record<string, unknown>[] }];
  return found.map((columns) => rowCodecs[table].read(columns));
}
