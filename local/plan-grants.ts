// The grants of the synthesized stacks: who holds which role on what.
// It must never allow what it does not understand: an unknown grant, role or condition stops the laptop.

import { type PlannedResource, PROJECT_NUMBER } from "./plan-resources.ts";
import { predefinedRoles } from "./roles.ts";

/** Everybody, with or without an identity. */
export const EVERYBODY = "allUsers";

/** The account under which Pub/Sub acts in the project: it signs its pushes' tokens and forwards dead letters. */
export const PUBSUB_AGENT = `serviceAccount:service-${PROJECT_NUMBER}@gcp-sa-pubsub.iam.gserviceaccount.com`;

/** One role that one member holds on one resource. */
export type PlannedGrant = {
  /** `serviceAccount:…` or `allUsers`. */
  member: string;
  role: string;
  /** What the role contains. */
  permissions: readonly string[];
  /** Full resource name, for example `projects/p/secrets/s`; it covers everything below it too. */
  resource: string;
};

/** Permissions by role: those that Google defines, as far as they are known here, and those that the stacks define. */
export type Roles = Readonly<Record<string, readonly string[]>>;

/** All roles that can be granted. */
export function readRoles(resources: readonly PlannedResource[]): Roles {
  const custom = resources.filter(({ type }) => type === "google_project_iam_custom_role");
  return {
    ...predefinedRoles,
    ...Object.fromEntries(custom.map((role) => [role.text("id"), role.value("permissions") as string[]])),
  };
}

/** A grant to somebody who does not act on the laptop: the builder of functions, a sink, an agent of a product. */
export type ForeignGrant = { member: string; role: string; address: string };

/**
 * All grants in the resources, those to the `actors` as rights. Grants to others give nobody here a right, so they need
 * not be understood; they are kept by name. What a product's agent may do to topics and subscriptions is kept apart: it is
 * used only when something went wrong for hours.
 */
export function readGrants(
  resources: readonly PlannedResource[],
  roles: Roles,
  actors: ReadonlySet<string>,
): { grants: PlannedGrant[]; buryingGrants: PlannedGrant[]; foreignGrants: ForeignGrant[] } {
  const all = resources.filter(({ type }) => /_iam_(?:member|binding|policy)$/.test(type));
  const isBurying = (resource: PlannedResource) =>
    resource.text("member") === PUBSUB_AGENT && resource.type.startsWith("google_pubsub_");
  // Whoever may call a function may do so here too. Pub/Sub's agent signs tokens here, and has no BigQuery to write to.
  const isActor = (resource: PlannedResource) =>
    actors.has(resource.text("member")) ||
    resource.type === "google_cloud_run_v2_service_iam_member" ||
    (resource.text("member") === PUBSUB_AGENT && resource.type === "google_service_account_iam_member");
  return {
    grants: all.filter(isActor).map((resource) => grantOf(resource, roles)),
    buryingGrants: all.filter(isBurying).map((resource) => grantOf(resource, roles)),
    foreignGrants: all
      .filter((resource) => !isActor(resource) && !isBurying(resource))
      .map((resource) => ({ member: resource.text("member"), role: resource.text("role"), address: resource.address })),
  };
}

function grantOf(resource: PlannedResource, roles: Roles): PlannedGrant {
  const role = resource.text("role");
  const permissions = roles[role];
  if (permissions === undefined)
    throw new Error(`plan: ${resource.address} grants ${role}, which local/roles.ts lacks`);
  return { member: resource.text("member"), role, permissions, resource: scopeOf(resource) };
}

/** True when the grant lets the member do it; what is granted to everybody is granted to each. */
export function isGranting(grant: PlannedGrant, wanted: Right): boolean {
  return (
    (grant.member === wanted.member || grant.member === EVERYBODY) &&
    grant.permissions.includes(wanted.permission) &&
    `${wanted.resource}/`.startsWith(`${grant.resource}/`)
  );
}

/** One thing that a member wants to do to a resource. */
export type Right = { member: string; permission: string; resource: string };

function scopeOf(grant: PlannedResource): string {
  const condition = grant.value("condition.expression");
  if (condition !== undefined) return conditionedScope(grant, String(condition));
  const scope = scopes[grant.type];
  if (scope === undefined) throw new Error(`plan: ${grant.address} is a kind of grant that the laptop does not know`);
  return scope((path) => grant.text(path));
}

/** Full resource name by type of grant. */
const scopes: Readonly<Record<string, (text: (path: string) => string) => string>> = {
  google_bigquery_dataset_iam_member: (text) => `projects/${text("project")}/datasets/${text("dataset_id")}`,
  google_project_iam_member: (text) => `projects/${text("project")}`,
  google_spanner_database_iam_member: (text) =>
    `projects/${text("project")}/instances/${text("instance")}/databases/${text("database")}`,
  google_secret_manager_secret_iam_member: (text) => `projects/${text("project")}/secrets/${text("secret_id")}`,
  google_pubsub_topic_iam_member: (text) => named(text("topic"), `projects/${text("project")}/topics`),
  google_pubsub_subscription_iam_member: (text) =>
    named(text("subscription"), `projects/${text("project")}/subscriptions`),
  google_service_account_iam_member: (text) => text("service_account_id"),
  google_cloud_tasks_queue_iam_member: (text) =>
    `projects/${text("project")}/locations/${text("location")}/queues/${text("name")}`,
  google_cloud_run_v2_service_iam_member: (text) => {
    const name = text("name");
    return name.startsWith("projects/")
      ? name
      : `projects/${text("project")}/locations/${text("location")}/services/${name}`;
  },
};

/** Pub/Sub's resources may be named in full or by their last part. */
function named(name: string, parent: string): string {
  return name.startsWith("projects/") ? name : `${parent}/${name}`;
}

/** The one condition in use: only this resource. */
function conditionedScope(grant: PlannedResource, expression: string): string {
  const name = /^resource\.name == "([^"]+)"$/.exec(expression)?.[1];
  if (name === undefined)
    throw new Error(`plan: ${grant.address} has a condition that the laptop does not know: ${expression}`);
  return name;
}
