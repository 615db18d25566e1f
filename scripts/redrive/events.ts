// Events that a consumer gave up, as a source of redrives: on the laptop through its control door, on a stage with the
// clients that functions use. It must never load a cloud client for the laptop.

import { systemClock } from "../../functions/adapters/system.ts";
import type { RedrivePlan, RedriveReceipt } from "../../functions/domain/dead-letter.ts";
import { planRedriveOf, runRedrive } from "../../functions/flows/redrive-events.ts";
import { laptopCall, openStageBus } from "../doors.ts";
import type { RedriveSource } from "./source.ts";

/** The source. */
export const redriveEvents: RedriveSource = {
  dryRun: async ({ environment, stage }) => planLines(await (stage ? planOnStage : planOnLaptop)(environment), stage),
  run: async ({ environment, stage }, plan) => await (stage ? runOnStage : runOnLaptop)(environment, plan),
};

async function planOnLaptop(environment: NodeJS.ProcessEnv): Promise<RedrivePlan> {
  return await laptopCall(environment)<RedrivePlan>("/redrive-events/plan", {});
}

async function runOnLaptop(environment: NodeJS.ProcessEnv, plan: string): Promise<string[]> {
  const call = laptopCall(environment);
  const { receipt, refusal } = await call<{ receipt?: RedriveReceipt; refusal?: string }>("/redrive-events/run", {
    plan,
  });
  if (receipt === undefined) throw new Error(refusal ?? "the laptop gave no receipt");
  return receiptLines(receipt);
}

async function planOnStage(environment: NodeJS.ProcessEnv): Promise<RedrivePlan> {
  const { deadLetters, close } = await openStageBus(environment);
  try {
    return await planRedriveOf(deadLetters);
  } finally {
    await close();
  }
}

async function runOnStage(environment: NodeJS.ProcessEnv, plan: string): Promise<string[]> {
  const { deadLetters, publisher, kept, close } = await openStageBus(environment);
  try {
    const startedAt = new Date().toISOString();
    const receipt = await runRedrive({ deadLetters, publisher, clock: systemClock }, plan);
    const { events, left } = await planRedriveOf(deadLetters);
    return [...receiptLines(receipt), ...emptyingLines(kept, startedAt, events.length + left.length)];
  } finally {
    await close();
  }
}

function planLines({ id, events, left }: RedrivePlan, stage: boolean): string[] {
  const letters = events.reduce((sum, { letterIds }) => sum + letterIds.length, 0);
  const lines = events.map(
    ({ eventId, eventType, sources }) => `  ${eventId}  ${eventType ?? "unknown"}  given up by ${sources.join(", ")}`,
  );
  const stay = `${counted(left.length, "letter")} ${left.length === 1 ? "stays" : "stay"}: no event, or too large to be kept`;
  const staying = left.length === 0 ? [] : [stay];
  if (events.length === 0) return ["no event waits to be sent again", ...staying];
  return [
    `${counted(events.length, "event")} would be sent again, for ${counted(letters, "dead letter")}:`,
    ...lines,
    ...staying,
    `plan ${id}`,
    `npm run redrive -- --from events --run ${id}${stage ? " --stage" : ""}`,
  ];
}

function receiptLines({ redriveId, sent, duplicates, sentTwice, elsewhere, finishedAtMs }: RedriveReceipt): string[] {
  const what = [
    `${counted(sent, "event")} sent`,
    `${counted(duplicates, "duplicate")} skipped`,
    `${sentTwice} perhaps sent twice`,
    `${elsewhere} left to another redrive`,
  ];
  return [`plan ${redriveId} done ${new Date(finishedAtMs).toISOString()}: ${what.join(", ")}`];
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** The kept subscription still holds a copy of each letter, and the alert looks at it. */
function emptyingLines(kept: string, startedAt: string, waiting: number): string[] {
  if (waiting > 0) return [`${waiting} letters still wait, so the copies in ${kept} are to stay`];
  return [
    `no letter waits; its copies, at which the alert looks, are dropped by`,
    `gcloud pubsub subscriptions seek ${kept} --time=${startedAt}`,
  ];
}
