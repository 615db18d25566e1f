// All rows of a world's ledger as text, so that two moments can be compared byte for byte.
// It must never leave a table out: what is not compared may change unseen.
import type { Tables } from "../../functions/domain/rows.ts";
import type { World } from "./world.ts";

/** Rows by table, each in the order in which they were first written. */
export type RowsAsText = Readonly<Record<keyof Tables, readonly string[]>>;

/** Every row of every table, bytes and big integers included. */
export function rowsAsText(world: World): RowsAsText {
  const rows = (table: keyof Tables) => world.ledger.rows(table).map(textOf);
  return {
    idempotency_keys: rows("idempotency_keys"),
    payment_intents: rows("payment_intents"),
    attempts: rows("attempts"),
    charges: rows("charges"),
    refunds: rows("refunds"),
    ledger_transactions: rows("ledger_transactions"),
    balance_checkpoints: rows("balance_checkpoints"),
    events: rows("events"),
    outbox: rows("outbox"),
  };
}

/** The same rows without one key's; all of them when there is none to leave out. */
export function withoutKey(all: RowsAsText, keyHash: string | undefined): RowsAsText {
  const rows = all.idempotency_keys.filter((row) => keyHash === undefined || !row.includes(keyHash));
  return { ...all, idempotency_keys: rows };
}

function textOf(row: object): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === "bigint") return `${value}n`;
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  });
}
