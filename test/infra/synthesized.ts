// Reads the stacks of a stage, synthesized into a folder of its own, once per test file.
// It must never leave that folder behind, nor write into the project.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writtenStacks } from "./written-stacks.ts";

/** Attributes of one resource, as Terraform reads them. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was synthesized, and a wrong path fails the test.
export type Attributes = Record<string, any>;

/** One synthesized stack: resource type, then id. */
export interface SynthesizedStack {
  readonly resource: Record<string, Record<string, Attributes>>;
  readonly data?: Record<string, Record<string, Attributes>>;
  readonly output?: Record<string, Attributes>;
  readonly variable?: Record<string, Attributes>;
  readonly terraform: Attributes;
  readonly text: string;
}

/** The stacks of a stage by name. */
export interface SynthesizedStage {
  readonly foundation: SynthesizedStack;
  readonly data: SynthesizedStack;
  readonly messaging: SynthesizedStack;
  readonly services: SynthesizedStack;
  readonly observability: SynthesizedStack;
}

/** A stage with the order in which its stacks are deployed. */
export interface SynthesizedPlan {
  readonly stacks: SynthesizedStage;
  /** By stack: the stacks that are deployed before it. */
  readonly dependencies: Record<string, string[]>;
}

/** The stage that the variables describe, without its functions' zips. */
export function synthesized(variables: Readonly<Record<string, string>>): SynthesizedStage {
  return synthesizedPlan(variables).stacks;
}

/** The same with the order of the stacks. */
export function synthesizedPlan(variables: Readonly<Record<string, string>>): SynthesizedPlan {
  const outdir = mkdtempSync(path.join(tmpdir(), "stacks-"));
  try {
    writtenStacks(variables, outdir);
    return readPlan(outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Reads what CDKTF wrote. */
export function readPlan(outdir: string): SynthesizedPlan {
  const manifest = JSON.parse(readFileSync(path.join(outdir, "manifest.json"), "utf8")) as {
    stacks: Record<string, { dependencies: string[] }>;
  };
  const names = readdirSync(path.join(outdir, "stacks"));
  return {
    stacks: Object.fromEntries(names.map((name) => [name, readStack(outdir, name)])) as unknown as SynthesizedStage,
    dependencies: Object.fromEntries(
      Object.entries(manifest.stacks).map(([name, { dependencies }]) => [name, dependencies]),
    ),
  };
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
