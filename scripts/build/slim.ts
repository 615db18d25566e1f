// Edits that leave out what the deployed functions never use: generated message classes, admin clients, built-in metrics.
// It must never leave a silent gap: whatever was left out throws, by name, when something asks for it.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Patch } from "./patch.ts";

/**
 * Of a client's generated message classes (1 to 1.7 MB each, 70 to 120 ms to load) the hand-written part reads only
 * enums; messages are encoded from protos.json. So the classes become the enums of that same JSON.
 */
export const slimPatches: readonly Patch[] = [
  { of: "@google-cloud/spanner-api", file: "build/protos/protos.js", edit: enumsInstead },
  { of: "@google-cloud/firestore-api", file: "build/protos/protos.js", edit: enumsInstead },
  {
    of: "@google-cloud/firestore",
    file: "build/protos/firestore_v1_proto_api.js",
    // The serializer takes `Value` at load and uses it for Firestore's pipelines, which this project does not use.
    edit: () =>
      `exports.google = { firestore: { v1: { Value: { fromObject() { ${refuse("Firestore pipelines")} } } } } };`,
  },
  {
    of: "@google-cloud/tasks",
    file: "build/esm/src/index.js",
    // It exports two older versions of the API and 3.7 MB of generated message classes beside the client.
    edit: () => 'export { CloudTasksClient } from "./v2/index.js";',
  },
  ...["iam_service", "locations", "operations"].map(
    (name): Patch => ({
      of: "google-gax",
      file: `build/protos/${name}.js`,
      // Re-exported by google-gax for the admin clients and long-running operations.
      edit: () =>
        `Object.defineProperty(exports, "google", { enumerable: true, get() { ${refuse(`google-gax ${name}`)} } });`,
    }),
  ),
  {
    of: "@google-cloud/pubsub",
    file: "build/src/index.js",
    // The friendly client batches, leases and traces: 200 files. The functions only publish, with the generated one.
    edit: () =>
      'exports.v1 = { PublisherClient: require("@google-cloud/pubsub-api/build/src/v1/publisher_client.js").PublisherClient };',
  },
  {
    of: "@redis/client",
    file: "dist/lib/utils/digest.js",
    // Wants a native package that the client does not bring, for conditional writes by digest, which the cache does not use.
    edit: () => `exports.digest = () => { ${refuse("Redis digests")} };`,
  },
  adminClient("@google-cloud/spanner-api", "database_admin_client", "DatabaseAdminClient"),
  adminClient("@google-cloud/spanner-api", "instance_admin_client", "InstanceAdminClient"),
  adminClient("@google-cloud/spanner-api", "spanner_executor_proxy_client", "SpannerExecutorProxyClient"),
  adminClient("@google-cloud/firestore-api", "firestore_admin_client", "FirestoreAdminClient"),
  {
    of: "@google-cloud/spanner",
    file: "build/src/metrics/spanner-metrics-exporter.js",
    // Brings @google-cloud/monitoring: 300 ms and 1.3 MB for metrics that Cloud Monitoring has from the server anyway.
    edit: () => refusingClass("CloudMonitoringMetricsExporter", "Spanner metrics; pass disableBuiltInMetrics: true"),
  },
];

function adminClient(of: string, file: string, name: string): Patch {
  return { of, file: `build/src/v1/${file}.js`, edit: () => refusingClass(name, name) };
}

function refusingClass(name: string, what: string): string {
  // `new Spanner()` collects the scopes of all its clients; those of the data client contain the others.
  return `exports.${name} = class { static scopes = []; constructor() { ${refuse(what)} } };`;
}

/** A statement that throws, by name, for what an edit of that file left out. */
export function refuse(what: string, file = "slim.ts"): string {
  return `throw new Error(${JSON.stringify(`left out of this bundle: ${what} (see scripts/build/${file})`)});`;
}

type ProtoNode = { nested?: Record<string, ProtoNode>; values?: Record<string, number> };

function enumsInstead(_source: string, folder: string): string {
  const root = JSON.parse(readFileSync(path.join(folder, "protos.json"), "utf8")) as ProtoNode;
  return `module.exports = ${JSON.stringify(enumsOf(root))};`;
}

/** Enums both ways (`INT64` to 2 and 2 to `INT64`), as the generated classes have them; branches without enums vanish. */
function enumsOf(node: ProtoNode): Record<string, unknown> {
  if (node.values !== undefined) {
    const names = Object.entries(node.values).map(([name, value]) => [String(value), name]);
    return { ...Object.fromEntries(names), ...node.values };
  }
  const children = Object.entries(node.nested ?? {}).map(([name, child]) => [name, enumsOf(child)] as const);
  return Object.fromEntries(children.filter(([, child]) => Object.keys(child).length > 0));
}
