/**
 * The service account under which functions are built, with its three rights.
 * It must never be the project's default account, which in new organizations has no rights and in old ones has all.
 */
import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member/index.js";
import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member/index.js";
import type { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { ImageRepository } from "./image-repository.ts";

/** What a build account is made of. */
export interface BuildAccountProperties {
  readonly settings: Settings;
  readonly account: ServiceAccount;
  readonly images: ImageRepository;
  /** What must exist before its grants: the wait for the account. */
  readonly after: readonly ITerraformDependable[];
}

/** The rights of the account that builds. */
export class BuildAccount extends Construct {
  /** As a build names it. */
  readonly name: string;

  constructor(scope: Construct, id: string, { settings, account, images, after }: BuildAccountProperties) {
    super(scope, id);
    this.name = account.name;
    const shared = { project: settings.projectId, member: account.member, dependsOn: [...after] };
    const { repository } = images;
    new Sleep(this, "is-ready", {
      createDuration: PROPAGATION,
      // A wait is over for ever once it was waited; another account waits again.
      triggers: { account: account.uniqueId },
      dependsOn: [
        // There is no smaller place for a log line than the project.
        new ProjectIamMember(this, "writes-logs", { ...shared, role: "roles/logging.logWriter" }),
        new ArtifactRegistryRepositoryIamMember(this, "writes-images", {
          ...shared,
          location: repository.location,
          repository: repository.name,
          role: "roles/artifactregistry.writer",
        }),
        new ProjectIamMember(this, "reads-sources", {
          ...shared,
          role: "roles/storage.objectViewer",
          // The buckets into which Google copies the code of functions; they cannot be named, as Google makes them.
          condition: {
            title: "only-sources-of-functions",
            expression: 'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-")',
          },
        }),
      ],
    });
  }
}

/** A build that starts right after a grant is refused; a minute is what it takes. */
const PROPAGATION = "60s";
