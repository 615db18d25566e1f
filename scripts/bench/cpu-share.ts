// Whose code the CPU time of a request goes to: V8's own profiler samples the process, and each sample goes to the topmost
// frame of its stack that has an owner. It must never count time in which the process only waited.
import { Session } from "node:inspector/promises";

/** Who can own a sample, in the order of the table. */
export const owners = ["client libraries", "this project", "Node", "garbage collector", "without a frame"] as const;
export type Owner = (typeof owners)[number];

/** CPU time by owner, in milliseconds. */
export type CpuShare = Readonly<Record<Owner, number>>;

/** Profiles what `run` does. */
export async function profiled(run: () => Promise<unknown>): Promise<CpuShare> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: intervalUs });
    await session.post("Profiler.start");
    await run();
    const { profile } = await session.post("Profiler.stop");
    return shareOf(profile);
  } finally {
    session.disconnect();
  }
}

/** A part of each owner in the whole, without what has no frame: that is V8's and the kernel's, whoever caused it. */
export function partOf(share: CpuShare, owner: Owner): number {
  return share[owner] / owners.reduce((sum, each) => sum + share[each], 0);
}

/** Half of V8's own choice: requests are short. */
const intervalUs = 500;

/** The parts of V8's profile that are read here; deltas are microseconds between samples. */
export type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[] | undefined;
  }[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
};

/** Adds up a profile. Node's own code belongs to whoever called it, and to Node only where nobody of the process did. */
export function shareOf({ nodes, samples = [], timeDeltas = [] }: Profile): CpuShare {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ownerOf = new Map<number, Owner | undefined>();
  const visit = (id: number, above: Owner | undefined): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const owner = ownerOfFrame(node.callFrame, above);
    ownerOf.set(id, owner);
    for (const child of node.children ?? []) visit(child, owner);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root.id, undefined);
  const share = Object.fromEntries(owners.map((owner) => [owner, 0])) as Record<Owner, number>;
  for (const [index, id] of samples.entries()) {
    const name = byId.get(id)?.callFrame.functionName;
    if (name === "(idle)") continue;
    // A delta stands before its sample: this sample's time ends with the next one.
    share[ownerOf.get(id) ?? "without a frame"] += (timeDeltas[index + 1] ?? 0) / 1_000;
  }
  return share;
}

function ownerOfFrame({ functionName, url }: Profile["nodes"][number]["callFrame"], above: Owner | undefined) {
  if (functionName === "(garbage collector)") return "garbage collector";
  if (url.includes("/node_modules/")) return "client libraries";
  if (url.includes("/functions/") || url.includes("/scripts/")) return "this project";
  if (url.startsWith("node:")) return above ?? "Node";
  return above;
}
