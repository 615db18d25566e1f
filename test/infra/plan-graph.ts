// The synthesized stacks as one graph: what Terraform makes before what, and where a reference leads, across stacks.
// It must never know a stack by name: it reads references, `depends_on` and the order of the stacks.
import type { Attributes, SynthesizedPlan, SynthesizedStack } from "./synthesized.ts";

/** One resource or data source; `address` is `stack/type.id`, with `data.` before the type of a data source. */
export interface PlanNode {
  readonly address: string;
  readonly stack: string;
  readonly type: string;
  readonly attributes: Attributes;
}

/** The graph of a plan. */
export interface PlanGraph {
  readonly nodes: readonly PlanNode[];
  /** Everything that is there before this node is made. */
  before(node: PlanNode): readonly PlanNode[];
  /** The node and attribute that a `${…}` in this stack leads to, by way of outputs of other stacks. */
  origin(stack: string, text: unknown): { readonly node: PlanNode; readonly attribute: string } | undefined;
  ofType(type: string): readonly PlanNode[];
}

/** Reads the graph; it follows the plan as it is now, so a test may break the plan first. */
export function planGraph(plan: SynthesizedPlan): PlanGraph {
  const stacks = Object.entries(plan.stacks as unknown as Record<string, SynthesizedStack>);
  const nodes = stacks.flatMap(([name, stack]) => nodesOf(name, stack));
  const byAddress = new Map(nodes.map((node) => [node.address, node]));
  const closures = new Map<string, ReadonlySet<PlanNode>>();

  const before = (node: PlanNode): ReadonlySet<PlanNode> => {
    const known = closures.get(node.address);
    if (known !== undefined) return known;
    const found = new Set(nodes.filter(({ stack }) => stacksBefore(plan, node.stack).has(stack)));
    closures.set(node.address, found);
    for (const address of referencesIn(node)) {
      const other = byAddress.get(address);
      if (other === undefined || other === node) continue;
      found.add(other);
      for (const earlier of before(other)) found.add(earlier);
    }
    return found;
  };

  const origin: PlanGraph["origin"] = (stack, text) => {
    const remote = /^\$\{data\.terraform_remote_state\.cross-stack-reference-input-([\w-]+)\.outputs\.([\w-]+)\}$/.exec(
      String(text),
    );
    if (remote !== null) {
      const [, producer = "", output = ""] = remote;
      const found = stacks.find(([name]) => name === producer)?.[1].output?.[output];
      return found === undefined ? undefined : origin(producer, found["value"]);
    }
    const [, address = "", attribute = ""] =
      /^\$\{((?:data\.)?[a-z]\w+\.[\w-]+)\.([\w.[\]]+)\}$/.exec(String(text)) ?? [];
    const node = byAddress.get(`${stack}/${address}`);
    return node === undefined ? undefined : { node, attribute };
  };

  return {
    nodes,
    before: (node) => [...before(node)],
    origin,
    ofType: (type) => nodes.filter((node) => node.type === type),
  };
}

function nodesOf(stack: string, { resource, data = {} }: SynthesizedStack): PlanNode[] {
  const read = (types: Record<string, Record<string, Attributes>>, prefix: string) =>
    Object.entries(types).flatMap(([type, byId]) =>
      Object.entries(byId).map(([id, attributes]) => ({
        address: `${stack}/${prefix}${type}.${id}`,
        stack,
        type: `${prefix}${type}`,
        attributes,
      })),
    );
  return [...read(resource, ""), ...read(data, "data.")].filter(({ type }) => type !== "data.terraform_remote_state");
}

/** The stacks that are wholly deployed before this one. */
function stacksBefore({ dependencies }: SynthesizedPlan, stack: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    for (const earlier of dependencies[name] ?? []) {
      if (!found.has(earlier)) visit(earlier);
      found.add(earlier);
    }
  };
  visit(stack);
  return found;
}

/** Addresses of the same stack that a node names, in `depends_on` or in a value. */
function referencesIn({ stack, attributes }: PlanNode): string[] {
  const { "//": _metadata, depends_on: explicit = [], ...values } = attributes;
  const found = [...JSON.stringify(values).matchAll(/\$\{((?:data\.)?[a-z]\w+\.[\w-]+)\./g)].map((match) => match[1]);
  return [...explicit, ...found].map((address) => `${stack}/${address}`);
}
