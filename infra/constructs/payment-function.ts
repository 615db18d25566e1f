/**
 * One deployed function: its rights, its code, its size, its environment and who may call it.
 * It must never share a service account with another function, nor start before it may read the secrets it mounts.
 */
import { CloudRunV2ServiceIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-service-iam-member/index.js";
import { Cloudfunctions2Function } from "@cdktf/provider-google/lib/cloudfunctions2-function/index.js";
import type { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { Construct } from "constructs";
import { environmentNames, type FunctionName } from "../../functions/config.ts";
import type { FoundationStack } from "../foundation-stack.ts";
import { named, type Settings } from "../settings.ts";
import type { AdoptedSecret } from "./adopted-secret.ts";
import { type Grant, writeTraces } from "./grants.ts";

/** What a function is. */
export interface PaymentFunctionProperties {
  readonly settings: Settings;
  /** Where its code and its image go, and who builds it. */
  readonly foundation: FoundationStack;
  /** Its own account. */
  readonly account: ServiceAccount;
  readonly description: string;
  /** Whole CPUs: Cloud Run refuses concurrency above 1 on less than one. */
  readonly cpu: number;
  readonly memoryMiB: number;
  /** Requests that one instance works on at the same time. */
  readonly concurrency: number;
  readonly instances: { readonly min: number; readonly max: number };
  readonly timeoutSeconds: number;
  /** `platform`: only this project's own Scheduler, Tasks and Pub/Sub reach it; `anywhere`: whoever may invoke it. */
  readonly reachedFrom: "anywhere" | "platform";
  /** May the whole world invoke it? Else it is who holds `invoke`. */
  readonly isPublic: boolean;
  /** Variables by name; see `environmentNames`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables whose value comes from a secret when an instance starts. */
  readonly secrets: Readonly<Record<string, AdoptedSecret>>;
  /** Full name of the connector into a network whose private addresses it calls; undefined for the open internet alone. */
  readonly connector?: string | undefined;
  /** Its rights; reading a mounted secret is one of them. */
  readonly may: readonly Grant[];
}

/** A function of generation 2: a Cloud Run service with the function's name. */
export class PaymentFunction extends Construct {
  /** Base URL, without a trailing slash; the audience of whoever calls it. */
  readonly url: string;
  /** Its Cloud Run service, which is what a caller is let into. */
  readonly service: string;

  constructor(scope: Construct, name: FunctionName, properties: PaymentFunctionProperties) {
    super(scope, name);
    const { settings, foundation, account } = properties;
    const tracing = tracingOf(settings);
    const grants = [...properties.may, ...tracing.may].map((grant) => grant(this, account.member));
    const source = foundation.sources.object(this, name);
    const deployed = new Cloudfunctions2Function(this, "function", {
      project: settings.projectId,
      name: named(settings, name),
      location: settings.region,
      description: properties.description,
      buildConfig: {
        runtime: RUNTIME,
        entryPoint: name,
        // Without these two Google builds as an account that may have no rights, into a repository that outlives the stage.
        serviceAccount: foundation.build.name,
        dockerRepository: foundation.images.repository.id,
        source: { storageSource: { bucket: source.bucket, object: source.name } },
      },
      serviceConfig: {
        serviceAccountEmail: account.email,
        ingressSettings: INGRESS[properties.reachedFrom],
        allTrafficOnLatestRevision: true,
        ...serviceSize(properties),
        environmentVariables: { ...properties.environment, ...tracing.environment },
        ...networkOf(properties.connector),
        secretEnvironmentVariables: mounted(settings, properties.secrets),
      },
      dependsOn: grants,
    });
    this.url = deployed.serviceConfig.uri;
    this.service = deployed.serviceConfig.service;
    if (properties.isPublic) invoke(this, settings)(this, "allUsers");
  }
}

/** Call a function: the right stands on its Cloud Run service, because the same grant on the function is refused. */
export function invoke({ service, node }: PaymentFunction, settings: Settings): Grant {
  return (scope, member) =>
    new CloudRunV2ServiceIamMember(scope, member === "allUsers" ? "public" : `invokes-${node.id}`, {
      project: settings.projectId,
      location: settings.region,
      name: service,
      role: "roles/run.invoker",
      member,
    });
}

/** What each function needs to be seen in Cloud Trace; nothing where no trace is recorded. */
function tracingOf(settings: Settings) {
  if (settings.traceSampleRatio === 0) return { environment: {}, may: [] };
  const environment = {
    [environmentNames.traceSampleRatio]: String(settings.traceSampleRatio),
    [environmentNames.traceCollectorUrl]: "https://telemetry.googleapis.com/v1/traces",
  };
  return { environment, may: [writeTraces(settings.projectId)] };
}

/** The newest long-term Node.js that Cloud Run functions offer, and the one that tests and the laptop run on. */
const RUNTIME = "nodejs24";

/** "Internal" is where Scheduler, Tasks and Pub/Sub of the same project come from, and no other function. */
const INGRESS = { anywhere: "ALLOW_ALL", platform: "ALLOW_INTERNAL_ONLY" } as const;

/** Only what is private goes through the connector: everything else would need an address of its own to get out. */
function networkOf(connector: string | undefined) {
  return connector === undefined ? {} : { vpcConnector: connector, vpcConnectorEgressSettings: "PRIVATE_RANGES_ONLY" };
}

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
    version,
  }));
}
