// Shows that adopting what bootstrap made needs no Terraform while synthesizing, and is written as Terraform reads it.
// It must never pass because a Terraform happens to be installed: it runs with an empty PATH.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

describe("an adopted secret", () => {
  test("is synthesized on a machine that has nothing but Node", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "adoption-"));
    const env = {
      PATH: folder,
      STAGE_FILE: "none",
      SOURCES: "none",
      CDKTF_OUTDIR: folder,
      PROJECT_ID: "payments-lab-1",
    };

    execFileSync(process.execPath, ["infra/main.ts"], { cwd: path.join(import.meta.dirname, "../.."), env });

    const data = JSON.parse(readFileSync(path.join(folder, "stacks/data/cdk.tf.json"), "utf8"));
    rmSync(folder, { recursive: true });
    const ids = Object.keys(data.resource.google_secret_manager_secret);
    const adopted = ids.map((id) => ({
      to: `google_secret_manager_secret.${id}`,
      id: `projects/payments-lab-1/secrets/${data.resource.google_secret_manager_secret[id].secret_id}`,
    }));
    expect(data.import).toHaveLength(ids.length);
    expect(data.import).toEqual(expect.arrayContaining(adopted));
  }, 30_000);
});
