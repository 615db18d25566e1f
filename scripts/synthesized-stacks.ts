// Synthesizes a stage in a child that exits, and lists the resources of its stacks with their attributes as written.
// It must never touch `cdktf.out`, which belongs to deployments, nor need a network or a build.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/** One resource of one stack; references in its attributes are left as Terraform writes them, `${type.id.name}`. */
export type SynthesizedResource = {
  stack: string;
  type: string;
  /** Terraform's name of it inside the type. */
  id: string;
  attributes: Readonly<Record<string, unknown>>;
};

/**
 * The stage that the environment and stage.local.json name.
 * @throws Error with what synthesis complained about.
 */
export async function synthesizedStacks(environment: NodeJS.ProcessEnv): Promise<SynthesizedResource[]> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-"));
  try {
    const { NODE_COMPILE_CACHE } = process.env;
    const env = { NODE_COMPILE_CACHE, ...environment, SOURCES: "none", CDKTF_OUTDIR: folder };
    const { code, complaint } = await runCommand(process.execPath, [MAIN], "", env);
    if (code !== 0) throw new Error(`the stacks cannot be synthesized:\n${complaint}`);
    return readdirSync(join(folder, "stacks"))
      .sort()
      .flatMap((stack) => resourcesOf(folder, stack));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function resourcesOf(folder: string, stack: string): SynthesizedResource[] {
  const template = JSON.parse(readFileSync(join(folder, "stacks", stack, "cdk.tf.json"), "utf8")) as {
    resource?: Record<string, Record<string, Record<string, unknown>>>;
  };
  return Object.entries(template.resource ?? {}).flatMap(([type, byId]) =>
    Object.entries(byId).map(([id, attributes]) => ({ stack, type, id, attributes })),
  );
}

const MAIN = join(import.meta.dirname, "..", "infra", "main.ts");
