// Reads synthesized stacks and answers what an attribute of a resource will be once it is deployed, across stacks.
// It must never guess: a reference that it does not understand stops the laptop with the reference in the message.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One resource of a stack. `text` gives an attribute by its path, for example `service_config.timeout_seconds`. */
export type PlannedResource = {
  type: string;
  /** `stack/type.id`, for messages. */
  address: string;
  /** The attribute as text; throws when the plan does not say it. */
  text(path: string): string;
  /** The attribute with every reference in it resolved; undefined when the plan does not have it. */
  value(path: string): unknown;
};

/** All resources of all stacks in a folder that CDKTF wrote (`cdktf.out`). */
export function readResources(folder: string): PlannedResource[] {
  const stacks = new Map<string, Stack>();
  for (const name of readdirSync(join(folder, "stacks")).sort()) {
    const json = readFileSync(join(folder, "stacks", name, "cdk.tf.json"), "utf8");
    stacks.set(name, { name, template: JSON.parse(json) as Template, stacks });
  }
  return [...stacks.values()].flatMap((stack) =>
    Object.entries(stack.template.resource ?? {}).flatMap(([type, byId]) =>
      Object.keys(byId).map((id) => resourceOf(stack, type, id)),
    ),
  );
}

/** What stands for the address of a deployed function in the plan, until the laptop knows the real one. */
export function plannedUrl(functionName: string): string {
  return `https://${functionName}.function.invalid`;
}

/** Number of the project, which the cloud gives out and the names of products' agents hold. */
export const PROJECT_NUMBER = "123456789012";

type Attributes = Readonly<Record<string, unknown>>;

type Template = {
  provider?: { google?: readonly Attributes[] };
  resource?: Readonly<Record<string, Readonly<Record<string, Attributes>>>>;
  output?: Readonly<Record<string, { readonly value: unknown }>>;
};

type Stack = { name: string; template: Template; stacks: ReadonlyMap<string, Stack> };

function resourceOf(stack: Stack, type: string, id: string): PlannedResource {
  const address = `${stack.name}/${type}.${id}`;
  const value = (path: string) => attribute(stack, type, id, path);
  const text = (path: string) => {
    const found = value(path);
    if (typeof found === "string" || typeof found === "number") return String(found);
    throw new Error(`plan: ${address} has no ${path}`);
  };
  return { type, address, text, value };
}

/** What is written in the plan wins; else it is one of the attributes that the cloud computes from what is written. */
function attribute(stack: Stack, type: string, id: string, path: string): unknown {
  const attributes = stack.template.resource?.[type]?.[id];
  if (attributes === undefined) throw new Error(`plan: stack ${stack.name} has no ${type}.${id}`);
  const written = walk(attributes, path);
  if (written !== undefined) return resolve(stack, written);
  const own = (name: string) => String(attribute(stack, type, id, name));
  if (path === "project") return stack.template.provider?.google?.[0]?.["project"];
  return computed[`${type}.${path}`]?.(own);
}

/** Follows `a.b[0].c`; CDKTF writes a block that occurs once without its list, so `[0]` of an object is that object. */
function walk(attributes: Attributes, path: string): unknown {
  let current: unknown = attributes;
  for (const step of path.split(/[.[\]]+/).filter((piece) => piece !== "")) {
    if (current === null || typeof current !== "object") return undefined;
    if (step === "0" && !Array.isArray(current)) continue;
    current = (current as Attributes)[step];
  }
  return current;
}

/** Attributes that only exist after a deployment, made the way the cloud makes them. */
const computed: Readonly<Record<string, (own: (path: string) => string) => string>> = {
  "google_service_account.email": (own) => `${own("account_id")}@${own("project")}.iam.gserviceaccount.com`,
  "google_service_account.member": (own) => `serviceAccount:${own("email")}`,
  "google_cloudfunctions2_function.service_config[0].uri": (own) => plannedUrl(own("name")),
  "google_cloudfunctions2_function.service_config[0].service": (own) =>
    `projects/${own("project")}/locations/${own("location")}/services/${own("name")}`,
  "google_pubsub_topic.id": (own) => `projects/${own("project")}/topics/${own("name")}`,
  "google_pubsub_subscription.id": (own) => `projects/${own("project")}/subscriptions/${own("name")}`,
  "google_project_iam_custom_role.id": (own) => `projects/${own("project")}/roles/${own("role_id")}`,
  "google_cloud_tasks_queue.id": (own) =>
    `projects/${own("project")}/locations/${own("location")}/queues/${own("name")}`,
  "google_secret_manager_secret.id": (own) => `projects/${own("project")}/secrets/${own("secret_id")}`,
  "google_service_account.name": (own) => `projects/${own("project")}/serviceAccounts/${own("email")}`,
  // An instance's address, its port with encryption, and who signs for it: nobody here.
  "google_redis_instance.host": () => "10.9.0.3",
  "google_redis_instance.port": () => "6378",
  "google_redis_instance.server_ca_certs[0].cert": () => "",
  "google_vpc_access_connector.id": (own) =>
    `projects/${own("project")}/locations/${own("region")}/connectors/${own("name")}`,
  // The first version of a new secret.
  "google_secret_manager_secret_version.version": () => "1",
  // Google makes up an account for each sink.
  "google_logging_project_sink.writer_identity": (own) =>
    `serviceAccount:sink-${own("name")}@gcp-sa-logging.iam.gserviceaccount.com`,
};

/** Replaces every `${…}` in a value, at any depth. */
function resolve(stack: Stack, value: unknown): unknown {
  if (typeof value === "string") return resolveText(stack, value);
  if (Array.isArray(value)) return value.map((item) => resolve(stack, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(stack, item)]));
}

function resolveText(stack: Stack, text: string): unknown {
  const whole = /^\$\{([^${}]+)\}$/.exec(text)?.[1];
  if (whole !== undefined) return lookUp(stack, whole);
  return text.replace(/\$\{([^${}]+)\}/g, (_match, reference: string) => String(lookUp(stack, reference)));
}

/** `type.id.path` of the same stack, or an output of another stack by way of its state. */
function lookUp(stack: Stack, reference: string): unknown {
  const remote = /^data\.terraform_remote_state\.cross-stack-reference-input-([\w-]+)\.outputs\.([\w-]+)$/.exec(
    reference,
  );
  if (remote !== null) {
    const producer = stack.stacks.get(remote[1] ?? "");
    const output = producer?.template.output?.[remote[2] ?? ""];
    if (producer !== undefined && output !== undefined) return resolve(producer, output.value);
  }
  if (/^data\.google_project\.[\w-]+\.number$/.test(reference)) return PROJECT_NUMBER;
  const own = /^(google_\w+)\.([\w-]+)\.([\w.[\]]+)$/.exec(reference);
  const value = own === null ? undefined : attribute(stack, own[1] ?? "", own[2] ?? "", own[3] ?? "");
  if (value === undefined)
    throw new Error(`plan: stack ${stack.name} refers to ${reference}, which the laptop does not know`);
  return value;
}
