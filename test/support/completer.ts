// Runs the completer once over a world's stores.
// It must never use a server of the world: the completer is a process of its own.
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Acquirer } from "../../functions/flows/acquirer-ports.ts";
import { type CompleteDependencies, completeAttempts, type Sweep } from "../../functions/flows/complete-attempts.ts";
import { finishChallenge } from "../../functions/flows/finish-challenge.ts";
import { commitResult, settleAttempt } from "../../functions/flows/settle-attempt.ts";
import type { World } from "./world.ts";

/** One sweep; over the world's own card network unless another one is given. */
export async function sweep(world: World, acquirer?: Acquirer): Promise<Sweep> {
  return await completeAttempts(completerOf(world, acquirer));
}

/** What a completer over the world's stores needs. */
export function completerOf(world: World, network?: Acquirer): CompleteDependencies {
  const { ledger, clock, journal } = world;
  const log = (_: string, message: string) => void world.logged.push(message);
  const acquirer = network ?? networkOver({ journal, clock, log });
  const shared = {
    ledger,
    acquirer,
    renderer: wireRenderer(),
    clock,
    random: systemRandom,
    timings: defaultTimings,
    log,
    terms: standardTerms,
  };
  const settle = settleAttempt(shared);
  return { ...shared, settle, commit: commitResult(shared), finishChallenge: finishChallenge({ ...shared, settle }) };
}
