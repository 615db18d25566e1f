// What stands at the end of an act: the ledger's rows, the acquirer's journal, and whether they are one payment.
// It must never believe the API's answers: it counts rows, and takes the number of effects from the acquirer's journal.
import type { LedgerEntry } from "../../functions/domain/ledger.ts";
import type { EmbeddedStores } from "../embedded-stores.ts";

/** Counts everything in the stores of one act; nothing but the act's one key was ever used there. */
export async function readBooks({ ledger, journal }: EmbeddedStores): Promise<Books> {
  const count = (table: Parameters<typeof ledger.rows>[0]) => ledger.rows(table).length;
  return {
    rows: {
      "key row": count("idempotency_keys"),
      intent: count("payment_intents"),
      attempt: count("attempts"),
      charge: count("charges"),
      booking: count("ledger_transactions"),
      event: count("events"),
    },
    entries: ledger.rows("ledger_transactions").flatMap(({ entries }) => entries),
    // More than any act could cause, so that no effect stays unseen.
    effects: (await journal.list(1_000)).length,
  };
}

/** The verdict: the line that says it, and what contradicts it. */
export function judge({ rows, entries, effects }: Books): {
  readonly line: string;
  readonly faults: readonly string[];
} {
  const debitsMinor = sumMinor(entries, "debit");
  const creditsMinor = sumMinor(entries, "credit");
  const balanced = debitsMinor === creditsMinor && debitsMinor > 0n;
  const one = ["key row", "intent", "attempt", "charge", "booking"] as const;
  const miscounted = one.filter((name) => rows[name] !== 1).map((name) => plural(rows[name], name));
  return {
    line: `${plural(effects, "payment")}, debits ${balanced ? "=" : "are not"} credits`,
    faults: [
      ...miscounted,
      ...(effects === 1 ? [] : [plural(effects, "effect")]),
      ...(balanced ? [] : [`debits ${debitsMinor}, credits ${creditsMinor}`]),
    ],
  };
}

/** What an act left behind. */
export type Books = {
  readonly rows: Readonly<Record<"key row" | "intent" | "attempt" | "charge" | "booking" | "event", number>>;
  readonly entries: readonly LedgerEntry[];
  /** Lines in the acquirer's journal: how often money moved. */
  readonly effects: number;
};

/** `1 payment`, `2 payments`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sumMinor(entries: readonly LedgerEntry[], direction: LedgerEntry["direction"]): bigint {
  return entries.filter((entry) => entry.direction === direction).reduce((sum, entry) => sum + entry.amountMinor, 0n);
}
