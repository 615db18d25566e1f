// `npm run cost [-- --stage S] [--per-day N]`: what a stage costs while nobody uses it, and what a million payments and a
// thousand pages of the dashboard cost, from the plan; with `--per-day` what so many payments a day need and cost.
// It must never hide what it has no price for.

import { parseArgs } from "node:util";
import { capacityOf } from "./cost/capacity.ts";
import { idleCosts } from "./cost/idle.ts";
import { pageCosts } from "./cost/pages.ts";
import { PRICES_DATE, pricedTypes } from "./cost/prices.ts";
import { type Cost, total } from "./cost/table.ts";
import { paymentCosts } from "./cost/usage.ts";
import { type SynthesizedResource, synthesizedStacks } from "./synthesized-stacks.ts";
import { runMain, type Terminal } from "./terminal.ts";

/** Prints the tables of the stage that the environment, stage.local.json or `--stage` name. */
export async function cost(args: readonly string[], { environment, say }: Terminal): Promise<number> {
  const options = { stage: { type: "string" }, "per-day": { type: "string" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const perDay = values["per-day"] === undefined ? undefined : paymentsPerDay(values["per-day"]);
  const stage = values.stage === undefined ? {} : { STAGE: values.stage };
  const resources = await synthesizedStacks({ ...environment, ...stage });
  if (perDay === undefined) {
    say(tableOf("Idle, in a month", idleCosts(resources)));
    say(tableOf("Per million payments", paymentCosts(resources)));
    say(tableOf("Per thousand pages of the dashboard", pageCosts(resources)));
  } else {
    sayCapacity(resources, perDay, say);
  }
  const unknown = unknownTypes(resources);
  if (unknown.length > 0) say(`\nWithout a price here: ${unknown.join(", ")}`);
  say(`\nUSD, list prices of ${PRICES_DATE} in the cheapest regions, before free tiers and discounts.`);
  return 0;
}

/** Types of resources for which there is neither a price nor the knowledge that they are free. */
export function unknownTypes(resources: readonly SynthesizedResource[]): string[] {
  return [...new Set(resources.map(({ type }) => type).filter((type) => !(type in pricedTypes)))];
}

/** @throws Error that names the option for anything but a whole number of payments up to ten thousand million. */
function paymentsPerDay(text: string): number {
  const count = /^[1-9][0-9]*(?:\.[0-9]+)?(?:e[0-9]{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isInteger(count) || count > perDayMax)
    throw new Error(`--per-day must be a whole number of payments from 1 to ${perDayMax}, such as 1e8, not ${text}.`);
  return count;
}

/** More than all cards of the world are used in a day: whoever types more has slipped. */
const perDayMax = 10_000_000_000;

function sayCapacity(resources: readonly SynthesizedResource[], perDay: number, say: Terminal["say"]): void {
  const { needs, costs } = capacityOf(resources, perDay);
  const amounts = needs.map(({ amount }) => (Number.isInteger(amount) ? String(amount) : amount.toFixed(1)));
  const width = Math.max(...amounts.map(({ length }) => length));
  say(`\n${perDay.toLocaleString("en")} payments a day need, at the busiest`);
  for (const [index, { what, because }] of needs.entries())
    say(`  ${amounts[index]?.padStart(width)}  ${what}  (${because})`);
  say(tableOf("and cost in a month", costs));
  say(`  ${((total(costs) / (perDay * (730 / 24))) * 1_000).toFixed(2).padStart(8)}  per thousand payments`);
}

function tableOf(title: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ part, basis, usd }) => `  ${usd.toFixed(2).padStart(8)}  ${part}  (${basis})`);
  return ["", title, ...rows, `  ${total(costs).toFixed(2).padStart(8)}  together`].join("\n");
}

if (import.meta.main) await runMain("cost", (terminal) => cost(process.argv.slice(2), terminal));
