// The history of the laptop: SQLite with the plan's tables and views, in memory, asked with BigQuery's own questions.
// It must never grow without bound: the oldest rows go, as if a stage had kept them for a shorter time.

import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Ask, historyBy } from "../functions/adapters/bigquery-questions.ts";
import { refuse } from "../functions/domain/errors.ts";
import type { ArchivedMessage, History } from "../functions/flows/history-ports.ts";
import { defineFunctions, toSqlite } from "./sqlite-dialect.ts";

/** The tables and views to hold, under their full names (`project.dataset.name`), as SQL quotes them. */
export type HistoryTables = {
  /** Those that subscriptions fill. */
  tables: readonly string[];
  views: readonly { name: string; query: string }[];
  /** Full name of a view by its last part. */
  nameOf(view: string): string;
};

/** A history that can be written to. */
export type LocalHistory = {
  history: History;
  /** Runs a question as BigQuery does. */
  ask: Ask;
  /** Puts a message into a table, as a subscription of BigQuery does; throws for a table that the plan does not have. */
  write(table: string, subscription: string, message: ArchivedMessage): void;
  close(): void;
};

/** An empty history. `rowsMax` bounds each table. */
export function openSqliteHistory({ tables, views, nameOf }: HistoryTables, rowsMax = ROWS_MAX): LocalHistory {
  const database = new DatabaseSync(":memory:");
  defineFunctions(database);
  const inserts = new Map<string, (subscription: string, message: ArchivedMessage) => void>();
  for (const table of tables) {
    database.exec(`CREATE TABLE ${quoted(table)} (
      data BLOB, subscription_name TEXT, message_id TEXT, publish_time INTEGER, attributes BLOB
    )`);
    inserts.set(table, insertInto(database, table, rowsMax));
  }
  // A view may name one that comes later: SQLite looks when it is read.
  for (const { name, query } of views) database.exec(`CREATE VIEW ${quoted(name)} AS ${toSqlite(query)}`);
  const ask: Ask = async ({ sql, params }) => {
    // Never in the same turn: no other history answers there either.
    await nextTurn();
    try {
      const statement = database.prepare(toSqlite(sql));
      // Sums may be larger than a number holds exactly.
      statement.setReadBigInts(true);
      return statement.all(params);
    } catch (error) {
      throw refuse("internal", "SQLite rejected what it was told.", { cause: error });
    }
  };
  return {
    history: historyBy(ask, (view) => quoted(nameOf(view))),
    ask,
    write: (table, subscription, message) => {
      const insert = inserts.get(table);
      if (insert === undefined) throw new Error(`plan: there is no table ${table}`);
      insert(subscription, message);
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** A day of demonstrations and load tests, in some 50 MB; a question over it takes a fraction of a second. */
const ROWS_MAX = 20_000;

/** Rows are dropped by the hundred, because dropping costs more than keeping. */
const SLACK = 100;

function insertInto(database: DatabaseSync, table: string, rowsMax: number) {
  const insert = database.prepare(
    `INSERT INTO ${quoted(table)} VALUES (jsonb(@data), @subscription, @messageId, @micros, jsonb(@attributes))`,
  );
  const drop = database.prepare(`DELETE FROM ${quoted(table)} WHERE rowid <= ?`);
  return (subscription: string, { messageId, publishedAtMs, data, attributes }: ArchivedMessage) => {
    const { lastInsertRowid } = insert.run({
      ...{ data, subscription, messageId, attributes: JSON.stringify(attributes) },
      micros: BigInt(Math.round(publishedAtMs)) * 1_000n,
    });
    const last = Number(lastInsertRowid);
    if (last > rowsMax && last % SLACK === 0) drop.run(last - rowsMax);
  };
}

/** As BigQuery quotes names, which SQLite understands too. */
function quoted(name: string): string {
  if (!/^[\w.:-]+$/.test(name)) throw new Error(`plan: ${name} is no name of a table`);
  return `\`${name}\``;
}
