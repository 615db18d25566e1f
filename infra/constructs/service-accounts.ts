/**
 * The service accounts of a stage: one for each function that runs, one for each caller that the platform plays.
 * It must never give an account a right: grants stand where account and resource meet, in stacks that come later.
 */
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";

/** Makes accounts; all of them can be granted something once `areKnown`. */
export class ServiceAccounts extends Construct {
  readonly #settings: Settings;
  readonly #after: readonly ITerraformDependable[];
  readonly #accounts: ServiceAccount[] = [];

  /** `after` is what must exist before any of them is made. */
  constructor(scope: Construct, id: string, settings: Settings, after: readonly ITerraformDependable[]) {
    super(scope, id);
    this.#settings = settings;
    this.#after = after;
  }

  /** An account with this name (and the stage's prefix), at most 20 characters long. */
  account(name: string, purpose: string): ServiceAccount {
    const account = new ServiceAccount(this, name, {
      project: this.#settings.projectId,
      accountId: named(this.#settings, name),
      displayName: purpose,
      dependsOn: [...this.#after],
    });
    this.#accounts.push(account);
    return account;
  }

  /** To be called once, after the last account: the wait after which a grant finds them. */
  areKnown(): Sleep {
    return new Sleep(this, "are-known", {
      createDuration: CONSISTENCY,
      triggers: { accounts: this.#accounts.map((account) => account.uniqueId).join(" ") },
      dependsOn: this.#accounts,
    });
  }
}

/** A grant to an account that was just made may fail with "does not exist"; the provider's own 10 s are not always enough. */
const CONSISTENCY = "30s";
