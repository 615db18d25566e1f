/**
 * A secret that functions mount and that bootstrap made, such as the one that payments-api and the acquirer share.
 * Its value must never pass through Terraform: bootstrap generates it and stores it before the first deploy.
 */
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret/index.js";
import { Construct } from "constructs";
import { type GeneratedSecret, named, type Settings } from "../settings.ts";
import { Adoption } from "./adoption.ts";

/** The secret, and the version that functions mount. */
export class AdoptedSecret extends Construct {
  readonly secret: SecretManagerSecret;
  /** Raised by hand after a new value was added: functions read it when an instance starts, so all must name the same. */
  readonly version: string = "1";

  constructor(scope: Construct, name: GeneratedSecret, settings: Settings) {
    super(scope, name);
    const secretId = named(settings, name);
    this.secret = new SecretManagerSecret(this, "secret", {
      secretId,
      replication: { auto: {} },
      deletionProtection: settings.isProtected,
    });
    // Adopted where bootstrap made it; from then on Terraform owns it, and `destroy` takes it along with its versions.
    new Adoption(this.secret, `projects/${settings.projectId}/secrets/${secretId}`);
  }
}
