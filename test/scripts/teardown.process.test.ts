// Runs `npm run teardown` against scripted gcloud and cdktf: what it destroys, what it finds left, what it refuses.
// It must never count a teardown as done while something that costs or blocks is still there.
import { readFileSync, writeFileSync } from "node:fs";
import type { SynthesizedResource } from "../../scripts/synthesized-stacks.ts";
import { teardown } from "../../scripts/teardown.ts";
import { BUCKET, PROJECT } from "./cloud/empty-project.ts";
import { type FakeCloud, openFakeCloud } from "./cloud/fake-cloud.ts";
import { missing, scriptSoundProject, soundStage, writeStage } from "./cloud/sound-project.ts";

/** A child of its own takes seconds on a busy machine. */
import.meta.jest.setTimeout(30_000);

const YES = ["--yes-destroy", PROJECT];
const IN = `--project=${PROJECT} --quiet`;

let cloud: FakeCloud;
beforeEach(() => {
  cloud = openFakeCloud();
  scriptSoundProject(cloud);
  cloud.answer("cdktf", "destroy *", {});
  cloud.answer("gcloud", "secrets list *", {});
  cloud.answer("gcloud", "artifacts repositories list *", {});
  cloud.answer("gcloud", "storage buckets list *", {});
  cloud.answer("gcloud", "iam workload-identity-pools describe *", missing);
  cloud.answer("gcloud", "iam service-accounts describe *", missing);
});
afterEach(() => cloud.close());

const stacks: readonly SynthesizedResource[] = ["data", "services"].map((stack) => {
  return { stack, type: "google_spanner_instance", id: "one", attributes: {} };
});
const run = (args: readonly string[]) => cloud.run((terminal) => teardown(args, terminal, async () => stacks));
const destroyed = () => cloud.calls().filter(({ tool }) => tool === "cdktf");
const stage = () => JSON.parse(readFileSync(cloud.stageFile, "utf8"));

describe("teardown", () => {
  test("destroys every stack without a question, and is done when nothing is left", async () => {
    const { code, output } = await run(YES);

    expect(destroyed().map(({ command }) => command)).toEqual(["destroy * --auto-approve"]);
    expect(output).toContain("Nothing is left.");
    expect(code).toBe(0);
  });

  test("raises the generation of the queues' names and keeps the rest of the file", async () => {
    const { output } = await run(YES);

    expect(stage()).toEqual({ ...soundStage, queueGeneration: 3 });
    expect(output).toContain("The next deploy names its queues with generation 3");
  });

  test("says what to raise where there is no file, or GitHub deploys", async () => {
    writeStage(cloud, { githubRepository: "acme/payments" });
    expect((await run(YES)).output).toContain("gh variable set QUEUE_GENERATION --repo acme/payments --body 3");

    writeFileSync(cloud.stageFile, JSON.stringify({ ...soundStage, projectId: "another-project" }));
    const elsewhere = { PROJECT_ID: PROJECT, QUEUE_GENERATION: "7", STATE_BUCKET: BUCKET };
    const { output } = await cloud.run((terminal) => teardown(YES, terminal, async () => stacks), elsewhere);
    expect(output).toContain("Deploy with QUEUE_GENERATION=8");
    expect(stage().queueGeneration).toBe(2);
  });

  test("removes nothing but what Terraform made: every other command only looks", async () => {
    await run(YES);

    const looks = /\b(describe|list|cat)\b/;
    const asked = cloud.calls().filter(({ tool }) => tool === "gcloud");
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter(({ command }) => !looks.test(command))).toEqual([]);
  });
});

describe("teardown finds what is left, with the command that removes it:", () => {
  const known = { mode: "managed", type: "google_spanner_instance", name: "one", instances: [{}] };
  test.each([
    [
      "F33: the builds' sources",
      "storage buckets list *",
      "gcf-v2-sources-424242-us-central1",
      `gcloud storage rm --recursive gs://gcf-v2-sources-424242-us-central1 ${IN}`,
    ],
    [
      "F33: the builds' uploads",
      "storage buckets list *",
      "gcf-v2-uploads-1-us",
      `gcloud storage rm --recursive gs://gcf-v2-uploads-1-us ${IN}`,
    ],
    [
      "F33: the builds' images",
      "artifacts repositories list *",
      "projects/p/locations/l/repositories/gcf-artifacts",
      `gcloud artifacts repositories delete gcf-artifacts --location=us-central1 ${IN}`,
    ],
    [
      "the state bucket",
      "storage buckets list *",
      `other\n${BUCKET}`,
      `gcloud storage rm --recursive gs://${BUCKET} ${IN}`,
    ],
    [
      "a secret of bootstrap",
      "secrets list *",
      "projects/424242/secrets/acquirer-secret",
      `gcloud secrets delete acquirer-secret ${IN}`,
    ],
    ["a Spanner instance", "spanner instances describe *", "{}", `gcloud spanner instances delete payments ${IN}`],
    [
      "a Firestore database",
      "firestore databases describe *",
      "{}",
      `gcloud firestore databases delete --database=payments ${IN}`,
    ],
    ["a role", "iam roles describe *", "{}", `gcloud iam roles delete paymentsLedgerRuntime ${IN}`],
    [
      "resources in the state",
      "storage cat gs://*/dev/data/*",
      JSON.stringify({ resources: [known] }),
      "npm run teardown",
    ],
  ])("%s", async (_title, pattern, output, remove) => {
    cloud.answer("gcloud", pattern, { output });

    const ended = await run(YES);

    expect(ended.output).toContain(`Still there:\n`);
    expect(ended.output).toContain(`\n      ${remove}\n`);
    expect(ended.code).toBe(1);
  });

  test("but not other people's buckets, repositories and secrets", async () => {
    cloud.answer("gcloud", "storage buckets list *", { output: "photos\nmy-gcf-v2-sources-1" });
    cloud.answer("gcloud", "artifacts repositories list *", {
      output: "projects/p/locations/l/repositories/containers",
    });
    cloud.answer("gcloud", "secrets list *", { output: "projects/1/secrets/someone-elses" });

    expect(await run(YES)).toMatchObject({ code: 0, output: expect.stringContaining("Nothing is left.") });
  });

  test("keeps the federation and a deleted role, says so, and is done all the same", async () => {
    cloud.answer("gcloud", "iam workload-identity-pools describe *", { output: '{"state":"ACTIVE"}' });
    cloud.answer("gcloud", "iam service-accounts describe *", { output: "{}" });
    cloud.answer("gcloud", "iam roles describe *", { output: '{"deleted":true}' });

    const { code, output } = await run(YES);

    expect(output).toContain("Kept on purpose:\n");
    expect(output).toContain(`gcloud iam workload-identity-pools delete github --location=global ${IN}`);
    expect(output).toContain(`gcloud iam service-accounts delete deployer@${PROJECT}.iam.gserviceaccount.com ${IN}`);
    expect(output).toContain("role paymentsLedgerRuntime (deleted; goes by itself");
    expect(code).toBe(0);
  });
});

describe("teardown that fails", () => {
  test("in cdktf still lists what is left and raises the generation, because some queues may be gone", async () => {
    cloud.answer("cdktf", "destroy *", { code: 3 });
    cloud.answer("gcloud", "spanner instances describe *", { output: "{}" });

    const { code, output, complaint } = await run(YES);

    expect([code, complaint]).toEqual([1, expect.stringContaining("cdktf destroy failed")]);
    expect(output).toContain("gcloud spanner instances delete payments");
    expect(stage().queueGeneration).toBe(3);
  });

  test("with nothing left but cdktf's failure is not done either", async () => {
    cloud.answer("cdktf", "destroy *", { code: 3 });

    expect(await run(YES)).toMatchObject({ code: 1 });
  });

  test("says that the CLI is not there", async () => {
    cloud.remove("cdktf");

    await expect(run(YES)).rejects.toThrow("cdktf cannot be started: npm ci first");
  });

  test.each(["services list", "secrets list", "storage cat", "storage buckets list"])(
    "because gcloud cannot `%s` is never taken for nothing left",
    async (command) => {
      cloud.answer("gcloud", `${command} *`, { code: 1, complaint: "PERMISSION_DENIED" });

      await expect(run(YES)).rejects.toThrow("PERMISSION_DENIED");
    },
  );

  test("after the state bucket was removed by hand asks cdktf for nothing, and looks again", async () => {
    cloud.answer("gcloud", "storage buckets describe *", missing);

    const { code, output } = await run(YES);

    expect(destroyed()).toEqual([]);
    expect(output).toContain(`gs://${BUCKET} does not exist`);
    expect([code, stage().queueGeneration]).toEqual([0, 2]);
  });
});

describe("teardown refuses", () => {
  afterEach(() => {
    expect(destroyed()).toEqual([]);
    expect(cloud.calls()).toEqual([]);
  });

  test("a protected stage, with one line that says what to change", async () => {
    writeStage(cloud, { stage: "prod" });

    const { code, complaint } = await run(YES);

    expect(complaint).toMatch(
      /^teardown: prod is protected: set isProtected to false for prod in infra\/settings\.ts, .*\n$/,
    );
    expect(code).toBe(1);
  });

  test("another project than the one that is named", async () => {
    const { code, complaint } = await run(["--yes-destroy", "payments-lab-2"]);

    expect([code, complaint]).toEqual([1, `teardown: nothing was done, because payments-lab-2 is not ${PROJECT}\n`]);
  });

  test.each([
    ["another word", "yes\n", "because yes is not"],
    ["nothing at all", "", "because no project is not"],
  ])("a person who types %s", async (_title, input, reason) => {
    const { code, output, complaint } = await cloud.runChild("teardown", [], { input });

    expect(output).toContain(`This destroys dev in ${PROJECT} with all its data.`);
    expect([code, complaint]).toEqual([1, expect.stringContaining(reason)]);
  });

  test.each([[["--yes"]], [["--yes-destroy"]], [["--yes-destroy", PROJECT, "now"]]])(
    "the arguments %j",
    async (args) => {
      expect(await run(args)).toMatchObject({
        code: 2,
        complaint: expect.stringContaining("npm run teardown [-- --yes-destroy PROJECT]"),
      });
    },
  );

  test("a clone that was never told a project", async () => {
    writeFileSync(cloud.stageFile, JSON.stringify({ ...soundStage, projectId: "placeholder-project" }));

    expect(await run(YES)).toMatchObject({ code: 1, complaint: expect.stringContaining("No project is named") });
  });
});

test("a person who types the project's id again takes the stage down", async () => {
  const { code, output, complaint } = await cloud.runChild("teardown", [], { input: `${PROJECT}\n` });

  expect(destroyed()).toHaveLength(1);
  expect([code, complaint, output]).toEqual([0, "", expect.stringContaining("Nothing is left.")]);
});
