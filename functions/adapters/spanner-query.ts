/**
 * One strong read outside any transaction: one statement, one round trip.
 * It must never read what a later write depends on; that belongs into the write's own transaction.
 */
import type { Database } from "@google-cloud/spanner";
import { type FoundColumns, readOptions } from "./spanner-columns.ts";
import { translate } from "./spanner-errors.ts";

/**
 * Runs a query and hands out all its rows.
 * @throws DomainError `store_unavailable`, `permission_denied`, `internal` for a wrong statement
 */
export async function query(database: Database, tag: string, statement: Statement): Promise<readonly FoundColumns[]> {
  try {
    const [rows] = await database.run({ ...statement, ...readOptions, requestOptions: { requestTag: tag } });
    return rows as unknown as readonly FoundColumns[];
  } catch (error) {
    throw translate("before", error);
  }
}

/** SQL with named parameters; each has its type, because the client cannot guess that of NULL. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, string | null>>;
  readonly types: Readonly<Record<string, "string" | "int64" | "timestamp">>;
}
