/**
 * One strong read outside any transaction: one statement, one round trip.
 * It must never read what a later write depends on; that belongs into the write's own transaction.
 */
import type { Database } from "@google-cloud/spanner";
import { callTimeoutMs } from "./spanner-client.ts";
import type { FoundColumns } from "./spanner-columns.ts";
import { translate } from "./spanner-errors.ts";

/**
 * Runs a query and hands out all its rows.
 * @throws DomainError `store_unavailable`, `permission_denied`, `internal` for a wrong statement
 */
export async function query(database: Database, tag: string, statement: Statement): Promise<readonly FoundColumns[]> {
  try {
    const [rows] = await database.run({ ...statement, ...queryOptions, requestOptions: { requestTag: tag } });
    return rows as unknown as readonly FoundColumns[];
  } catch (error) {
    throw translate("before", error);
  }
}

/** SQL with named parameters; each has its type, because the client cannot guess that of NULL. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, string | readonly string[] | null>>;
  readonly types: Readonly<Record<string, ParameterType>>;
}

/** What a parameter is: a value, or a list of texts. */
export type ParameterType = "string" | "int64" | "timestamp" | { readonly type: "array"; readonly child: "string" };

/** How often the client repeats, without a pause, a query whose server was away. */
const resumesMax = 10;

/**
 * How every query runs: rows as objects, INT64 as text inside a wrapper, bounded. A stream that fails before its first
 * byte, aborted ones too, would be sent twice more, one and two seconds later (`noResponseRetries`): we want to hear it.
 */
export const queryOptions = {
  json: true,
  jsonOptions: { wrapNumbers: true },
  maxResumeRetries: resumesMax,
  gaxOptions: { timeout: callTimeoutMs, retryRequestOptions: { noResponseRetries: 0 } },
};
