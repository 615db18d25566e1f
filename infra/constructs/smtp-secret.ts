/**
 * The secret that names the mail server with its user and password.
 * Its value must never pass through Terraform: a person puts it into Secret Manager before the first deploy that names it.
 */
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import { Adoption } from "./adoption.ts";

/** The secret, and the version that `notification` mounts. */
export class SmtpSecret extends Construct {
  readonly secret: SecretManagerSecret;
  /** Raised by hand after a new value was added. */
  readonly version = "1";

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const secretId = named(settings, SECRET_NAME);
    this.secret = new SecretManagerSecret(this, "secret", {
      secretId,
      replication: { auto: {} },
      deletionProtection: settings.isProtected,
    });
    // Where nobody made it the plan stops here and names it, instead of functions that do not start.
    new Adoption(this.secret, `projects/${settings.projectId}/secrets/${secretId}`);
  }
}

/** `smtp-url`: README and the laptop know it by this name. */
const SECRET_NAME = "smtp-url";
