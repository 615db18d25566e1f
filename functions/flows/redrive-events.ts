/**
 * Sends dead letters of the bus again, by a plan that a person has seen: to the topic, so that every consumer hears of the
 * event again and drops what it knows by its markers.
 * It must never send what the plan does not name, nor send anything a second time for a redrive that is done.
 */

import {
  type KeptLetter,
  type PlannedEvent,
  planRedrive,
  type RedrivePlan,
  type RedriveReceipt,
  redriveAttribute,
} from "../domain/dead-letter.ts";
import { refuse } from "../domain/errors.ts";
import type { BusMessage, Publisher } from "./bus-ports.ts";
import type { DeadLetters, Redrive } from "./dead-letter-ports.ts";
import type { Clock } from "./ports.ts";

/** What a redrive needs. */
export interface RedriveDependencies {
  readonly deadLetters: DeadLetters;
  readonly publisher: Publisher;
  readonly clock: Clock;
}

/** What would be sent now; it reads and changes nothing. */
export async function planRedriveOf(deadLetters: DeadLetters): Promise<RedrivePlan> {
  return planRedrive(await deadLetters.waiting(lettersMax));
}

/** More than a person can judge at once; what is beyond waits for the next plan. A plan of them is one document of 500 KB. */
const lettersMax = 5_000;

/**
 * Executes the plan with this id: exactly the one that the dry run showed, or, when a run of it died, what is left of it.
 * A plan that is done sends nothing and gives its receipt again.
 * @throws DomainError `parameter_invalid` with param `run` when the letters that wait make another plan
 */
export async function runRedrive(deps: RedriveDependencies, planId: string): Promise<RedriveReceipt> {
  const redrive = (await deps.deadLetters.findRedrive(planId)) ?? (await begin(deps, planId));
  if (redrive.receipt !== null) return redrive.receipt;
  const tally = { sent: 0, elsewhere: 0, sentTwice: 0 };
  for (let first = 0; first < redrive.events.length; first += eventsAtOnce) {
    const some = await sendSome(deps, planId, redrive.events.slice(first, first + eventsAtOnce));
    for (const before of some) {
      const isOurs = before.state === "waiting" || before.redriveId === planId;
      tally[isOurs ? "sent" : "elsewhere"] += 1;
      if (isOurs && before.state === "sending") tally.sentTwice += 1;
    }
  }
  const letters = redrive.events.reduce((sum, { letterIds }) => sum + letterIds.length, 0);
  const duplicates = letters - redrive.events.length;
  const receipt = { redriveId: planId, ...tally, duplicates, finishedAtMs: deps.clock.now() };
  await deps.deadLetters.finishRedrive(planId, receipt);
  return receipt;
}

/** Few enough that their letters fit into one commit and their content into one request of 10 MB. */
const eventsAtOnce = 10;

async function begin({ deadLetters, clock }: RedriveDependencies, planId: string): Promise<Redrive> {
  const plan = await planRedriveOf(deadLetters);
  if (plan.id !== planId || plan.events.length === 0) {
    throw refuse(
      "parameter_invalid",
      `The dead letters that wait do not make the plan ${planId}; make a new dry run.`,
      {
        param: "run",
      },
    );
  }
  return await deadLetters.startRedrive({ id: planId, events: plan.events, startedAtMs: clock.now(), receipt: null });
}

/** Takes, sends, settles; gives the letter of each event as it stood before. */
async function sendSome(
  { deadLetters, publisher }: RedriveDependencies,
  redriveId: string,
  events: readonly PlannedEvent[],
): Promise<readonly KeptLetter[]> {
  const letterIds = events.flatMap((event) => event.letterIds);
  const before = new Map((await deadLetters.take(letterIds, redriveId)).map((letter) => [letter.id, letter]));
  const firsts = events.flatMap((event) => before.get(event.letterIds[0] ?? "") ?? []);
  const messages = firsts.filter((letter) => isToSend(letter, redriveId)).flatMap((one) => messageOf(one, redriveId));
  if (messages.length > 0) await publisher.publish(messages);
  await deadLetters.settle(letterIds, redriveId);
  return firsts;
}

/** A run of ours that died may have sent it or not; a loss would be worse than a second copy, which every consumer drops. */
function isToSend({ state, redriveId }: KeptLetter, ours: string): boolean {
  return state === "waiting" || (state === "sending" && redriveId === ours);
}

function messageOf({ data, attributes }: KeptLetter, redriveId: string): BusMessage[] {
  return data === null ? [] : [{ data, attributes: { ...attributes, [redriveAttribute]: redriveId } }];
}
