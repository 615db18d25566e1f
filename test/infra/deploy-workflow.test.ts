// Holds the deploying workflow to no key, one run per stage, and the variables that settings read and bootstrap prints.
// It must never run it: what only GitHub can show is in docs/unverified.md.
import { readFileSync } from "node:fs";
import path from "node:path";
import { readSettings } from "../../infra/settings.ts";

const root = path.join(import.meta.dirname, "..", "..");
const workflow = readFileSync(path.join(root, ".github", "workflows", "deploy.yml"), "utf8");
const bootstrap = readFileSync(path.join(root, "scripts", "bootstrap", "github.ts"), "utf8");
/** The text of one job. */
const job = (name: string) => workflow.split(/^ {2}(?=\w+:$)/m).find((part) => part.startsWith(`${name}:`)) ?? "";
/** Variables of the run by name, with the repository variable that each one comes from. */
const variables = [...workflow.matchAll(/^ {2}([A-Z_]+): \$\{\{ vars\.([A-Z_]+) \}\}$/gm)];

describe("the deploying workflow", () => {
  test("proves its identity without a key, and asks for no more than that takes", () => {
    expect(workflow).not.toMatch(/secrets\.|credentials_json/);
    expect(workflow).toMatch(/^permissions:\n {2}contents: read\n {2}id-token: write$/m);
    for (const name of ["plan", "apply"]) {
      expect(job(name)).toContain(`workload_identity_provider: \${{ vars.WORKLOAD_IDENTITY_PROVIDER }}`);
    }
  });

  test("does nothing until somebody opts in, plans on pull requests of this repository and applies on main", () => {
    expect(job("plan")).toMatch(
      /if: >-\s+vars\.WORKLOAD_IDENTITY_PROVIDER != '' && vars\.STATE_BUCKET != '' && github\.event_name == 'pull_request'/,
    );
    expect(job("plan")).toContain("github.event.pull_request.head.repo.full_name == github.repository");
    expect(job("plan")).not.toMatch(/run deploy|terraform .*apply/);
    expect(job("apply")).toMatch(
      /if: >-\s+vars\.WORKLOAD_IDENTITY_PROVIDER != '' && vars\.STATE_BUCKET != '' &&\s+github\.event_name != 'pull_request' && github\.ref == 'refs\/heads\/main'/,
    );
    expect(job("apply")).toContain("npm run deploy -- --auto-approve");
  });

  test("failure 30: two runs never fight for the lock, because a stage deploys in a group of its own", () => {
    expect(job("apply")).toMatch(
      /concurrency:\n\s+group: deploy-\$\{\{ vars\.STAGE \}\}\n\s+cancel-in-progress: false/,
    );
    expect(job("plan")).toContain("-lock=false");
  });

  test("takes each variable from the repository under its own name", () => {
    expect(variables.map(([, own, repository]) => [own, repository])).toEqual(variables.map(([, own]) => [own, own]));
    expect(variables.length).toBeGreaterThan(8);
  });

  test("passes on every variable that bootstrap prints", () => {
    const printed = [...bootstrap.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => name);

    expect(printed.length).toBeGreaterThan(5);
    for (const name of printed) expect(workflow).toContain(`vars.${name} }}`);
  });

  test("leaves out what the repository does not set: an empty variable means the default", () => {
    const empty = Object.fromEntries(variables.map(([, name = ""]) => [name, ""]));

    expect(readSettings(empty, null)).toEqual(readSettings({}, null));
  });

  test("uses the Terraform that write-only values need", () => {
    expect(workflow.match(/terraform_version: "~1\.11"/g)).toHaveLength(2);
  });
});
