// Runs `npm run doctor` against a scripted gcloud and Terraform: a sound project, and one with each thing that stops a deploy.
// It must never accept a finding without the exact command that cures it.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readSettings } from "../../infra/settings.ts";
import { withStageFile } from "../../infra/stage-file.ts";
import { type Finding, linesOf } from "../../scripts/doctor/finding.ts";
import { checkNames } from "../../scripts/doctor/names.ts";
import { checkPolicies } from "../../scripts/doctor/policies.ts";
import { checkProject } from "../../scripts/doctor/project.ts";
import { checkQuotas } from "../../scripts/doctor/quotas.ts";
import { checkRegion } from "../../scripts/doctor/region.ts";
import { checkState } from "../../scripts/doctor/state.ts";
import { checkTools } from "../../scripts/doctor/tools.ts";
import { doctor } from "../../scripts/doctor.ts";
import { gcloudFor, lines } from "../../scripts/gcloud.ts";
import { type SynthesizedResource, synthesizedStacks } from "../../scripts/synthesized-stacks.ts";
import { bootstrap, type Group, noted, stopping } from "./cloud/doctor-problems.ts";
import { PROJECT } from "./cloud/empty-project.ts";
import { type FakeCloud, openFakeCloud } from "./cloud/fake-cloud.ts";
import { scriptSoundProject, soundStage, writeStage } from "./cloud/sound-project.ts";

/** The stacks are synthesized once. */
import.meta.jest.setTimeout(30_000);

let resources: SynthesizedResource[];
beforeAll(async () => {
  resources = await synthesizedStacks({ PATH: process.env["PATH"], STAGE_FILE: "none", PROJECT_ID: PROJECT });
  // A queue comes with the webhooks; its checks are here already.
  const attributes = { name: "webhooks-fast-g2", location: "us-central1" };
  resources.push({ stack: "messaging", type: "google_cloud_tasks_queue", id: "fast", attributes });
});

let cloud: FakeCloud;
beforeEach(() => {
  cloud = openFakeCloud();
  scriptSoundProject(cloud);
});
afterEach(() => cloud.close());

const examine = (variables: Record<string, string> = {}) =>
  cloud.run((terminal) => doctor(terminal, async () => resources), variables);

/** One group of checks by itself, what the findings print. */
async function examineOnly(group: Group): Promise<string> {
  const settings = readSettings(withStageFile(cloud.environment), null);
  const gcloud = gcloudFor(PROJECT, cloud.terminal);
  const checks: Record<Group, () => Promise<Finding[]>> = {
    tools: async () => (await checkTools(gcloud, PROJECT, cloud.terminal)).findings,
    project: async () => (await checkProject(gcloud, settings)).findings,
    region: async () => await checkRegion(await examined()),
    policies: async () => await checkPolicies(await examined()),
    quotas: async () => await checkQuotas(await examined()),
    state: async () => await checkState(await examined()),
    names: async () => await checkNames(await examined()),
  };
  const examined = async () => {
    const list = ["services", "list", "--enabled", "--format=value(config.name)"];
    return { gcloud, settings, resources, enabledApis: new Set(await lines(gcloud, list)) };
  };
  return (await checks[group]()).flatMap(linesOf).join("\n");
}

const idOf = (type: string) => resources.find((resource) => resource.type === type)?.id;

/** The finding's line, and the lines of its cure. */
function finding(output: string, word: "STOP" | "note"): string[] {
  const all = output.split("\n");
  const start = all.findIndex((line) => line.startsWith(word));
  const end = all.findIndex((line, index) => index > start && !line.startsWith("        "));
  return start === -1 ? [] : all.slice(start, end === -1 ? undefined : end).map((line) => line.trim());
}

describe("the doctor", () => {
  test("finds nothing in a sound project, changes nothing, and shows no credential", async () => {
    const { code, output } = await examine();

    expect(finding(output, "STOP")).toEqual([]);
    expect(output).toMatch(/\n\d\d fine, 0 to know, 0 would stop a deploy\n$/);
    expect(code).toBe(0);
    expect(output).not.toContain("not-to-be-shown");
    const verbs = /\b(create|enable|update|delete|add|set|set-quota-project|undelete|import|force-unlock)\b/;
    expect(cloud.calls().filter(({ command }) => verbs.test(command))).toEqual([]);
  });

  test("asks for the runtime that the functions are built on, and for every place in the plan", async () => {
    const { output } = await examine();

    for (const product of [
      "Cloud Run functions, runtime nodejs24",
      "Spanner, configuration regional-us-central1",
      "Firestore, location us-central1",
      "Cloud Tasks, location us-central1",
      "Cloud Scheduler, location us-central1",
    ]) {
      expect(output).toContain(`ok    ${product}`);
    }
  });

  test("knows the stores that Terraform made", async () => {
    cloud.answer("gcloud", "spanner databases describe *", { output: "{}" });
    const known = { mode: "managed", type: "google_spanner_database", name: idOf("google_spanner_database") };
    const state = JSON.stringify({ resources: [{ ...known, instances: [{}] }] });
    cloud.answer("gcloud", `storage cat gs://${PROJECT}-tfstate/dev/data/default.tfstate *`, { output: state });

    expect(await examine()).toMatchObject({ code: 0 });
  });
});

describe("the doctor stops at", () => {
  test.each(stopping)(
    "%s, and says how to cure it",
    async (_title, group, tool, pattern, answer, [line = "", ...cure]) => {
      cloud.answer(tool, pattern, answer);

      const [found = "", ...cured] = finding(await examineOnly(group), "STOP");

      expect(found).toContain(line);
      for (const part of cure) expect(cured).toContainEqual(expect.stringContaining(part));
      expect(cured.length).toBeGreaterThan(0);
    },
  );

  test("one finding among many that are fine, by its exit code", async () => {
    cloud.answer("gcloud", "billing*", { output: "False" });

    const { code, output } = await examine();

    expect([code, output]).toEqual([1, expect.stringMatching(/\n\d\d fine, 0 to know, 1 would stop a deploy\n$/)]);
  });

  test.each([
    [
      "F23: a ledger's database",
      "spanner databases describe*",
      "google_spanner_database",
      `projects/${PROJECT}/instances/payments/databases/ledger`,
    ],
    ["a Spanner instance", "spanner instances describe*", "google_spanner_instance", `${PROJECT}/payments`],
    [
      "F16: a Firestore database",
      "firestore databases describe*",
      "google_firestore_database",
      `projects/${PROJECT}/databases/payments`,
    ],
    [
      "an undeleted role",
      "iam roles describe*",
      "google_project_iam_custom_role",
      `projects/${PROJECT}/roles/paymentsLedgerRuntime`,
    ],
  ])("%s outside Terraform's state, and prints the import that heals it", async (_title, pattern, type, importId) => {
    cloud.answer("gcloud", pattern, { output: "{}" });

    const [found, ...cured] = finding(await examineOnly("state"), "STOP");

    expect(found).toContain("exists, and Terraform does not know it");
    expect(cured.at(-1)).toBe(`terraform -chdir=cdktf.out/stacks/data import ${type}.${idOf(type)} ${importId}`);
  });

  test.each(["gcloud", "terraform"] as const)("a machine without %s", async (tool) => {
    cloud.remove(tool);

    const found = finding(await examineOnly("tools"), "STOP");

    expect(found).toEqual([`STOP  ${tool} is not on the PATH`, expect.stringContaining("install it: https://")]);
  });

  test("credentials that no project answers for", async () => {
    const file = path.join(cloud.folder, "gcloud", "application_default_credentials.json");
    writeFileSync(file, JSON.stringify({ type: "authorized_user" }));

    const found = finding(await examineOnly("tools"), "STOP");

    expect(found.at(-1)).toBe(`gcloud auth application-default set-quota-project ${PROJECT}`);
  });

  test("a clone that was never told a project, in one line", async () => {
    rmSync(cloud.stageFile);

    const { code, output } = await examine();

    expect(output.trimEnd().split("\n").at(-1)).toMatch(
      /^No project is named, .*npm run bootstrap -- --project PROJECT/,
    );
    expect(code).toBe(1);
  });
});

describe("the doctor notes", () => {
  test.each(noted)("%s", async (_title, group, tool, pattern, answer, [line = "", ...cure]) => {
    cloud.answer(tool, pattern, answer);

    const [found = "", ...cured] = finding(await examineOnly(group), "note");

    expect(found).toContain(line);
    for (const part of cure) expect(cured).toContainEqual(expect.stringContaining(part));
  });

  test("that nobody hears about alerts, and credentials that are counted on another project", async () => {
    const file = path.join(cloud.folder, "gcloud", "application_default_credentials.json");
    writeFileSync(file, JSON.stringify({ type: "authorized_user", quota_project_id: "other-project" }));
    const { alertEmail: _nobody, ...stage } = soundStage;
    writeFileSync(cloud.stageFile, JSON.stringify(stage));

    const { code, output } = await examine();

    expect(output).toContain("note  application-default credentials are counted on other-project");
    expect(output).toContain(`note  nobody hears about alerts\n        ${bootstrap} --alert-email YOUR_ADDRESS`);
    expect(code).toBe(0);
  });

  test("nothing about public access where the stage is closed", async () => {
    writeStage(cloud, { isPublic: false });
    cloud.answer("gcloud", "resource-manager*allowedPolicyMemberDomains*", {
      output: '{"listPolicy":{"allowedValues":["C0123"]}}',
    });

    expect(await examineOnly("policies")).toContain("ok    functions are closed");
  });
});
