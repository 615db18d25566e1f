// `npm run cost [-- --stage S]`: what a stage costs while nobody uses it, and what a million payments cost, from the plan.
// It must never hide what it has no price for.

import { parseArgs } from "node:util";
import { idleCosts } from "./cost/idle.ts";
import { PRICES_DATE, pricedTypes } from "./cost/prices.ts";
import { type Cost, total } from "./cost/table.ts";
import { paymentCosts } from "./cost/usage.ts";
import { type SynthesizedResource, synthesizedStacks } from "./synthesized-stacks.ts";
import { runMain, type Terminal } from "./terminal.ts";

/** Prints both tables of the stage that the environment, stage.local.json or `--stage` name. */
export async function cost(args: readonly string[], { environment, say }: Terminal): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { stage: { type: "string" } } });
  const stage = values.stage === undefined ? {} : { STAGE: values.stage };
  const resources = await synthesizedStacks({ ...environment, ...stage });
  say(tableOf("Idle, in a month", idleCosts(resources)));
  say(tableOf("Per million payments", paymentCosts(resources)));
  const unknown = unknownTypes(resources);
  if (unknown.length > 0) say(`\nWithout a price here: ${unknown.join(", ")}`);
  say(`\nUSD, list prices of ${PRICES_DATE} in the cheapest regions, before free tiers and discounts.`);
  return 0;
}

/** Types of resources for which there is neither a price nor the knowledge that they are free. */
export function unknownTypes(resources: readonly SynthesizedResource[]): string[] {
  return [...new Set(resources.map(({ type }) => type).filter((type) => !(type in pricedTypes)))];
}

function tableOf(title: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ part, basis, usd }) => `  ${usd.toFixed(2).padStart(8)}  ${part}  (${basis})`);
  return ["", title, ...rows, `  ${total(costs).toFixed(2).padStart(8)}  together`].join("\n");
}

if (import.meta.main) await runMain("cost", (terminal) => cost(process.argv.slice(2), terminal));
