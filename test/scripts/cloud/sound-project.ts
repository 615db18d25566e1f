// Answers of a machine and a project in which nothing would stop a deploy, before the first one or after it.
// It must never answer for a command that the doctor or the teardown do not need.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { requiredApis } from "../../../infra/apis.ts";
import type { StageFile } from "../../../infra/stage-file.ts";
import { BUCKET, PROJECT, soundBucket } from "./empty-project.ts";
import type { FakeCloud } from "./fake-cloud.ts";

/** What bootstrap wrote. */
export const soundStage: StageFile = {
  stage: "dev",
  projectId: PROJECT,
  region: "us-central1",
  alertEmail: "ops@example.com",
  isPublic: true,
  stateBucket: BUCKET,
  queueGeneration: 2,
};

/** Writes stage.local.json. */
export function writeStage(cloud: FakeCloud, changes: Partial<StageFile> = {}): void {
  writeFileSync(cloud.stageFile, JSON.stringify({ ...soundStage, ...changes }));
}

/** What gcloud says of something that is not there. */
export const missing = { code: 1, complaint: "ERROR: NOT_FOUND: it does not exist" };

/** Scripts everything as it should be: bootstrap was here, all APIs are on, nothing is deployed. */
export function scriptSoundProject(cloud: FakeCloud): void {
  const { answer, folder } = cloud;
  writeStage(cloud);
  const configuration = path.join(folder, "gcloud");
  mkdirSync(configuration);
  const credentials = { type: "authorized_user", quota_project_id: PROJECT, refresh_token: "not-to-be-shown" };
  writeFileSync(path.join(configuration, "application_default_credentials.json"), JSON.stringify(credentials));
  answer("terraform", "version -json", { output: '{"terraform_version": "1.11.4"}' });
  answer("gcloud", "version *", { output: "528.0.0" });
  answer("gcloud", "auth list *", { output: "anna@example.com" });
  answer("gcloud", "auth application-default print-access-token *", { output: "ya29.not-to-be-shown" });
  answer("gcloud", "info *", { output: configuration });
  answer("gcloud", "projects describe *", { output: "ACTIVE" });
  answer("gcloud", "billing projects describe *", { output: "True" });
  answer("gcloud", "services list *", { output: requiredApis.join("\n") });
  answer("gcloud", "storage buckets describe *", { output: soundBucket });
  answer("gcloud", "secrets versions list *", { output: "1\tenabled" });
  answer("gcloud", "beta monitoring channels list *", {});
  scriptRegion(cloud);
  answer("gcloud", "resource-manager org-policies describe *", { output: '{"listPolicy":{"allValues":"ALLOW"}}' });
  answer("gcloud", "beta quotas info list *", { output: "[]" });
  answer("gcloud", "storage objects describe *", missing);
  answer("gcloud", "storage cat *", { code: 1, complaint: "ERROR: The following URLs matched no objects" });
  answer("gcloud", "spanner instances describe *", missing);
  answer("gcloud", "spanner databases describe *", missing);
  answer("gcloud", "firestore databases describe *", missing);
  answer("gcloud", "iam roles describe *", missing);
  answer("gcloud", "tasks queues list *", {});
}

function scriptRegion({ answer }: FakeCloud): void {
  const locations = { output: "europe-west1\nus-central1" };
  answer("gcloud", "functions runtimes list *", { output: "nodejs22\nnodejs24\npython312" });
  answer("gcloud", "spanner instance-configs list *", { output: "projects/p/instanceConfigs/regional-us-central1" });
  answer("gcloud", "firestore locations list *", locations);
  answer("gcloud", "tasks locations list *", locations);
  answer("gcloud", "scheduler locations list *", locations);
}
