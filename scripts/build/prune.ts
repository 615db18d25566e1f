// Edits to the clients' descriptions of their services (protos.json): what the services that functions call need, nothing else.
// It must never drop a type that a kept one refers to: a name that leads nowhere stops the build.
import type { Patch } from "./patch.ts";

/** A client parses and links its whole description at start, so each type that is dropped saves time as well as bytes. */
export const prunePatches: readonly Patch[] = [
  onlyService("@google-cloud/spanner-api", "google.spanner.v1.Spanner"),
  onlyService("@google-cloud/firestore-api", "google.firestore.v1.Firestore"),
  onlyService("@google-cloud/pubsub-api", "google.pubsub.v1.Publisher"),
  onlyService("@google-cloud/tasks", "google.cloud.tasks.v2.CloudTasks"),
];

/** A package, a message, an enum or a service, as protobufjs writes them. */
type ProtoNode = {
  nested?: Record<string, ProtoNode>;
  readonly fields?: Record<string, { readonly type: string }>;
  readonly values?: object;
  readonly methods?: Record<string, { readonly requestType: string; readonly responseType: string }>;
};

function onlyService(of: string, service: string): Patch {
  return {
    of,
    file: "build/protos/protos.json",
    edit: (source) => {
      const root = JSON.parse(source) as ProtoNode;
      const kept = new Set<string>();
      keepAll(root, service, kept);
      dropOthers(root, "", kept);
      return JSON.stringify(root);
    },
  };
}

/** Adds a service or type and all that it refers to. */
function keepAll(root: ProtoNode, name: string, kept: Set<string>): void {
  if (kept.has(name)) return;
  kept.add(name);
  const node = nodeAt(root, name);
  if (node === undefined) throw new Error(`protos.json has no ${name} any more`);
  const { fields = {}, methods = {} } = node;
  const types = [
    ...Object.values(fields).map(({ type }) => type),
    ...Object.values(methods).flatMap(({ requestType, responseType }) => [requestType, responseType]),
  ];
  for (const type of types) if (!scalars.has(type)) keepAll(root, fullNameOf(root, type, name), kept);
}

const scalars: ReadonlySet<string> = new Set(
  "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes".split(" "),
);

/** A name is looked for beside the type that uses it, then one level further out, and so on. */
function fullNameOf(root: ProtoNode, type: string, user: string): string {
  const scope = user.split(".");
  for (let depth = scope.length; depth >= 0; depth -= 1) {
    const name = [...scope.slice(0, depth), type].join(".");
    if (isType(nodeAt(root, name))) return name;
  }
  throw new Error(`protos.json: ${user} refers to ${type}, which is nowhere`);
}

function nodeAt(root: ProtoNode, name: string): ProtoNode | undefined {
  return name.split(".").reduce<ProtoNode | undefined>((node, step) => node?.nested?.[step], root);
}

function isType(node: ProtoNode | undefined): boolean {
  return (node?.fields ?? node?.values ?? node?.methods) !== undefined;
}

/** Packages, and messages around kept ones, stay for the names' sake. */
function dropOthers(node: ProtoNode, prefix: string, kept: ReadonlySet<string>): void {
  for (const [step, child] of Object.entries(node.nested ?? {})) {
    const name = `${prefix}${step}`;
    dropOthers(child, `${name}.`, kept);
    if (!kept.has(name) && Object.keys(child.nested ?? {}).length === 0) delete node.nested?.[step];
  }
}
