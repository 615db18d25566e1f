// The person who empties the dead letters: a dry run, then the run of that plan, again and again until nothing waits.
// It must never send what the plan did not show.

import type { Publisher } from "../../functions/flows/bus-ports.ts";
import { planRedriveOf, runRedrive } from "../../functions/flows/redrive-events.ts";
import type { Stores } from "./stores.ts";
import { type Surroundings, startWorker } from "./worker.ts";

/** What the person works with. */
export interface Person {
  readonly around: Surroundings;
  readonly stores: Stores;
  readonly publisher: Publisher;
}

/** Empties the dead letters, on a machine that may die; whoever finds the plan half done runs it again. */
export async function redrive({ around, stores, publisher }: Person): Promise<void> {
  let planId: string | null = null;
  for (let tried = 1; tried <= 12; tried += 1) {
    const worker = startWorker(around, `person#${around.time.now()}#${tried}`);
    const deadLetters = worker.bind("deadLetters", stores.deadLetters);
    const deps = { deadLetters, publisher: worker.bind("publisher", publisher), clock: worker.clock };
    const end = await Promise.race([
      died(worker),
      (async (): Promise<"nothing" | "done" | "failed"> => {
        try {
          const plan = planId === null ? await planRedriveOf(deadLetters) : null;
          if (plan !== null && plan.events.length === 0) return "nothing";
          planId ??= plan?.id ?? null;
          if (planId !== null) await runRedrive(deps, planId);
          return "done";
        } catch {
          return "failed";
        }
      })(),
    ]);
    if (end === "nothing") return;
    if (end === "done") planId = null;
  }
}

function died(worker: ReturnType<typeof startWorker>): Promise<"died"> {
  return new Promise((resolve) => void worker.onDeath(() => resolve("died")));
}
