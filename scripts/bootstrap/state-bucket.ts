// The bucket that keeps Terraform's state: in the region, versioned, closed to the public.
// It must never lose a state: old versions go only when there are many newer ones.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type Gcloud, must } from "../gcloud.ts";
import type { Place, Step } from "./steps.ts";

/** The step; a bucket of an earlier run that was cut short is repaired. */
export function stateBucket({ file }: Place): Step[] {
  const url = `gs://${file.stateBucket}`;
  return [
    {
      title: `state bucket ${url}`,
      ensure: async (gcloud) => {
        const found = await describe(gcloud, ["storage", "buckets", "describe", url]);
        if (found !== undefined && isRight(found)) return null;
        if (found === undefined) await make(gcloud, url, file.region);
        await configure(gcloud, url);
        return found === undefined ? "made" : "repaired";
      },
    },
  ];
}

async function make(gcloud: Gcloud, url: string, region: string): Promise<void> {
  const closed = ["--uniform-bucket-level-access", "--public-access-prevention"];
  await must(gcloud, ["storage", "buckets", "create", url, `--location=${region}`, ...closed]);
}

async function configure(gcloud: Gcloud, url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
  try {
    const lifecycle = join(folder, "lifecycle.json");
    writeFileSync(lifecycle, JSON.stringify(LIFECYCLE));
    const closed = ["--uniform-bucket-level-access", "--public-access-prevention"];
    await must(gcloud, [
      "storage",
      "buckets",
      "update",
      url,
      "--versioning",
      ...closed,
      `--lifecycle-file=${lifecycle}`,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isRight(bucket: Record<string, unknown>): boolean {
  return (
    bucket["versioning_enabled"] === true &&
    bucket["uniform_bucket_level_access"] === true &&
    bucket["public_access_prevention"] === "enforced" &&
    bucket["lifecycle_config"] !== undefined
  );
}

/** A state is a few hundred KB and each deploy writes four: 50 versions are weeks, and 30 days outlive a holiday. */
const LIFECYCLE = {
  rule: [
    {
      action: { type: "Delete" },
      condition: { isLive: false, numNewerVersions: 50, daysSinceNoncurrentTime: 30 },
    },
  ],
};
