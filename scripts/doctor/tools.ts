// Looks at this machine: gcloud, its login, the credentials that Terraform uses, Terraform itself.
// It must never show a token: commands that print one are asked for their exit code only.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gcloud } from "../gcloud.ts";
import { type Answer, runCommand } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";
import { blocks, type Finding, fine, warns } from "./finding.ts";

/** The findings, and whether gcloud can be asked about the project. */
export async function checkTools(
  gcloud: Gcloud,
  projectId: string,
  terminal: Pick<Terminal, "environment" | "run">,
): Promise<{ findings: Finding[]; isGcloudUsable: boolean }> {
  const terraform = await checkTerraform(terminal);
  const version = await started(() => gcloud(["version", '--format=value("Google Cloud SDK")']));
  if (version === undefined) {
    const cure = "install it: https://cloud.google.com/sdk/docs/install";
    return { findings: [terraform, blocks("gcloud is not on the PATH", cure)], isGcloudUsable: false };
  }
  const login = await checkLogin(gcloud);
  const credentials = await checkCredentials(gcloud, projectId, terminal.environment);
  return {
    findings: [terraform, fine(`gcloud ${version.output}`), login, ...credentials],
    isGcloudUsable: login.level === "fine",
  };
}

async function checkTerraform({
  environment,
  run = runCommand,
}: Pick<Terminal, "environment" | "run">): Promise<Finding> {
  const answer = await started(() => run("terraform", ["version", "-json"], "", environment));
  const cure = "install it: https://developer.hashicorp.com/terraform/install";
  if (answer === undefined) return blocks("terraform is not on the PATH", cure);
  const version = /"terraform_version"\s*:\s*"([^"]+)"/.exec(answer.output)?.[1] ?? "of unknown version";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR);
  if (isNew) return fine(`terraform ${version}`);
  return blocks(`terraform ${version} is older than ${OLDEST_MAJOR}.${OLDEST_MINOR}`, cure);
}

/** Values that are written and kept nowhere came with this version. */
const OLDEST_MAJOR = 1;
const OLDEST_MINOR = 11;

async function checkLogin(gcloud: Gcloud): Promise<Finding> {
  const { output } = await gcloud(["auth", "list", "--filter=status:ACTIVE", "--format=value(account)"]);
  return output === ""
    ? blocks("gcloud is not logged in", "gcloud auth login")
    : fine(`gcloud is logged in as ${output}`);
}

/** Terraform and the scripts use these, not gcloud's own login. */
async function checkCredentials(gcloud: Gcloud, projectId: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { code } = await gcloud(["auth", "application-default", "print-access-token", "--format=none"]);
  if (code !== 0) {
    return [blocks("there are no application-default credentials", "gcloud auth application-default login")];
  }
  const quotaProject = await quotaProjectOf(gcloud, environment);
  if (quotaProject === projectId || quotaProject === "unneeded") {
    return [fine("application-default credentials, with the right quota project")];
  }
  const cure = `gcloud auth application-default set-quota-project ${projectId}`;
  if (quotaProject === undefined) {
    return [blocks("application-default credentials without a quota project: some APIs refuse them", cure)];
  }
  return [warns(`application-default credentials are counted on ${quotaProject}, not on ${projectId}`, cure)];
}

/** Undefined for none; a service account and a federated workload have a project of their own. */
async function quotaProjectOf(gcloud: Gcloud, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const override = environment["GOOGLE_CLOUD_QUOTA_PROJECT"];
  if (override) return override;
  const { output: folder } = await gcloud(["info", "--format=value(config.paths.global_config_dir)"]);
  const file = environment["GOOGLE_APPLICATION_CREDENTIALS"] ?? join(folder, "application_default_credentials.json");
  if (!existsSync(file)) return "unneeded";
  const { type, quota_project_id: project } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  return type === "authorized_user" ? project : "unneeded";
}

/** Undefined when the program does not exist. */
async function started(start: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await start();
  } catch {
    return undefined;
  }
}
