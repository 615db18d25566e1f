// Reads which resources Terraform knows, and whether a run holds its lock, from the state bucket or the files beside the project.
// It must never write a state, nor show anything of it but types, names and ids.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Settings, stateFolder } from "../infra/settings.ts";
import type { Gcloud } from "./gcloud.ts";

/** One resource that Terraform has made. */
export type KnownResource = { stack: string; type: string; id: string };

/** Everything that Terraform has made of these stacks; a stack that was never deployed has nothing. */
export async function knownResources(
  gcloud: Gcloud,
  settings: Settings,
  stacks: readonly string[],
): Promise<KnownResource[]> {
  const known: KnownResource[] = [];
  for (const stack of stacks) {
    const content = await stateOf(gcloud, settings, stack);
    const { resources = [] } = JSON.parse(content ?? "{}") as State;
    for (const { mode, type, name, instances } of resources) {
      if (mode === "managed" && instances.length > 0) known.push({ stack, type, id: name });
    }
  }
  return known;
}

/** Stacks whose state is locked, each with the lock's id, which `terraform force-unlock` asks for. */
export async function locks(
  gcloud: Gcloud,
  settings: Settings,
  stacks: readonly string[],
): Promise<{ stack: string; lock: string }[]> {
  if (settings.stateBucket === null) return [];
  const held = await Promise.all(
    stacks.map(async (stack) => {
      const object = `${stateUrl(settings, stack)}.tflock`;
      // The id of a lock in a bucket is the generation of its object.
      const { code, output } = await gcloud(["storage", "objects", "describe", object, "--format=value(generation)"]);
      return code === 0 && output !== "" ? [{ stack, lock: output }] : [];
    }),
  );
  return held.flat();
}

type State = { resources?: { mode: string; type: string; name: string; instances: unknown[] }[] };

async function stateOf(gcloud: Gcloud, settings: Settings, stack: string): Promise<string | undefined> {
  if (settings.stateBucket === null) {
    const file = join(import.meta.dirname, "..", `terraform.${stack}.tfstate`);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }
  const { code, output, complaint } = await gcloud(["storage", "cat", `${stateUrl(settings, stack)}.tfstate`]);
  if (code === 0) return output;
  if (/not found|matched no objects|404/i.test(complaint)) return undefined;
  throw new Error(`the state of ${stack} cannot be read: ${complaint}`);
}

/** Terraform's default workspace, which is the only one in use. */
function stateUrl(settings: Settings, stack: string): string {
  return `gs://${settings.stateBucket}/${stateFolder(settings, stack)}/default`;
}
