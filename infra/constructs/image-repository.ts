/**
 * Where the builds of functions put their images.
 * It must never be the repository that Google would make by itself: that one stays behind when a stage is taken down.
 */
import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";

/** The repository; old images leave it by themselves. */
export class ImageRepository extends Construct {
  readonly repository: ArtifactRegistryRepository;

  /** `after` is what must exist before it. */
  constructor(scope: Construct, id: string, settings: Settings, after: readonly ITerraformDependable[]) {
    super(scope, id);
    this.repository = new ArtifactRegistryRepository(this, "repository", {
      project: settings.projectId,
      location: settings.region,
      repositoryId: named(settings, "functions"),
      format: "DOCKER",
      description: "Images of the functions, made by their builds.",
      cleanupPolicies: [
        // What is deployed is among the newest; going back further is a build of older code.
        { id: "keep-newest", action: "KEEP", mostRecentVersions: { keepCount: IMAGES_KEPT } },
        { id: "delete-old", action: "DELETE", condition: { tagState: "ANY", olderThan: `${30 * 24 * 60 * 60}s` } },
      ],
      dependsOn: [...after],
    });
  }
}

/** Versions kept of each image: today's and a few to go back to. */
const IMAGES_KEPT = 5;
