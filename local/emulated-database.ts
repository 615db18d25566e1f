// Makes the planned Spanner instance and database on the emulator.
// It must never run against anything but an emulator.

import { Spanner } from "@google-cloud/spanner";
import type { PlannedLedger } from "./plan.ts";

/** Makes both; the emulator that SPANNER_EMULATOR_HOST names starts empty. */
export async function createDatabase({ projectId, instance, database, ddl }: PlannedLedger): Promise<void> {
  if (!process.env["SPANNER_EMULATOR_HOST"]) throw new Error("there is no Spanner emulator to make a database on");
  const spanner = new Spanner({ projectId, disableBuiltInMetrics: true });
  const project = `projects/${projectId}`;
  // The generated clients: the friendlier ones open sessions in the background, which fail when the client is closed.
  const [makingInstance] = await spanner.getInstanceAdminClient().createInstance({
    parent: project,
    instanceId: instance,
    instance: { config: `${project}/instanceConfigs/emulator-config`, displayName: instance, nodeCount: 1 },
  });
  await makingInstance.promise();
  const [makingDatabase] = await spanner.getDatabaseAdminClient().createDatabase({
    parent: `${project}/instances/${instance}`,
    createStatement: `CREATE DATABASE \`${database}\``,
    extraStatements: ddl,
  });
  await makingDatabase.promise();
  await spanner.close();
}
