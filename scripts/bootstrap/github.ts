// Lets the workflows of one GitHub repository deploy this stage, without a key: workload identity federation.
// It must never trust another repository, nor make a key file. Teardown keeps it: a deleted pool's name is blocked for 30 days.

import { named } from "../../infra/settings.ts";
import { describe, type Gcloud, must } from "../gcloud.ts";
import type { Place, Step } from "./steps.ts";

/** The steps, in the order in which each needs the one before; none when no repository was named. */
export function github(place: Place): Step[] {
  const repository = place.file.githubRepository;
  if (repository === undefined) return [];
  const names = federationNames(place);
  return [
    { title: `identity pool ${names.pool}`, ensure: (gcloud) => ensurePool(gcloud, names.pool) },
    { title: `identity provider ${PROVIDER}`, ensure: (gcloud) => ensureProvider(gcloud, names.pool, repository) },
    { title: `service account ${names.email}`, ensure: (gcloud) => ensureAccount(gcloud, names) },
    {
      title: `${repository} may act as ${names.account}`,
      ensure: (gcloud) => ensureTrust(gcloud, place, names, repository),
    },
    {
      title: `${DEPLOYER_ROLES.length} roles of ${names.account}`,
      ensure: (gcloud) => ensureRoles(gcloud, place, names.email),
      notes: (gcloud) => workflowVariables(gcloud, place, names),
    },
  ];
}

type Names = { pool: string; account: string; email: string };

/** Names of what federation is made of, as teardown finds them too. */
export function federationNames({ settings }: Pick<Place, "settings">): Names {
  const account = named(settings, "deployer");
  return {
    pool: named(settings, "github"),
    account,
    email: `${account}@${settings.projectId}.iam.gserviceaccount.com`,
  };
}

/** Id of the provider inside the pool. */
const PROVIDER = "github";

/**
 * What a deploy creates and grants, product by product. Whoever sets a project's grants can give itself any of them, so
 * this is as much as the project's owner, except for deleting it and for billing.
 */
const DEPLOYER_ROLES = [
  "roles/serviceusage.serviceUsageAdmin",
  "roles/resourcemanager.projectIamAdmin",
  "roles/iam.serviceAccountAdmin",
  "roles/iam.serviceAccountUser",
  "roles/iam.roleAdmin",
  "roles/storage.admin",
  "roles/secretmanager.admin",
  "roles/spanner.admin",
  "roles/datastore.owner",
  "roles/artifactregistry.admin",
  "roles/cloudfunctions.admin",
  "roles/run.admin",
  "roles/cloudtasks.admin",
  "roles/cloudscheduler.admin",
  "roles/pubsub.admin",
  "roles/bigquery.admin",
  "roles/logging.configWriter",
  "roles/monitoring.editor",
];

const POOLS = ["iam", "workload-identity-pools"];
const GLOBAL = "--location=global";

async function ensurePool(gcloud: Gcloud, pool: string): Promise<string | null> {
  const found = await describe(gcloud, [...POOLS, "describe", pool, GLOBAL]);
  if (found === undefined) {
    await must(gcloud, [...POOLS, "create", pool, GLOBAL]);
    return "made";
  }
  if (found["state"] !== "DELETED") return null;
  await must(gcloud, [...POOLS, "undelete", pool, GLOBAL]);
  return "undeleted";
}

async function ensureProvider(gcloud: Gcloud, pool: string, repository: string): Promise<string | null> {
  const where = [PROVIDER, `--workload-identity-pool=${pool}`, GLOBAL];
  const found = await describe(gcloud, [...POOLS, "providers", "describe", ...where]);
  const condition = `assertion.repository == '${repository}'`;
  if (found?.["attributeCondition"] === condition && found["state"] !== "DELETED") return null;
  if (found?.["state"] === "DELETED") await must(gcloud, [...POOLS, "providers", "undelete", ...where]);
  await must(gcloud, [
    ...POOLS,
    "providers",
    found === undefined ? "create-oidc" : "update-oidc",
    ...where,
    "--issuer-uri=https://token.actions.githubusercontent.com",
    "--attribute-mapping=google.subject=assertion.sub,attribute.repository=assertion.repository",
    `--attribute-condition=${condition}`,
  ]);
  return found === undefined ? "made" : "repaired";
}

async function ensureAccount(gcloud: Gcloud, { account, email }: Names): Promise<string | null> {
  if ((await describe(gcloud, ["iam", "service-accounts", "describe", email])) !== undefined) return null;
  await must(gcloud, ["iam", "service-accounts", "create", account, "--display-name=Deploys from GitHub"]);
  return "made";
}

async function ensureTrust(gcloud: Gcloud, place: Place, names: Names, repository: string): Promise<string | null> {
  const pool = `projects/${await projectNumber(gcloud, place)}/locations/global/workloadIdentityPools/${names.pool}`;
  const member = `principalSet://iam.googleapis.com/${pool}/attribute.repository/${repository}`;
  const role = "roles/iam.workloadIdentityUser";
  const policy = await policyOf(gcloud, ["iam", "service-accounts", "get-iam-policy", names.email]);
  if (policy.some((binding) => binding.role === role && binding.members.includes(member))) return null;
  const grant = ["iam", "service-accounts", "add-iam-policy-binding", names.email];
  await must(gcloud, [...grant, `--role=${role}`, `--member=${member}`]);
  return "granted";
}

async function ensureRoles(gcloud: Gcloud, { file }: Place, email: string): Promise<string | null> {
  const member = `serviceAccount:${email}`;
  const policy = await policyOf(gcloud, ["projects", "get-iam-policy", file.projectId]);
  const held = policy.filter((binding) => binding.condition === undefined && binding.members.includes(member));
  const missing = DEPLOYER_ROLES.filter((role) => !held.some((binding) => binding.role === role));
  for (const role of missing) {
    const grant = ["projects", "add-iam-policy-binding", file.projectId];
    await must(gcloud, [...grant, `--member=${member}`, `--role=${role}`, "--condition=None", "--format=none"]);
  }
  return missing.length === 0 ? null : `granted ${missing.length}`;
}

type Binding = { role: string; members: string[]; condition?: unknown };

async function policyOf(gcloud: Gcloud, args: readonly string[]): Promise<Binding[]> {
  const policy = JSON.parse(await must(gcloud, [...args, "--format=json"])) as { bindings?: Binding[] };
  return policy.bindings ?? [];
}

async function projectNumber(gcloud: Gcloud, { file }: Place): Promise<string> {
  return await must(gcloud, ["projects", "describe", file.projectId, "--format=value(projectNumber)"]);
}

/** What a person enters once in the repository; none of it is a secret. */
async function workflowVariables(gcloud: Gcloud, place: Place, { pool, email }: Names): Promise<string[]> {
  const { file } = place;
  const parent = `projects/${await projectNumber(gcloud, place)}/locations/global/workloadIdentityPools/${pool}`;
  const variables: Record<string, string | undefined> = {
    WORKLOAD_IDENTITY_PROVIDER: `${parent}/providers/${PROVIDER}`,
    DEPLOYER: email,
    STAGE: file.stage,
    PROJECT_ID: file.projectId,
    REGION: file.region,
    PREFIX: file.prefix,
    PUBLIC: String(file.isPublic ?? false),
    ALERT_EMAIL: file.alertEmail,
    STATE_BUCKET: file.stateBucket,
    QUEUE_GENERATION: String(file.queueGeneration),
    IDEMPOTENCY_CACHE: file.idempotencyCache,
  };
  return Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `gh variable set ${name} --repo ${file.githubRepository} --body ${value}`);
}
