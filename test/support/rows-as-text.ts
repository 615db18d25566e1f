// All rows of a world's ledger as text, so that two moments can be compared byte for byte.
// It must never leave a table out: what is not compared may change unseen.
import type { Tables } from "../../functions/domain/rows.ts";
import type { World } from "./world.ts";

/** Rows by table, each in the order in which they were first written. */
export type RowsAsText = Readonly<Record<keyof Tables, readonly string[]>>;

/** Every row of every table, bytes and big integers included. */
export function rowsAsText(world: World): RowsAsText {
  const entries = tables.map((table) => [table, world.ledger.rows(table).map(textOf)] as const);
  return Object.fromEntries(entries) as Record<keyof Tables, readonly string[]>;
}

/** The same rows without one key's; all of them when there is none to leave out. */
export function withoutKey(all: RowsAsText, keyHash: string | undefined): RowsAsText {
  const rows = all.idempotency_keys.filter((row) => keyHash === undefined || !row.includes(keyHash));
  return { ...all, idempotency_keys: rows };
}

/** A record, so that the compiler demands each table. */
const tableNames: Record<keyof Tables, true> = {
  idempotency_keys: true,
  payment_intents: true,
  attempts: true,
  charges: true,
  refunds: true,
  ledger_transactions: true,
  events: true,
  outbox: true,
};

const tables = Object.keys(tableNames) as (keyof Tables)[];

function textOf(row: object): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === "bigint") return `${value}n`;
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  });
}
