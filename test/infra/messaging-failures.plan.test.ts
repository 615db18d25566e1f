// Holds the plan to the cure of each first-deploy failure around messages, history and alerts, and shows that each check
// goes red without its cure.
// It must never change the plan that other rows see.
import { messagingFailures } from "./messaging-failures.ts";
import { planGraph } from "./plan-graph.ts";
import { type SynthesizedStack, synthesizedPlan } from "./synthesized.ts";

const plan = synthesizedPlan({ STAGE: "dev" });

describe.each(messagingFailures.map((failure) => [failure.title, failure] as const))(
  "failure %s",
  (_title, failure) => {
    test("does not happen", () => {
      expect(failure.problems(planGraph(plan))).toEqual([]);
    });

    test("is seen as soon as its cure is taken out", () => {
      const broken = structuredClone(plan);
      failure.break(broken.stacks as unknown as Record<string, SynthesizedStack>);

      expect(failure.problems(planGraph(broken))).not.toEqual([]);
    });
  },
);
