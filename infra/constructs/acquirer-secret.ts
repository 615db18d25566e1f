/**
 * The secret that payments-api and the acquirer share.
 * Its value must never be in Terraform's state: it passes through a write-only argument (Terraform 1.11 or newer).
 */
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret/index.js";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version/index.js";
import { TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";

/** The secret, and the version that functions mount. */
export class AcquirerSecret extends Construct {
  readonly secret: SecretManagerSecret;
  readonly version: SecretManagerSecretVersion;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const value = new TerraformVariable(this, "value", {
      type: "string",
      description:
        "Shared secret of payments-api and the acquirer, as TF_VAR_acquirer_secret; kept nowhere by Terraform.",
      sensitive: true,
      nullable: false,
    });
    value.overrideLogicalId("acquirer_secret");
    // Ephemeral: Terraform refuses to write the value into a plan or a state.
    value.addOverride("ephemeral", true);
    this.secret = new SecretManagerSecret(this, "secret", {
      secretId: named(settings, "acquirer-secret"),
      replication: { auto: {} },
      deletionProtection: settings.isProtected,
    });
    this.version = new SecretManagerSecretVersion(this, "version", {
      secret: this.secret.id,
      secretDataWo: value.stringValue,
      // Raised by hand when the value changes: Terraform cannot see that by itself.
      secretDataWoVersion: 1,
    });
  }
}
