/**
 * Makes a dead letter visible: a record for the redrive, and a log line that an alert watches.
 * It must never refuse one for its content: what no consumer could read is what it is there for.
 */
import type { DeadLetter } from "../domain/dead-letter.ts";
import type { DeadLetters } from "./dead-letter-ports.ts";
import type { Log } from "./ports.ts";

/** Keeps the letter; a letter that comes again is kept once, and logged once. */
export async function recordDeadLetter(
  { deadLetters, log }: { readonly deadLetters: DeadLetters; readonly log: Log },
  letter: DeadLetter,
): Promise<"recorded" | "known"> {
  const outcome = await deadLetters.record(letter);
  if (outcome === "recorded") {
    const { id, source, eventId, eventType, deliveries, data } = letter;
    // Ids only; the content is in the record.
    log("ERROR", "dead letter recorded", {
      letter: id,
      source,
      event: eventId,
      type: eventType,
      deliveries,
      isKept: data !== null,
    });
  }
  return outcome;
}
