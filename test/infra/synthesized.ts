// Synthesizes a stage into a folder of its own and reads the stacks back, once per test file.
// It must never leave that folder behind, nor write into the project.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { paymentsApp } from "../../infra/payments-app.ts";
import { readSettings } from "../../infra/settings.ts";

/** Attributes of one resource, as Terraform reads them. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was synthesized, and a wrong path fails the test.
export type Attributes = Record<string, any>;

/** One synthesized stack: resource type, then id. */
export interface SynthesizedStack {
  readonly resource: Record<string, Record<string, Attributes>>;
  readonly variable?: Record<string, Attributes>;
  readonly text: string;
}

/** Both stacks of a stage. */
export interface SynthesizedStage {
  readonly data: SynthesizedStack;
  readonly services: SynthesizedStack;
}

/** The stage that the variables describe; `sourcesFolder` holds the built functions, if any. */
export function synthesized(variables: Record<string, string>, sourcesFolder: string | null = null): SynthesizedStage {
  const outdir = mkdtempSync(path.join(tmpdir(), "stacks-"));
  try {
    paymentsApp(readSettings(variables, sourcesFolder), outdir).synth();
    return { data: readStack(outdir, "data"), services: readStack(outdir, "services") };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Resources of a type in one stack. */
export function resources(stack: SynthesizedStack, type: string): Attributes[] {
  return Object.values(stack.resource[type] ?? {});
}

/** The only resource of a type. */
export function only(stack: SynthesizedStack, type: string): Attributes {
  const found = resources(stack, type);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

/** The function with this name. */
export function functionNamed(stack: SynthesizedStack, name: string): Attributes {
  const found = resources(stack, "google_cloudfunctions2_function").find((candidate) => candidate["name"] === name);
  if (found === undefined) throw new Error(`${name} is not in the stack`);
  return found;
}

/** `type path` of everything in a stack, sorted: its bill of materials. */
export function bill(stack: SynthesizedStack): string[] {
  return Object.entries(stack.resource)
    .flatMap(([type, byId]) =>
      Object.values(byId).map(
        (attributes) => `${type} ${attributes["//"].metadata.path.split("/").slice(1).join("/")}`,
      ),
    )
    .sort();
}

function readStack(outdir: string, name: string): SynthesizedStack {
  const text = readFileSync(path.join(outdir, "stacks", name, "cdk.tf.json"), "utf8");
  return { ...JSON.parse(text), text };
}
