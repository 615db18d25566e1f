// What the world has of one payment, as short lines: rows, keys, events, and the orders at the acquirer.
// It must never ask the flows: rows come straight from the database, orders from the acquirer's own journal.
import type { System } from "./system.ts";

/** Everything about the payment of this amount; ids, times and the amount are left out, so that two can be compared. */
export async function pictureOf(system: System, amountMinor: bigint): Promise<Picture> {
  const [rows] = await system.direct.database.run({ sql: sqlFor(amountMinor), json: true });
  const found = rows as unknown as readonly { line: string; event_id: string | null }[];
  const orders = (await system.journal.list(10_000)).filter((line) => line.amountMinor === amountMinor);
  const lines = [
    ...found.map(({ line }) => line.replaceAll(String(amountMinor), "all")),
    ...orders.map(({ kind, result }) => `order ${kind} ${result.kind}`),
  ];
  return { lines: lines.sort(), eventIds: found.flatMap(({ event_id: id }) => id ?? []) };
}

/** What there is of one payment. */
export interface Picture {
  readonly lines: readonly string[];
  /** Its events. */
  readonly eventIds: readonly string[];
}

/** Keys of a cell carry its amount, so that a key without any payment is seen as well. */
export function keyOf(amountMinor: bigint, what: string): string {
  return `${what}-${amountMinor}`;
}

/** One statement for all tables: hundreds of cells ask it, and the emulator scans. */
function sqlFor(amountMinor: bigint): string {
  const ofOwn = "intent_id IN (SELECT intent_id FROM own)";
  const line = (parts: string, table: string, condition: string) =>
    `SELECT CONCAT(${parts}) AS line, CAST(NULL AS STRING) AS event_id FROM ${table} WHERE ${condition}`;
  return `
    WITH own AS (SELECT * FROM payment_intents WHERE amount_minor = ${amountMinor}),
      objects AS (
        SELECT intent_id AS id FROM own
        UNION ALL SELECT charge_id FROM charges WHERE ${ofOwn}
        UNION ALL SELECT refund_id FROM refunds WHERE ${ofOwn}),
      told AS (SELECT event_id, type FROM events WHERE object_id IN (SELECT id FROM objects))
    ${[
      line(
        "'intent ', status, ' received ', CAST(amount_received_minor AS STRING), IF(active_attempt_id IS NULL, '', ' busy')",
        "own",
        "TRUE",
      ),
      line(
        "'charge ', status, ' captured ', CAST(captured_minor AS STRING), ' refunded ', CAST(refunded_minor AS STRING), ' reserved ', CAST(refund_reserved_minor AS STRING)",
        "charges",
        ofOwn,
      ),
      line("'attempt ', kind, ' ', state", "attempts", ofOwn),
      line("'refund ', status, ' of ', CAST(amount_minor AS STRING)", "refunds", ofOwn),
      line("'booking ', kind", "ledger_transactions", "source_id IN (SELECT id FROM objects)"),
      line(
        "'key ', IFNULL(CAST(outcome_status AS STRING), 'undecided')",
        "idempotency_keys",
        `ENDS_WITH(idempotency_key, '-${amountMinor}')`,
      ),
      line("'outbox row'", "outbox", "event_id IN (SELECT event_id FROM told)"),
      "SELECT CONCAT('event ', type) AS line, event_id FROM told",
    ].join("\nUNION ALL ")}`;
}
