/**
 * One deployed function: its own service account, its rights, its code, its size, its environment and who may call it.
 * It must never share a service account with another function, nor start before it may read the secrets it mounts.
 */
import { CloudRunV2ServiceIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-service-iam-member/index.js";
import { Cloudfunctions2Function } from "@cdktf/provider-google/lib/cloudfunctions2-function/index.js";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { Construct } from "constructs";
import type { FunctionName } from "../../functions/config.ts";
import { named, type Settings } from "../settings.ts";
import type { AcquirerSecret } from "./acquirer-secret.ts";
import type { Grant } from "./grants.ts";
import type { SourceBucket } from "./source-bucket.ts";

/** What a function is. */
export interface PaymentFunctionProperties {
  readonly settings: Settings;
  readonly sources: SourceBucket;
  readonly description: string;
  /** Whole CPUs: Cloud Run refuses concurrency above 1 on less than one. */
  readonly cpu: number;
  readonly memoryMiB: number;
  /** Requests that one instance works on at the same time. */
  readonly concurrency: number;
  readonly instances: { readonly min: number; readonly max: number };
  readonly timeoutSeconds: number;
  /** Variables by name; see `environmentNames`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables whose value comes from a secret when an instance starts. */
  readonly secrets: Readonly<Record<string, AcquirerSecret>>;
  /** Its rights; reading a mounted secret is one of them. */
  readonly may: readonly Grant[];
}

/** A function of generation 2: a Cloud Run service with the function's name. */
export class PaymentFunction extends Construct {
  /** Base URL, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, name: FunctionName, properties: PaymentFunctionProperties) {
    super(scope, name);
    const { settings, sources } = properties;
    const account = new ServiceAccount(this, "account", {
      project: settings.projectId,
      accountId: named(settings, name),
      displayName: `Runs ${named(settings, name)}`,
    });
    const grants = properties.may.map((grant) => grant(this, account.member));
    const source = sources.object(name);
    const deployed = new Cloudfunctions2Function(this, "function", {
      project: settings.projectId,
      name: named(settings, name),
      location: settings.region,
      description: properties.description,
      buildConfig: {
        runtime: RUNTIME,
        entryPoint: name,
        source: { storageSource: { bucket: source.bucket, object: source.name } },
      },
      serviceConfig: {
        serviceAccountEmail: account.email,
        ingressSettings: "ALLOW_ALL",
        allTrafficOnLatestRevision: true,
        ...serviceSize(properties),
        environmentVariables: { ...properties.environment },
        secretEnvironmentVariables: mounted(settings, properties.secrets),
      },
      dependsOn: grants,
    });
    this.url = deployed.serviceConfig.uri;
    if (settings.isPublic) {
      new CloudRunV2ServiceIamMember(this, "public", {
        project: settings.projectId,
        location: settings.region,
        // Granted on the Cloud Run service: the same grant on the function is refused.
        name: deployed.serviceConfig.service,
        role: "roles/run.invoker",
        member: "allUsers",
      });
    }
  }
}

/** The newest long-term Node.js that Cloud Run functions offer, and the one that tests and the laptop run on. */
const RUNTIME = "nodejs24";

function serviceSize({ cpu, memoryMiB, concurrency, instances, timeoutSeconds }: PaymentFunctionProperties) {
  return {
    availableCpu: String(cpu),
    availableMemory: `${memoryMiB}Mi`,
    maxInstanceRequestConcurrency: concurrency,
    minInstanceCount: instances.min,
    maxInstanceCount: instances.max,
    timeoutSeconds,
  };
}

/** A version is pinned by its number: "latest" would be read at each instance's start, and differ between two of them. */
function mounted(settings: Settings, secrets: PaymentFunctionProperties["secrets"]) {
  return Object.entries(secrets).map(([key, { secret, version }]) => ({
    key,
    projectId: settings.projectId,
    secret: secret.secretId,
    version: version.version,
  }));
}
