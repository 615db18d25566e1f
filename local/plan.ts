// The synthesized stacks as the laptop needs them: functions with their environment, grants, stores.
// It must never add anything that the stacks do not declare; what is not planned does not run here either.

import { environmentNames, type FunctionName, functionNames } from "../functions/config.ts";
import { type PlannedBus, readBus } from "./plan-bus.ts";
import { EVERYBODY, type ForeignGrant, type PlannedGrant, type Roles, readGrants, readRoles } from "./plan-grants.ts";
import { type PlannedHistory, readHistory } from "./plan-history.ts";
import { type PlannedJob, readJobs } from "./plan-jobs.ts";
import { type PlannedQueue, readQueues } from "./plan-queues.ts";
import { type PlannedResource, PROJECT_NUMBER, readResources } from "./plan-resources.ts";

/** Everything that is deployed, as far as the laptop runs it. */
export type Plan = {
  functions: PlannedFunction[];
  /** Scheduled calls. */
  jobs: PlannedJob[];
  /** Topics and subscriptions. */
  bus: PlannedBus;
  queues: PlannedQueue[];
  /** Tables, views and exports of log lines. */
  history: PlannedHistory;
  /** Grants to who acts on the laptop. */
  grants: PlannedGrant[];
  /** Grants by which Pub/Sub's agent takes dead letters from subscriptions and puts them on their topic. */
  buryingGrants: PlannedGrant[];
  /** Grants to who does not. */
  foreignGrants: ForeignGrant[];
  roles: Roles;
  ledger: PlannedLedger;
};

/** One function. */
export type PlannedFunction = {
  name: FunctionName;
  /** Name of its service in the cloud: the function's name, perhaps with a prefix. */
  deployedName: string;
  /** Member that grants name: `serviceAccount:…`. */
  member: string;
  /** Full resource name of its Cloud Run service. */
  service: string;
  environment: Record<string, string>;
  /** Variables that come from a secret: variable name to the secret's full resource name. */
  secrets: Record<string, string>;
  /** Full name of the connector through which it reaches private addresses; undefined without one. */
  connector: string | undefined;
};

/** The database of the ledger, and the statements that make it. */
export type PlannedLedger = { projectId: string; instance: string; database: string; ddl: string[] };

/** Reads the folder that CDKTF wrote (`cdktf.out`). */
export function readPlan(folder: string): Plan {
  const resources = readResources(folder);
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const roles = readRoles(resources);
  const [database, ...more] = ofType("google_spanner_database");
  if (database === undefined || more.length > 0) throw new Error("plan: exactly one Spanner database is expected");
  const functions = ofType("google_cloudfunctions2_function").map(functionOf);
  const jobs = readJobs(resources);
  const bus = readBus(resources);
  return {
    functions,
    jobs,
    bus,
    queues: readQueues(resources),
    history: readHistory(resources),
    ...readGrants(resources, roles, actorsOf(functions, jobs, bus)),
    roles,
    ledger: {
      projectId: database.text("project"),
      instance: database.text("instance"),
      database: database.text("name"),
      ddl: database.value("ddl") as string[],
    },
  };
}

/** The accounts under which Google's products act in the project. */
export const SCHEDULER_AGENT = `serviceAccount:service-${PROJECT_NUMBER}@gcp-sa-cloudscheduler.iam.gserviceaccount.com`;
export const TASKS_AGENT = `serviceAccount:service-${PROJECT_NUMBER}@gcp-sa-cloudtasks.iam.gserviceaccount.com`;

/** Who acts on the laptop: everybody, the functions, products of Google's, and the accounts in whose name these call. */
function actorsOf(functions: readonly PlannedFunction[], jobs: readonly PlannedJob[], bus: PlannedBus): Set<string> {
  const pushes = bus.subscriptions.flatMap(({ delivery }) => (delivery.kind === "push" ? [delivery] : []));
  const callers = [...jobs, ...pushes].flatMap(({ token }) =>
    token === undefined ? [] : [`serviceAccount:${token.account}`],
  );
  return new Set([EVERYBODY, SCHEDULER_AGENT, TASKS_AGENT, ...functions.map(({ member }) => member), ...callers]);
}

/** The function with this name. */
export function plannedFunction(plan: Plan, name: FunctionName): PlannedFunction {
  const found = plan.functions.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`plan: ${name} is not deployed`);
  return found;
}

/** Full resource name of the Spanner database that the function's environment names. */
export function ledgerOf({ environment }: PlannedFunction): string {
  const [project, instance, database] = [
    environmentNames.project,
    environmentNames.spannerInstance,
    environmentNames.spannerDatabase,
  ].map((name) => environment[name]);
  return `projects/${project}/instances/${instance}/databases/${database}`;
}

/** Full name of the topic that the function's environment names. */
export function topicOf({ environment }: PlannedFunction): string {
  return environment[environmentNames.eventsTopic] ?? "";
}

/** Full resource name of the Firestore database that the function's environment names. */
export function documentsOf({ environment }: PlannedFunction): string {
  return `projects/${environment[environmentNames.project]}/databases/${environment[environmentNames.firestoreDatabase]}`;
}

function functionOf(resource: PlannedResource): PlannedFunction {
  const entryPoint = resource.text("build_config.entry_point");
  const name = functionNames.find((candidate) => candidate === entryPoint);
  if (name === undefined) throw new Error(`plan: there is no code for the function ${entryPoint}`);
  return {
    name,
    deployedName: resource.text("name"),
    member: `serviceAccount:${resource.text("service_config.service_account_email")}`,
    service: resource.text("service_config[0].service"),
    environment: (resource.value("service_config.environment_variables") ?? {}) as Record<string, string>,
    secrets: secretsOf(resource),
    connector: resource.value("service_config.vpc_connector") as string | undefined,
  };
}

type MountedSecret = { key: string; project_id: string; secret: string };

function secretsOf(resource: PlannedResource): Record<string, string> {
  const mounted = (resource.value("service_config.secret_environment_variables") ?? []) as MountedSecret[];
  return Object.fromEntries(
    mounted.map(({ key, project_id, secret }) => [key, `projects/${project_id}/secrets/${secret}`]),
  );
}
