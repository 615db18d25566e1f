// Runs `npm run bootstrap` against a scripted gcloud: what it makes, what it leaves alone, what it does when a step fails.
// It must never let a secret's value pass unseen: every call, every line and every file is searched for it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { bootstrap } from "../../scripts/bootstrap.ts";
import { BUCKET, PROJECT, roles, scriptEmptyProject, scriptFederation } from "./cloud/empty-project.ts";
import { type FakeCloud, openFakeCloud } from "./cloud/fake-cloud.ts";

/** A child of its own takes seconds on a busy machine. */
import.meta.jest.setTimeout(30_000);

const FLAGS = ["--project", PROJECT, "--region", "europe-west1", "--stage", "dev"];
const CHANGES =
  /^(?:services enable|storage buckets (?:create|update)|secrets (?:create|versions add)|.*(?:\bcreate|undelete|update-oidc|add-iam-policy-binding))/;

let cloud: FakeCloud;
beforeEach(() => {
  cloud = openFakeCloud();
  scriptEmptyProject(cloud);
});
afterEach(() => cloud.close());

const run = (args: readonly string[]) => cloud.run((terminal) => bootstrap(args, terminal));
const changes = () => cloud.calls().filter(({ command }) => CHANGES.test(command));
const commands = () => cloud.calls().map(({ command }) => command);
const readFile = () => JSON.parse(readFileSync(cloud.stageFile, "utf8"));

describe("bootstrap in an empty project", () => {
  test("switches on the first APIs, makes the state bucket and the secrets, and says where this clone deploys", async () => {
    const { code, output } = await run([...FLAGS, "--alert-email", "ops@example.com"]);

    expect(code).toBe(0);
    expect(changes().map(({ command }) => command.split(" ").slice(0, 4).join(" "))).toEqual([
      "services enable cloudresourcemanager.googleapis.com serviceusage.googleapis.com",
      `storage buckets create gs://${BUCKET}`,
      `storage buckets update gs://${BUCKET}`,
      "secrets create acquirer-secret --replication-policy=automatic",
      "secrets versions add acquirer-secret",
      "secrets create endpoint-secret-key --replication-policy=automatic",
      "secrets versions add endpoint-secret-key",
      "secrets create shop-key-seed --replication-policy=automatic",
      "secrets versions add shop-key-seed",
      "secrets create dashboard-session-key --replication-policy=automatic",
      "secrets versions add dashboard-session-key",
    ]);
    expect(readFile()).toEqual({
      stage: "dev",
      projectId: PROJECT,
      region: "europe-west1",
      alertEmail: "ops@example.com",
      stateBucket: BUCKET,
      queueGeneration: 1,
    });
    expect(output).toContain(`state bucket gs://${BUCKET}: made`);
    expect(output).toContain("Next: npm run doctor");
  });

  test("closes the state bucket to the public, keeps its versions, and puts it into the region", async () => {
    await run(FLAGS);

    const [create = "", update = ""] = commands().filter((command) => /^storage buckets (create|update)/.test(command));
    for (const command of [create, update]) {
      expect(command).toContain("--uniform-bucket-level-access --public-access-prevention");
    }
    expect(create).toContain("--location=europe-west1");
    expect(update).toMatch(/--versioning .*--lifecycle-file=/);
  });

  test("asks gcloud for no answer and names the project in every call", async () => {
    await run(FLAGS);

    expect(cloud.calls().length).toBeGreaterThan(6);
    for (const command of commands()) expect(command).toMatch(new RegExp(`--project=${PROJECT} --quiet$`));
  });

  test("passes a secret's value through stdin alone: no argument, no line, no file holds it", async () => {
    // given the script as npm starts it, in a process of its own
    const { output, complaint } = await cloud.runChild("bootstrap", FLAGS);

    const added = cloud.calls().filter(({ command }) => command.startsWith("secrets versions add"));
    const values = added.map(({ input }) => input);
    expect(values).toEqual(Array(4).fill(expect.stringMatching(/^[0-9a-f]{64}$/)));
    expect(new Set(values).size).toBe(values.length);
    for (const value of values) {
      for (const place of [output, complaint, readFileSync(cloud.stageFile, "utf8"), ...commands()]) {
        expect(place).not.toContain(value);
      }
    }
  });

  test("puts a prefix before the names of the bucket and of the secrets", async () => {
    const { code } = await run([...FLAGS, "--prefix", "anna"]);

    expect(code).toBe(0);
    expect(commands()).toContainEqual(expect.stringMatching(/^secrets create anna-acquirer-secret /));
    expect(readFile()).toMatchObject({ prefix: "anna", stateBucket: `${PROJECT}-anna-tfstate` });
  });
});

describe("a second bootstrap", () => {
  test("changes nothing, says so of every step, and needs no flags", async () => {
    await run(FLAGS);
    const before = readFileSync(cloud.stageFile);
    cloud.answer("gcloud", "services list *", { output: everythingOn });
    cloud.answer("gcloud", "storage buckets describe *", { output: soundAgain });
    cloud.answer("gcloud", "secrets describe *", { output: "{}" });
    cloud.answer("gcloud", "secrets versions list *", { output: "1" });
    cloud.forgetCalls();

    const { code, output } = await run([]);

    expect(code).toBe(0);
    expect(changes()).toEqual([]);
    expect(output.match(/: was there already$/gm)).toHaveLength(7);
    expect(readFileSync(cloud.stageFile)).toEqual(before);
  });

  test("repairs a bucket and a secret of a run that was cut short", async () => {
    cloud.answer("gcloud", "storage buckets describe *", { output: `{"versioning_enabled": false}` });
    cloud.answer("gcloud", "secrets describe *", { output: "{}" });

    const { output } = await run(FLAGS);

    expect(output).toContain(`state bucket gs://${BUCKET}: repaired`);
    expect(output).toContain("secret acquirer-secret: got a random value");
    expect(commands()).not.toContainEqual(expect.stringMatching(/^(storage buckets|secrets) create/));
  });

  test("keeps what the first one was told, and lets a flag change it", async () => {
    await run([...FLAGS, "--alert-email", "ops@example.com", "--public", "--cache", "memorystore"]);
    writeFileSync(cloud.stageFile, JSON.stringify({ ...readFile(), queueGeneration: 4 }));

    await run(["--no-public"]);

    expect(readFile()).toMatchObject({
      ...{ alertEmail: "ops@example.com", isPublic: false, queueGeneration: 4 },
      idempotencyCache: "memorystore",
    });
  });

  test.each([
    ["--project", [...FLAGS.with(1, "another-project")]],
    ["--stage", [...FLAGS.with(5, "staging")]],
  ])("does not take a file for its own that differs in %s", async (_flag, flags) => {
    await run(FLAGS);
    cloud.forgetCalls();

    const { code, complaint } = await run(flags);

    expect(code).toBe(2);
    expect(complaint).toContain(`which is for dev in ${PROJECT}: move it away first`);
    expect(cloud.calls()).toEqual([]);
  });
});

describe("bootstrap for GitHub", () => {
  const repository = "acme/payments";
  beforeEach(() => scriptFederation(cloud, repository));

  test("trusts that repository alone, and makes no key", async () => {
    const { code, output } = await run([...FLAGS, "--github", repository]);

    expect([code, output]).toEqual([0, expect.stringContaining(`${repository} may act as deployer: granted`)]);
    const provider = commands().find((command) => command.includes("providers create-oidc")) ?? "";
    expect(provider).toContain(`--attribute-condition=assertion.repository == '${repository}'`);
    expect(provider).toContain("--issuer-uri=https://token.actions.githubusercontent.com");
    expect(commands().join("\n")).not.toContain("keys create");
    const granted = commands().flatMap((command) => /--role=(roles\/[\w.]+) --condition/.exec(command)?.[1] ?? []);
    expect(granted).toEqual(roles);
    expect(granted.filter((role) => /^roles\/(owner|editor|viewer)$/.test(role))).toEqual([]);
    expect(output).toContain("gh variable set WORKLOAD_IDENTITY_PROVIDER --repo acme/payments --body projects/424242/");
    expect(readFile().githubRepository).toBe(repository);
  });

  test("changes nothing the second time", async () => {
    await run([...FLAGS, "--github", repository]);
    const first = changes().length;

    const { output } = await run([]);

    expect(changes()).toHaveLength(first);
    expect(output.match(/: was there already$/gm)).toHaveLength(12);
  });

  test("brings a pool back that was deleted less than 30 days ago", async () => {
    cloud.answer("gcloud", "iam workload-identity-pools describe *", { output: `{"state":"DELETED"}` });
    cloud.answer("gcloud", "iam workload-identity-pools undelete *", {});

    const { output } = await run([...FLAGS, "--github", repository]);

    expect(output).toContain("identity pool github: undeleted");
    expect(commands()).not.toContainEqual(expect.stringContaining("workload-identity-pools create "));
  });

  test.each([
    "iam workload-identity-pools create",
    "iam workload-identity-pools providers create-oidc",
    "iam service-accounts create",
    "iam service-accounts add-iam-policy-binding",
    "projects add-iam-policy-binding",
  ])("stops and writes no file when `%s` fails", async (command) => {
    cloud.answer("gcloud", `${command} *`, { code: 1, complaint: "PERMISSION_DENIED: no" });

    const { code, complaint } = await run([...FLAGS, "--github", repository]);

    expect([code, complaint]).toEqual([
      1,
      expect.stringMatching(new RegExp(`gcloud ${command} .*PERMISSION_DENIED: no`)),
    ]);
    expect(existsSync(cloud.stageFile)).toBe(false);
  });
});

describe("bootstrap that fails", () => {
  test.each([
    "services list",
    "services enable",
    "storage buckets describe",
    "storage buckets create",
    "storage buckets update",
    "secrets describe",
    "secrets create",
    "secrets versions list",
    "secrets versions add",
  ])("stops at `%s`, repeats gcloud's words, writes no file and shows no value", async (command) => {
    cloud.answer("gcloud", `${command} *`, { code: 1, complaint: "PERMISSION_DENIED: not yours" });

    const { code, output, complaint } = await run(FLAGS);

    expect(code).toBe(1);
    expect(complaint).toMatch(new RegExp(`^bootstrap: gcloud ${command} .*PERMISSION_DENIED: not yours`));
    expect(commands().at(-1)).toMatch(new RegExp(`^${command} `));
    expect(existsSync(cloud.stageFile)).toBe(false);
    expect(output + complaint).not.toMatch(/[0-9a-f]{64}/);
  });

  test("says that gcloud is not there", async () => {
    cloud.remove("gcloud");

    const { code, complaint } = await run(FLAGS);

    expect([code, complaint]).toEqual([1, expect.stringContaining("gcloud cannot be started: is it installed?")]);
  });
});

describe("bootstrap's command line", () => {
  test.each([
    ["--project is missing", []],
    ["--project must be a project id, not My Project", [...FLAGS.with(1, "My Project")]],
    ["--region must be a region like us-central1, not Belgium", [...FLAGS.with(3, "Belgium")]],
    ["--stage must be one of dev, staging, prod, not live", [...FLAGS.with(5, "live")]],
    ["--region is missing", ["--project", PROJECT, "--stage", "dev"]],
    ["--alert-email must be an e-mail address, not ops", [...FLAGS, "--alert-email", "ops"]],
    ["--cache must be firestore or memorystore, not redis", [...FLAGS, "--cache", "redis"]],
    ["--github must be OWNER/REPO, not acme", [...FLAGS, "--github", "acme"]],
    ["--prefix must be at most 9", [...FLAGS, "--prefix", "Anna"]],
    ["'--zone'", [...FLAGS, "--zone", "a"]],
    ["'--project <value>' argument missing", ["--project"]],
  ])("explains: %s", async (reason, args) => {
    const given = args.length === 0 ? ["--stage", "dev"] : args;

    const { code, complaint } = await run(given);

    expect([code, complaint]).toEqual([2, expect.stringContaining(reason)]);
    expect(complaint).toContain("npm run bootstrap -- --project P --region R --stage dev|staging|prod");
    expect(cloud.calls()).toEqual([]);
  });

  test("names the file that it cannot read, and the field", async () => {
    writeFileSync(cloud.stageFile, JSON.stringify({ stage: "dev", projectId: PROJECT }));

    const { code, complaint } = await run(FLAGS);

    expect([code, complaint]).toEqual([2, expect.stringContaining(`${cloud.stageFile}: region is missing`)]);
  });
});

const everythingOn = [
  "cloudresourcemanager.googleapis.com",
  "serviceusage.googleapis.com",
  "iam.googleapis.com",
  "iamcredentials.googleapis.com",
  "storage.googleapis.com",
  "secretmanager.googleapis.com",
].join("\n");

const soundAgain = JSON.stringify({
  versioning_enabled: true,
  uniform_bucket_level_access: true,
  public_access_prevention: "enforced",
  lifecycle_config: {},
});
