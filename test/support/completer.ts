// Runs the completer once over a world's stores.
// It must never use a server of the world: the completer is a process of its own.
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { networkOver } from "../../functions/flows/answer-order.ts";
import { completeAttempts, type Sweep } from "../../functions/flows/complete-attempts.ts";
import { settleAttempt } from "../../functions/flows/settle-attempt.ts";
import type { World } from "./world.ts";

/** One sweep. */
export async function sweep(world: World): Promise<Sweep> {
  const { ledger, clock, journal } = world;
  const log = (_: string, message: string) => void world.logged.push(message);
  const acquirer = networkOver({ journal, clock, log });
  const settle = settleAttempt({
    ledger,
    acquirer,
    renderer: wireRenderer(),
    clock,
    random: systemRandom,
    timings: defaultTimings,
  });
  return await completeAttempts({ ledger, settle, clock, timings: defaultTimings, log });
}
