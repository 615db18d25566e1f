/**
 * The bucket that holds the functions' code, and the objects in it, one per function and build, named after its content.
 * It must never give two different contents one name: a function is deployed again only when its object's name changes.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket/index.js";
import { StorageBucketObject } from "@cdktf/provider-google/lib/storage-bucket-object/index.js";
import { App, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { FunctionName } from "../../functions/config.ts";
import { named, type Settings } from "../settings.ts";
import { hashLength, sourceZip } from "./source-zip.ts";

/** The bucket, in the stack that is deployed first. */
export class SourceBucket extends Construct {
  readonly bucket: StorageBucket;
  readonly #settings: Settings;

  /** `after` is what must exist before it. */
  constructor(scope: Construct, id: string, settings: Settings, after: readonly ITerraformDependable[]) {
    super(scope, id);
    this.#settings = settings;
    this.bucket = new StorageBucket(this, "bucket", {
      project: settings.projectId,
      // Bucket names are global, so the project's id is part of it.
      name: `${settings.projectId}-${named(settings, "sources")}`,
      location: settings.region,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: "enforced",
      // Code can be built again, so it never stands in the way of taking a stage down.
      forceDestroy: true,
      dependsOn: [...after],
    });
  }

  /** The function's code as an object of the stack that deploys it, named `payments-api/<hash>.zip`. */
  object(scope: Construct, name: FunctionName): StorageBucketObject {
    const { sourcesFolder } = this.#settings;
    const folder = sourcesFolder === null ? undefined : join(sourcesFolder, name);
    const version = folder !== undefined && existsSync(folder) ? writeZip(scope, name, folder) : NOT_BUILT;
    return new StorageBucketObject(scope, "source", {
      bucket: this.bucket.name,
      name: `${name}/${version}.zip`,
      source: `${STACK_TO_OUTPUT}/${SOURCES}/${name}-${version}.zip`,
      // The function that still names the old object is changed in between.
      lifecycle: { createBeforeDestroy: true },
    });
  }
}

/** Writes the zip beside the stacks; returns what to call it. */
function writeZip(scope: Construct, name: FunctionName, folder: string): string {
  const { bytes, hash } = sourceZip(folder);
  const version = hash.slice(0, hashLength);
  const target = join(App.of(scope).outdir, SOURCES);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, `${name}-${version}.zip`), bytes);
  return version;
}

/** Stands for the hash of code that was not built: a deploy then stops at the missing file, and says its name. */
const NOT_BUILT = "not-built";

/** Folder of the zips in the synthesized output. */
const SOURCES = "sources";

/** From `stacks/<name>`, where Terraform runs, to the output folder. */
const STACK_TO_OUTPUT = "../..";
