/**
 * Questions to the history, as parts of a page: bounded in time, for the account of the session and no other.
 * It must never hold a page back: a history that is slow or away leaves a sentence in its place.
 */
import { DomainError, hasCode } from "../domain/errors.ts";
import type { HistoryRange } from "../domain/history-bounds.ts";
import type { History } from "../flows/history-ports.ts";
import type { Part, Visit } from "./dashboard-visit.ts";

/** Asks, and never rejects. */
export async function past<Answer>(
  { ports }: Visit,
  question: (history: History) => Promise<Answer>,
): Promise<Part<Answer>> {
  let stop = () => {};
  const tooSlow = new Promise<Part<Answer>>((resolve) => {
    stop = ports.clock.after(historyMs, () => resolve({ kind: "fault", sentence: slow }));
  });
  try {
    const answer = question(ports.history).then((value): Part<Answer> => ({ kind: "there", value }));
    return await Promise.race([answer, tooSlow]);
  } catch (error) {
    // A page that the history refuses was asked for by a made-up address; everything else is a failure of ours.
    if (hasCode(error, "parameter_invalid")) return { kind: "fault", sentence: error.message };
    const code = error instanceof DomainError ? error.code : error instanceof Error ? error.name : typeof error;
    ports.log("WARNING", "dashboard has no history", { code });
    return { kind: "fault", sentence: away };
  } finally {
    stop();
  }
}

/** The days up to now, in UTC, today among them. */
export function lastDays({ ports }: Visit, days: number): HistoryRange {
  const today = Math.floor(ports.clock.now() / dayMs) * dayMs;
  return { fromMs: today - (days - 1) * dayMs, untilMs: today + dayMs };
}

/** A day in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000;

/** 8 s: a query of a large history takes two or three, and nobody waits longer for a chart. */
const historyMs = 8_000;

const slow = "The history did not answer in time. Reload the page to try again.";
const away = "The history cannot be reached. What is above and below comes from elsewhere and is complete.";
