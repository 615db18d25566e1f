// The problems that the doctor must find: which answer of which tool means trouble, in which group of checks, and the cure.
// It must never hold a problem without a cure.
import { requiredApis } from "../../../infra/apis.ts";
import { PROJECT } from "./empty-project.ts";
import type { Scripted, Tool } from "./fake-cloud.ts";
import { missing } from "./sound-project.ts";

/** A group of checks: a file of scripts/doctor/. */
export type Group = "tools" | "project" | "region" | "policies" | "quotas" | "state" | "names";

/** The answer that means trouble; of `lines` the first is the finding, the others its cure, each a part of a line. */
export type Problem = [
  title: string,
  group: Group,
  tool: Tool,
  pattern: string,
  answer: Scripted,
  lines: readonly string[],
];
const P = `--project=${PROJECT}`;
const refused: Scripted = { code: 1, complaint: "PERMISSION_DENIED" };
/** The command that repairs whatever bootstrap makes. */
export const bootstrap = `npm run bootstrap -- --project ${PROJECT} --region us-central1 --stage dev`;

/** What stops a deploy: the line, then its cure. */
export const stopping: readonly Problem[] = [
  [
    "an old Terraform",
    "tools",
    "terraform",
    "version*",
    { output: '{"terraform_version":"1.10.5"}' },
    ["terraform 1.10.5 is older than 1.11", "https://developer.hashicorp.com/terraform/install"],
  ],
  ["a gcloud without a login", "tools", "gcloud", "auth list*", {}, ["gcloud is not logged in", "gcloud auth login"]],
  [
    "no application-default credentials",
    "tools",
    "gcloud",
    "auth application-default*",
    refused,
    ["there are no application-default", "gcloud auth application-default login"],
  ],
  [
    "a project that is not there",
    "project",
    "gcloud",
    "projects describe*",
    refused,
    [`${PROJECT} does not exist, or you may not read it`, `gcloud projects create ${PROJECT}`],
  ],
  [
    "a project that is being deleted",
    "project",
    "gcloud",
    "projects describe*",
    { output: "DELETE_REQUESTED" },
    [`${PROJECT} does not exist`, "gcloud projects create"],
  ],
  [
    "no billing",
    "project",
    "gcloud",
    "billing*",
    { output: "False" },
    [
      `nobody pays for ${PROJECT}`,
      "gcloud billing accounts list",
      `gcloud billing projects link ${PROJECT} --billing-account=ACCOUNT_ID`,
    ],
  ],
  [
    "first APIs that are off",
    "project",
    "gcloud",
    "services list*",
    { output: "iam.googleapis.com\nstorage.googleapis.com" },
    [
      "3 of the 5 first APIs are off",
      `gcloud services enable cloudresourcemanager.googleapis.com serviceusage.googleapis.com iamcredentials.googleapis.com ${P}`,
    ],
  ],
  [
    "a state bucket that is gone",
    "project",
    "gcloud",
    "storage buckets describe*",
    missing,
    [`there is no gs://${PROJECT}-tfstate`, bootstrap],
  ],
  [
    "a secret without a value",
    "project",
    "gcloud",
    "secrets versions list*",
    {},
    ["acquirer-secret: no value", bootstrap],
  ],
  [
    "a secret whose mounted version is disabled",
    "project",
    "gcloud",
    "secrets versions list*",
    { output: "2\tenabled\n1\tdisabled" },
    [
      "version 1 of secret acquirer-secret, which functions mount, is disabled",
      `gcloud secrets versions enable 1 --secret=acquirer-secret ${P}`,
    ],
  ],
  [
    "a region without the runtime",
    "region",
    "gcloud",
    "functions runtimes list*",
    { output: "nodejs20\nnodejs22" },
    [
      "Cloud Run functions, runtime nodejs24 is not offered for us-central1",
      "gcloud functions runtimes list --region=us-central1",
      `npm run bootstrap -- --project ${PROJECT} --region ANOTHER_REGION`,
    ],
  ],
  [
    "a region without Spanner",
    "region",
    "gcloud",
    "spanner instance-configs list*",
    { output: "projects/p/instanceConfigs/nam3" },
    ["Spanner, configuration regional-us-central1 is not offered"],
  ],
  [
    "a region without Firestore",
    "region",
    "gcloud",
    "firestore locations list*",
    { output: "nam5" },
    ["Firestore, location us-central1 is not offered"],
  ],
  [
    "a region without Cloud Tasks",
    "region",
    "gcloud",
    "tasks locations list*",
    { output: "europe-west1" },
    ["Cloud Tasks, location us-central1 is not offered"],
  ],
  [
    "a region without Cloud Scheduler",
    "region",
    "gcloud",
    "scheduler locations list*",
    { output: "europe-west1" },
    ["Cloud Scheduler, location us-central1 is not offered"],
  ],
  [
    "F12: an organization that forbids allUsers",
    "policies",
    "gcloud",
    "resource-manager*allowedPolicyMemberDomains*",
    { output: '{"listPolicy":{"allowedValues":["C0123"]}}' },
    ["allows grants to its own domains only", "npm run bootstrap -- --no-public", "--identity-token"],
  ],
  [
    "services that may only be reached from inside",
    "policies",
    "gcloud",
    "resource-manager*run.allowedIngress*",
    { output: '{"listPolicy":{"allowedValues":["internal"]}}' },
    ["services may be reached only from: internal", `org-policies allow run.allowedIngress all ${P}`],
  ],
  [
    "F14: queues of a newer generation",
    "names",
    "gcloud",
    "tasks queues list*",
    { output: "projects/p/locations/l/queues/webhooks-fast-g3" },
    ["queues of generation 3 exist, and this clone would go back to 2", '"queueGeneration": 3'],
  ],
  [
    "F30: a lock that a killed run left",
    "state",
    "gcloud",
    "storage objects describe gs://*/dev/data/default.tflock*",
    { output: "1700000000000000" },
    [
      "the state of data is locked",
      "npm run app",
      "terraform -chdir=cdktf.out/stacks/data init",
      "terraform -chdir=cdktf.out/stacks/data force-unlock 1700000000000000",
    ],
  ],
];

/** What a person should know, while a deploy goes on. */
export const noted: readonly Problem[] = [
  [
    "billing that may not be read",
    "project",
    "gcloud",
    "billing*",
    refused,
    ["could not be read", "gcloud billing accounts list"],
  ],
  [
    "a channel that was switched off",
    "project",
    "gcloud",
    "beta monitoring channels list*",
    { output: "projects/p/notificationChannels/7" },
    [
      "the channel to ops@example.com is switched off",
      "gcloud beta monitoring channels update projects/p/notificationChannels/7 --enabled",
    ],
  ],
  [
    "APIs that the first deploy switches on",
    "region",
    "gcloud",
    "services list*",
    { output: requiredApis.filter((api) => !api.startsWith("cloudfunctions")).join("\n") },
    ["runtime nodejs24: not asked, as its API is off", `gcloud services enable cloudfunctions.googleapis.com ${P}`],
  ],
  [
    "locations that are limited",
    "policies",
    "gcloud",
    "resource-manager*resourceLocations*",
    { output: '{"listPolicy":{"allowedValues":["in:eu-locations"]}}' },
    ["locations are limited to in:eu-locations", "--region ALLOWED_REGION"],
  ],
  [
    "a quota of zero",
    "quotas",
    "gcloud",
    "beta quotas*spanner*",
    {
      output:
        '[{"quotaId":"NodesPerRegion","dimensionsInfos":[{"applicableLocations":["us-central1"],"details":{"value":"0"}}]}]',
    },
    ["zero in us-central1: NodesPerRegion", `https://console.cloud.google.com/iam-admin/quotas?project=${PROJECT}`],
  ],
  [
    "quotas that may not be read",
    "quotas",
    "gcloud",
    "beta quotas*run.*",
    refused,
    ["quotas of run.googleapis.com could not be read", `gcloud services enable cloudquotas.googleapis.com ${P}`],
  ],
  [
    "a role that was deleted",
    "names",
    "gcloud",
    "iam roles describe*",
    { output: '{"deleted":true}' },
    ["role paymentsLedgerRuntime was deleted", `gcloud iam roles undelete paymentsLedgerRuntime ${P}`],
  ],
];
