/**
 * Carries out a plan to redrive dead deliveries: exactly its lines, and each at most once, however often it is sent.
 * It must never redrive a delivery that is not as it was planned: died again, delivered, or under way.
 */
import { type PlannedRedrive, type RedrivePlan, redriveKey } from "../domain/redrive-plan.ts";

/** What it needs: both calls are the merchant's own, and neither rejects for what became of a delivery. */
export interface RedriveCalls {
  /** How the delivery stands: dead and since which redrive, anything else, or undefined when nobody could say. */
  readonly look: (deliveryId: string) => Promise<DeliveryState | undefined>;
  /** Redrives it under the key; true once that is sure. */
  readonly redrive: (deliveryId: string, idempotencyKey: string) => Promise<boolean>;
}

/** A delivery as far as a plan looks at it. */
export interface DeliveryState {
  readonly isDead: boolean;
  readonly redriveId: string | null;
}

/** How many lines came to what. */
export interface CarriedOut {
  /** Redriven now. */
  readonly redriven: number;
  /** Not as they were planned any more: redriven before by this very plan, or changed since by something else. */
  readonly changed: number;
  /** Not known, or refused: sending the plan again is safe. */
  readonly failed: number;
}

/** Carries the plan out. Rejects with what the calls reject with; what was redriven by then stays so. */
export async function carryOutRedrive(calls: RedriveCalls, plan: RedrivePlan): Promise<CarriedOut> {
  const ends: End[] = [];
  for (let start = 0; start < plan.lines.length; start += atOnce) {
    const batch = plan.lines.slice(start, start + atOnce);
    ends.push(...(await Promise.all(batch.map((line) => carryOut(calls, plan, line)))));
  }
  const count = (end: End) => ends.filter((one) => one === end).length;
  return { redriven: count("redriven"), changed: count("changed"), failed: count("failed") };
}

type End = "redriven" | "changed" | "failed";

/**
 * The look comes first, because an idempotency key is forgotten after a day: a plan of last week would else redrive what
 * died again since. The key is for two who look at the same time.
 */
async function carryOut({ look, redrive }: RedriveCalls, plan: RedrivePlan, line: PlannedRedrive): Promise<End> {
  const state = await look(line.deliveryId);
  if (state === undefined) return "failed";
  if (!state.isDead || state.redriveId !== line.redriveId) return "changed";
  return (await redrive(line.deliveryId, redriveKey(plan, line))) ? "redriven" : "failed";
}

/** Ten calls at once: a plan of fifty takes a second, and the API's limit is far. */
const atOnce = 10;
