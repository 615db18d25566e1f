// Edits to the clients' descriptions of their services (protos.json): packages that the functions never call are dropped.
// It must never drop a package that a kept one refers to; protobufjs then refuses to load, loudly, at the first start.
import type { Patch } from "./patch.ts";

/** A client parses its whole description at start, so each dropped package saves time as well as bytes. */
export const prunePatches: readonly Patch[] = [
  prune("@google-cloud/spanner-api", ["spanner.admin", "spanner.executor", "longrunning", "iam", "api"]),
  prune("@google-cloud/firestore-api", ["firestore.admin", "longrunning", "api"]),
  prune("@google-cloud/pubsub-api", ["api"]),
  prune("@google-cloud/tasks", ["cloud.tasks.v2beta2", "cloud.tasks.v2beta3", "longrunning", "api"]),
];

type ProtoNode = { nested?: Record<string, ProtoNode> };

function prune(of: string, packages: readonly string[]): Patch {
  return {
    of,
    file: "build/protos/protos.json",
    edit: (source) => {
      const root = JSON.parse(source) as ProtoNode;
      for (const name of packages) drop(root, `google.${name}`);
      return JSON.stringify(root);
    },
  };
}

function drop(root: ProtoNode, name: string): void {
  const steps = name.split(".");
  const last = steps.pop() ?? "";
  const parent = steps.reduce<ProtoNode | undefined>((node, step) => node?.nested?.[step], root);
  if (parent?.nested?.[last] === undefined) throw new Error(`protos.json has no package ${name} any more`);
  delete parent.nested[last];
}
