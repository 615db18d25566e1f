// The generated secrets: each gets a random value once, before the first deploy mounts it.
// It must never show a value, write it to disk or put it into an argument, nor replace one that is in use.

import { randomBytes } from "node:crypto";
import { generatedSecretsOf, named } from "../../infra/settings.ts";
import { describe, lines, must } from "../gcloud.ts";
import type { Place, Step } from "./steps.ts";

/** One step per secret. */
export function secrets({ settings }: Place): Step[] {
  return generatedSecretsOf(settings).map((name) => {
    const id = named(settings, name);
    return {
      title: `secret ${id}`,
      ensure: async (gcloud) => {
        const found = await describe(gcloud, ["secrets", "describe", id]);
        if (found === undefined) await must(gcloud, ["secrets", "create", id, "--replication-policy=automatic"]);
        const versions = await lines(gcloud, ["secrets", "versions", "list", id, "--format=value(name)"]);
        if (versions.length > 0) return null;
        await must(gcloud, ["secrets", "versions", "add", id, "--data-file=-"], newValue());
        return found === undefined ? "made, with a random value" : "got a random value";
      },
    };
  });
}

/** 256 random bits, the size of the keys that are derived from it, in characters that survive any shell or header. */
function newValue(): string {
  return randomBytes(32).toString("hex");
}
