// Looks at the project: may it be read, does somebody pay for it, are the first APIs on, was bootstrap here, who hears alerts.
// It must never read the value of a secret.

import { bootstrapApis } from "../../infra/apis.ts";
import { generatedSecrets, named, type Settings } from "../../infra/settings.ts";
import { type Gcloud, lines } from "../gcloud.ts";
import { blocks, type Finding, fine, warns } from "./finding.ts";

/** The findings, and whether there is any sense in asking further. */
export async function checkProject(
  gcloud: Gcloud,
  settings: Settings,
): Promise<{ findings: Finding[]; isReadable: boolean }> {
  const { projectId } = settings;
  const { code, output } = await gcloud(["projects", "describe", projectId, "--format=value(lifecycleState)"]);
  if (code !== 0 || output !== "ACTIVE") {
    const cure = [`gcloud projects create ${projectId}`, "or name another one: npm run bootstrap -- --project PROJECT"];
    return { findings: [blocks(`${projectId} does not exist, or you may not read it`, ...cure)], isReadable: false };
  }
  const billing = await checkBilling(gcloud, projectId);
  const { code: listed, output: apis } = await gcloud(["services", "list", "--enabled", "--format=value(config.name)"]);
  const missing = bootstrapApis.filter((api) => listed !== 0 || !apis.split("\n").includes(api));
  if (missing.length > 0) {
    const cure = `gcloud services enable ${missing.join(" ")} --project=${projectId}`;
    const off = blocks(`${missing.length} of the ${bootstrapApis.length} first APIs are off`, cure);
    return { findings: [fine(`project ${projectId}`), billing, off], isReadable: listed === 0 };
  }
  return {
    findings: [
      fine(`project ${projectId}`),
      billing,
      fine("the first APIs are on; the foundation stack switches on the others"),
      await checkStateBucket(gcloud, settings),
      ...(apis.includes("secretmanager.googleapis.com") ? await checkSecrets(gcloud, settings) : [noSecrets(settings)]),
      await checkAlerts(gcloud, settings, apis),
    ],
    isReadable: true,
  };
}

async function checkBilling(gcloud: Gcloud, projectId: string): Promise<Finding> {
  const { code, output } = await gcloud([
    "billing",
    "projects",
    "describe",
    projectId,
    "--format=value(billingEnabled)",
  ]);
  const list = "gcloud billing accounts list";
  if (code !== 0) return warns(`whether ${projectId} has billing could not be read`, list);
  if (/^true$/i.test(output)) return fine("billing is on");
  const link = `gcloud billing projects link ${projectId} --billing-account=ACCOUNT_ID`;
  return blocks(`nobody pays for ${projectId}`, list, link);
}

/** The command that makes whatever bootstrap makes. */
function bootstrapCommand({ projectId, region, stage }: Settings): string {
  return `npm run bootstrap -- --project ${projectId} --region ${region} --stage ${stage}`;
}

async function checkStateBucket(gcloud: Gcloud, settings: Settings): Promise<Finding> {
  const { stateBucket } = settings;
  const cure = bootstrapCommand(settings);
  if (stateBucket === null) return warns("Terraform's state is kept in files here: nobody else can deploy", cure);
  const { code } = await gcloud(["storage", "buckets", "describe", `gs://${stateBucket}`, "--format=value(name)"]);
  return code === 0 ? fine(`state bucket gs://${stateBucket}`) : blocks(`there is no gs://${stateBucket}`, cure);
}

async function checkSecrets(gcloud: Gcloud, settings: Settings): Promise<Finding[]> {
  const { projectId } = settings;
  const findings: Finding[] = [];
  for (const name of generatedSecrets) {
    const id = named(settings, name);
    const answer = await gcloud(["secrets", "versions", "list", id, "--format=value(name,state)"]);
    const states = answer.output.split("\n").map((line) => line.split(/\s+/));
    const [version, state] = states.find(([number]) => number?.split("/").at(-1) === MOUNTED_VERSION) ?? [];
    if (answer.code !== 0 || version === undefined) findings.push(noSecrets(settings, id));
    else if (/^enabled$/i.test(state ?? "")) findings.push(fine(`secret ${id}`));
    else {
      const cure = `gcloud secrets versions enable ${MOUNTED_VERSION} --secret=${id} --project=${projectId}`;
      findings.push(blocks(`version ${MOUNTED_VERSION} of secret ${id}, which functions mount, is ${state}`, cure));
    }
  }
  return findings;
}

/** The version that bootstrap makes and the stacks mount. */
const MOUNTED_VERSION = "1";

function noSecrets(settings: Settings, id = "the generated secrets"): Finding {
  return blocks(`${id}: no value, and a function does not start without it`, bootstrapCommand(settings));
}

async function checkAlerts(gcloud: Gcloud, settings: Settings, apis: string): Promise<Finding> {
  const { alertEmail } = settings;
  const cure = `${bootstrapCommand(settings)} --alert-email YOUR_ADDRESS`;
  if (alertEmail === null) return warns("nobody hears about alerts", cure);
  if (!apis.split("\n").includes("monitoring.googleapis.com")) return fine(`alerts will go to ${alertEmail}`);
  const channels = await lines(gcloud, [
    "beta",
    "monitoring",
    "channels",
    "list",
    `--filter=type=email AND labels.email_address=${alertEmail} AND enabled=false`,
    "--format=value(name)",
  ]);
  const [channel] = channels;
  if (channel === undefined) return fine(`alerts go to ${alertEmail}`);
  return warns(
    `the channel to ${alertEmail} is switched off`,
    `gcloud beta monitoring channels update ${channel} --enabled`,
  );
}
