// Shows that a deploy without a project stops with one line, from the CLI that a user types and from its process list.
// It must never get as far as Terraform: there is nothing to deploy to.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hasDeployAbove } from "../../infra/deploy-guard.ts";

const root = path.join(import.meta.dirname, "../..");

const listing = (command: string) => `
    1     0 /sbin/init
   10     1 -bash
   20    10 node /srv/payments/node_modules/.bin/cdktf ${command}
   30    20 /bin/sh -c npm run -s app
   40    30 node scripts/node.cjs infra/main.ts
   50     1 node /elsewhere/node_modules/.bin/cdktf deploy *
`;

describe("the guard of deploy", () => {
  test("finds the CLI above it, however many processes are in between", () => {
    expect(hasDeployAbove(listing("deploy *"), 40)).toBe(true);
    expect(hasDeployAbove(listing("deploy *"), 20)).toBe(true);
  });

  test.each(["synth", "diff data", "destroy *", "list"])(
    "lets `cdktf %s` go on, and another clone's deploy too",
    (command) => {
      expect(hasDeployAbove(listing(command), 40)).toBe(false);
    },
  );

  test("goes on where the processes form a circle or are not listed", () => {
    expect(hasDeployAbove("  5   6 sh\n  6   5 sh", 5)).toBe(false);
    expect(hasDeployAbove("", 5)).toBe(false);
  });

  test.each([
    ["deploy", 1, "deploy: No project is named, so there is nowhere to deploy to: npm run bootstrap"],
    ["synth", 0, "Generated Terraform code for the stacks"],
  ])(
    "makes `cdktf %s` of an unnamed project end with %i",
    async (command, status, line) => {
      const folder = mkdtempSync(path.join(tmpdir(), "deploy-guard-"));

      const { code, output } = await cdktf([command, ...(command === "deploy" ? ["*"] : []), "--output", folder]);

      rmSync(folder, { recursive: true, force: true });
      expect([code, output]).toEqual([status, expect.stringContaining(line)]);
      expect(output).not.toContain("Initializing the backend");
    },
    60_000,
  );
});

/** The pinned CLI, with the app of cdktf.json but for the build. */
async function cdktf(args: readonly string[]): Promise<{ code: number; output: string }> {
  const cli = path.join(root, "node_modules/cdktf-cli/bundle/bin/cdktf");
  const app = ["--app", `"${process.execPath}" infra/main.ts`];
  const env = { ...process.env, STAGE_FILE: "none", SOURCES: "none", CHECKPOINT_DISABLE: "1", PROJECT_ID: "" };
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args, ...app],
      { cwd: root, env, timeout: 55_000 },
      (error, output, complaint) => {
        resolve({
          code: error === null ? 0 : typeof error.code === "number" ? error.code : -1,
          output: output + complaint,
        });
      },
    );
  });
}
