// The APIs without which neither bootstrap nor Terraform can do anything; the stacks switch on all the others.
// It must never switch one off.

import { bootstrapApis } from "../../infra/apis.ts";
import { lines, must } from "../gcloud.ts";
import type { Place, Step } from "./steps.ts";

/** Holds the generated values, which bootstrap stores before Terraform runs for the first time. */
const SECRETS_API = "secretmanager.googleapis.com";

/** Exchanges the identity of a workflow for that of the deployer. */
const FEDERATION_API = "sts.googleapis.com";

/** The step. */
export function apis({ file }: Place): Step[] {
  const wanted = [...bootstrapApis, SECRETS_API, ...(file.githubRepository === undefined ? [] : [FEDERATION_API])];
  return [
    {
      title: `${wanted.length} APIs of ${file.projectId}`,
      ensure: async (gcloud) => {
        const enabled = await lines(gcloud, ["services", "list", "--enabled", "--format=value(config.name)"]);
        const missing = wanted.filter((api) => !enabled.includes(api));
        if (missing.length === 0) return null;
        await must(gcloud, ["services", "enable", ...missing]);
        return `switched on ${missing.length}`;
      },
    },
  ];
}
