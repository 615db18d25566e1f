// Shows how stage.local.json and the environment make the settings of a deployment together.
// It must never read the file of the clone that runs it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readSettings } from "../../infra/settings.ts";
import { stageFilePath, withStageFile } from "../../infra/stage-file.ts";
import { only, synthesized } from "./synthesized.ts";

const file = {
  stage: "staging",
  projectId: "payments-lab-1",
  region: "europe-west1",
  prefix: "anna",
  alertEmail: "ops@example.com",
  isPublic: true,
  stateBucket: "payments-lab-1-anna-tfstate",
  githubRepository: "acme/payments",
  queueGeneration: 3,
  idempotencyCache: "memorystore",
};

let folder: string;
let STAGE_FILE: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "stage-file-"));
  STAGE_FILE = path.join(folder, "stage.local.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (content: unknown) => writeFileSync(STAGE_FILE, JSON.stringify(content));
const settings = (environment: Record<string, string> = {}) =>
  readSettings(withStageFile({ STAGE_FILE, ...environment }), null);

describe("stage.local.json", () => {
  test("says where this clone is deployed", () => {
    write(file);

    expect(settings()).toMatchObject({
      stage: "staging",
      projectId: "payments-lab-1",
      region: "europe-west1",
      prefix: "anna",
      alertEmail: "ops@example.com",
      isPublic: true,
      stateBucket: "payments-lab-1-anna-tfstate",
      queueGeneration: 3,
    });
  });

  test("gives way to the environment, variable by variable; an empty variable says nothing", () => {
    write(file);

    expect(settings({ REGION: "us-east1", PUBLIC: "false", PREFIX: "", PROJECT_ID: "" })).toMatchObject({
      region: "us-east1",
      isPublic: false,
      prefix: "anna",
      projectId: "payments-lab-1",
    });
  });

  test.each([{ PROJECT_ID: "payments-lab-2" }, { STAGE: "dev" }])(
    "does not count when the environment names another place: %j",
    (environment) => {
      write(file);

      expect(settings(environment)).toMatchObject({ stateBucket: null, prefix: "", region: "us-central1" });
    },
  );

  test("may be absent, and may be left out on purpose", () => {
    expect(settings().projectId).toBe("placeholder-project");
    expect(stageFilePath({ STAGE_FILE: "none" })).toBeUndefined();
    expect(stageFilePath({})).toBe(path.join(import.meta.dirname, "../../stage.local.json"));
  });

  test.each([
    ["stage", { ...file, stage: "live" }],
    ["projectId", { ...file, projectId: "" }],
    ["region", { ...file, region: undefined }],
    ["stateBucket", { ...file, stateBucket: 7 }],
    ["isPublic", { ...file, isPublic: "yes" }],
    ["queueGeneration", { ...file, queueGeneration: 0 }],
    ["zone", { ...file, zone: "a" }],
  ])("is refused with the name of the field: %s", (field, content) => {
    write(content);

    expect(() => settings()).toThrow(`${STAGE_FILE}: ${field} is`);
  });

  test("is refused when it is not JSON", () => {
    writeFileSync(STAGE_FILE, "stage: dev");

    expect(() => settings()).toThrow(`${STAGE_FILE} is not JSON`);
  });
});

describe("the state of a stack", () => {
  test("is kept in the bucket, apart by prefix, stage and stack", () => {
    const named = { PROJECT_ID: "payments-lab-1", STATE_BUCKET: "the-bucket" };
    const backend = (variables: Record<string, string>) =>
      JSON.parse(synthesized({ ...named, ...variables }).data.text).terraform.backend;

    expect(backend({})).toEqual({ gcs: { bucket: "the-bucket", prefix: "dev/data" } });
    expect(backend({ STAGE: "staging", PREFIX: "anna" }).gcs.prefix).toBe("anna/staging/data");
  });

  test("is a file while there is no bucket, and a stack without a project refuses to be planned", () => {
    const { data } = synthesized({});

    expect(JSON.parse(data.text).terraform.backend).toEqual({ local: { path: "../../../terraform.data.tfstate" } });
    expect(data.variable?.["project_is_named"]).toMatchObject({
      default: false,
      validation: [
        { condition: `$\{var.project_is_named}`, error_message: expect.stringContaining("npm run bootstrap") },
      ],
    });
    expect(synthesized({ PROJECT_ID: "payments-lab-1" }).data.variable?.["project_is_named"]).toBeUndefined();
    expect(only(data, "google_spanner_instance")["name"]).toBe("payments");
  });
});
