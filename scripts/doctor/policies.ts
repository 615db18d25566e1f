// Looks at the organization's policies that forbid what the stage would make.
// It must never advise to weaken a policy where the stage can do without.

import type { Examined, Finding } from "./finding.ts";
import { blocks, fine, warns } from "./finding.ts";

/** Findings on who may call, from where, and where things may be. */
export async function checkPolicies(examined: Examined): Promise<Finding[]> {
  return [await checkMembers(examined), await checkIngress(examined), await checkLocations(examined)];
}

/** Domain-restricted sharing, the default for organizations since May 2024, refuses `allUsers`. */
async function checkMembers(examined: Examined): Promise<Finding> {
  const { isPublic } = examined.settings;
  if (!isPublic) return fine("functions are closed, so no policy on public access matters");
  const policy = await effective(examined, "iam.allowedPolicyMemberDomains");
  if (policy === "unknown")
    return warns(
      "whether allUsers is allowed could not be read",
      readCommand(examined, "iam.allowedPolicyMemberDomains"),
    );
  if (policy === "all") return fine("functions may be public");
  return blocks(
    "the organization allows grants to its own domains only, and this stage is public (allUsers)",
    "npm run bootstrap -- --no-public",
    'npm run smoke -- --url URL --key KEY --identity-token "$(gcloud auth print-identity-token)"',
  );
}

async function checkIngress(examined: Examined): Promise<Finding> {
  const policy = await effective(examined, "run.allowedIngress");
  if (policy === "unknown" || policy === "all" || policy.includes("all"))
    return fine("services may be reached from everywhere");
  const cure = `gcloud resource-manager org-policies allow run.allowedIngress all --project=${examined.settings.projectId}`;
  return blocks(`services may be reached only from: ${policy.join(", ")}`, cure);
}

async function checkLocations(examined: Examined): Promise<Finding> {
  const policy = await effective(examined, "gcp.resourceLocations");
  const { projectId, region, stage } = examined.settings;
  if (policy === "unknown" || policy === "all" || policy.some((value) => value.includes(region))) {
    return fine(`${region} is an allowed location`);
  }
  // Groups such as in:us-locations are not resolved here, so this may be a false alarm.
  return warns(
    `locations are limited to ${policy.join(", ")}; ${region} must be among them`,
    `npm run bootstrap -- --project ${projectId} --region ALLOWED_REGION --stage ${stage}`,
  );
}

/** `all` where nothing is forbidden, else the allowed values. */
async function effective(examined: Examined, constraint: string): Promise<"all" | "unknown" | readonly string[]> {
  const { code, output } = await examined.gcloud([...describe(constraint), "--format=json"]);
  if (code !== 0) return "unknown";
  const { listPolicy } = JSON.parse(output || "{}") as {
    listPolicy?: { allValues?: string; allowedValues?: string[] };
  };
  if (listPolicy?.allValues === "DENY") return [];
  return listPolicy?.allowedValues ?? "all";
}

function readCommand({ settings }: Examined, constraint: string): string {
  return `gcloud ${describe(constraint).join(" ")} --project=${settings.projectId}`;
}

function describe(constraint: string): string[] {
  return ["resource-manager", "org-policies", "describe", constraint, "--effective"];
}
