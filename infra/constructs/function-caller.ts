/**
 * Lets Google's products call one closed function under an account of its own: Pub/Sub, Cloud Tasks or Scheduler sign the
 * account's tokens, and the function's service lets that account in.
 * It must never give the account anything else, nor open a second function to it.
 */
import { CloudRunV2ServiceIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-service-iam-member/index.js";
import type { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import { type AgentProduct, ServiceAgents } from "./service-agents.ts";

/** Who calls what. */
export interface FunctionCallerProperties {
  readonly settings: Settings;
  /** The account that the tokens name. */
  readonly account: ServiceAccount;
  /** Name of the Cloud Run service that it may call. */
  readonly service: string;
  /** The products that call under this name. */
  readonly products: readonly AgentProduct[];
}

/** The grants of one caller. */
export class FunctionCaller extends Construct {
  readonly account: ServiceAccount;
  /** What must exist before the first call. */
  readonly grants: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, { settings, account, service, products }: FunctionCallerProperties) {
    super(scope, id);
    this.account = account;
    const agents = ServiceAgents.of(this, settings);
    this.grants = [
      new CloudRunV2ServiceIamMember(this, "may-call", {
        project: settings.projectId,
        location: settings.region,
        // On the Cloud Run service: the same grant on the function is refused.
        name: service,
        role: "roles/run.invoker",
        member: account.member,
      }),
      // A fresh project's agents may sign for every account already; in an older project they must be told.
      ...products.map(
        (product) =>
          new ServiceAccountIamMember(this, `${product}-signs`, {
            serviceAccountId: account.name,
            // Identity tokens only; the better known serviceAccountTokenCreator could act as the account anywhere.
            role: "roles/iam.serviceAccountOpenIdTokenCreator",
            member: agents.member(product),
          }),
      ),
    ];
  }
}
