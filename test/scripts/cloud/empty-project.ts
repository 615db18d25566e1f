// Answers of a project in which nothing was made yet; what a command makes is there afterwards.
// It must never answer for a command that bootstrap does not need.
import { generatedSecrets } from "../../../infra/settings.ts";
import type { FakeCloud } from "./fake-cloud.ts";

/** The project's id in every test of the life cycle. */
export const PROJECT = "payments-lab-1";

/** The bucket that bootstrap makes there. */
export const BUCKET = `${PROJECT}-tfstate`;

/** What gcloud says of a bucket that is as it should be. */
export const soundBucket = JSON.stringify({
  name: BUCKET,
  versioning_enabled: true,
  uniform_bucket_level_access: true,
  public_access_prevention: "enforced",
  lifecycle_config: { rule: [{ action: { type: "Delete" } }] },
});

const missing = { code: 1, complaint: "ERROR: NOT_FOUND: it does not exist" };

/** Scripts the project's answers. */
export function scriptEmptyProject({ answer }: FakeCloud): void {
  answer("gcloud", "projects describe * --format=value(projectNumber)*", { output: "424242" });
  answer("gcloud", "services list *", { output: "bigquery.googleapis.com" });
  answer("gcloud", "services enable *", {});
  answer("gcloud", "services list *", { after: "services enable", output: allApis });
  appears(answer, "storage buckets describe *", "storage buckets update", soundBucket);
  answer("gcloud", "storage buckets create *", {});
  answer("gcloud", "storage buckets update *", {});
  for (const name of generatedSecrets) {
    appears(answer, `secrets describe *${name}*`, `secrets create [^ ]*${name}`, "{}");
    answer("gcloud", `secrets versions list *${name}*`, {});
    answer("gcloud", `secrets versions list *${name}*`, { after: `secrets versions add [^ ]*${name}`, output: "1" });
  }
  answer("gcloud", "secrets create *", {});
  answer("gcloud", "secrets versions add *", {});
}

/** Scripts what `--github` asks beside that. */
export function scriptFederation({ answer }: FakeCloud, repository: string): void {
  const pools = "iam workload-identity-pools";
  const email = `deployer@${PROJECT}.iam.gserviceaccount.com`;
  const principal = `principalSet://iam.googleapis.com/projects/424242/locations/global/workloadIdentityPools/github/attribute.repository/${repository}`;
  appears(answer, `${pools} describe *`, "workload-identity-pools create", `{"state":"ACTIVE"}`);
  answer("gcloud", `${pools} create *`, {});
  const provider = JSON.stringify({ state: "ACTIVE", attributeCondition: `assertion.repository == '${repository}'` });
  appears(answer, `${pools} providers describe *`, "providers create-oidc", provider);
  answer("gcloud", `${pools} providers create-oidc *`, {});
  answer("gcloud", `${pools} providers update-oidc *`, {});
  appears(answer, "iam service-accounts describe *", "service-accounts create", "{}");
  answer("gcloud", "iam service-accounts create *", {});
  answer("gcloud", "iam service-accounts get-iam-policy *", { output: "{}" });
  const trust = { bindings: [{ role: "roles/iam.workloadIdentityUser", members: [principal] }] };
  answer("gcloud", "iam service-accounts get-iam-policy *", {
    after: "service-accounts add-iam-policy-binding",
    output: JSON.stringify(trust),
  });
  answer("gcloud", "iam service-accounts add-iam-policy-binding *", {});
  answer("gcloud", "projects get-iam-policy *", { output: `{"bindings":[]}` });
  answer("gcloud", "projects add-iam-policy-binding *", {});
  // Once the last of the roles was granted, all of them are held.
  const held = roles.map((role) => ({ role, members: [`serviceAccount:${email}`] }));
  answer("gcloud", "projects get-iam-policy *", {
    after: "roles/monitoring.editor",
    output: JSON.stringify({ bindings: held }),
  });
}

function appears(answer: FakeCloud["answer"], pattern: string, after: string, output: string): void {
  answer("gcloud", pattern, missing);
  answer("gcloud", pattern, { after, output });
}

/** Everything that bootstrap may want to be on. */
const allApis = [
  "cloudresourcemanager.googleapis.com",
  "serviceusage.googleapis.com",
  "iam.googleapis.com",
  "iamcredentials.googleapis.com",
  "storage.googleapis.com",
  "secretmanager.googleapis.com",
  "sts.googleapis.com",
].join("\n");

/** What the deployer needs, written down a second time, so that a role more is a decision. */
export const roles = [
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
