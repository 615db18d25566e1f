// What a row of the table of first-deploy failures is: how the plan is seen to be safe, and how its cure is taken out.
// It must never pass for want of something to look at: a check that finds nothing of its kind complains.
import type { PlanGraph, PlanNode } from "../plan-graph.ts";
import type { SynthesizedPlan } from "../synthesized.ts";

/** The plans that rows look at. */
export type StageOfRow = "dev" | "public" | "prod";

/** A plan with its graph; the graph's nodes are the plan's own objects, so changing one changes the plan. */
export interface Synthesis {
  readonly plan: SynthesizedPlan;
  readonly graph: PlanGraph;
}

/** One failure. */
export interface FailureRow {
  /** Its number in the list of failures, or the name of the field case. */
  readonly failure: string;
  /** What keeps it away. */
  readonly title: string;
  readonly stage: StageOfRow;
  /** What is wrong with a plan; empty when the failure cannot happen. */
  complaints(synthesis: Synthesis): readonly string[];
  /** Takes the cure out of a copy of the plan. */
  takeOut(synthesis: Synthesis): void;
}

/** Addresses of the nodes that are not right; a complaint of its own when there are no nodes. */
export function wrong(nodes: readonly PlanNode[], isRight: (node: PlanNode) => boolean): readonly string[] {
  if (nodes.length === 0) return ["there is nothing to look at"];
  return nodes.filter((node) => !isRight(node)).map(({ address }) => address);
}

/** The first node of a type; throws without one, so that a row cannot take out what is not there. */
export function first(graph: PlanGraph, type: string, where: (node: PlanNode) => boolean = () => true): PlanNode {
  const found = graph.ofType(type).find(where);
  if (found === undefined) throw new Error(`there is no ${type} to break`);
  return found;
}

/** True when a wait of at least so many seconds stands between what is meant and this node. */
export function waitsFor(
  graph: PlanGraph,
  node: PlanNode,
  secondsMin: number,
  isMeant: (one: PlanNode) => boolean,
): boolean {
  return graph
    .before(node)
    .some(
      (one) =>
        one.type === "time_sleep" &&
        Number.parseInt(one.attributes["create_duration"], 10) >= secondsMin &&
        graph.before(one).some(isMeant),
    );
}

/** Every grant, on whatever it stands. */
export function grants(graph: PlanGraph): readonly PlanNode[] {
  return graph.nodes.filter(({ type }) => type.endsWith("_iam_member"));
}

/** The account that a grant is for; undefined for `allUsers` and Google's own agents. */
export function granteeOf(graph: PlanGraph, grant: PlanNode): PlanNode | undefined {
  return graph.origin(grant.stack, grant.attributes["member"])?.node;
}
