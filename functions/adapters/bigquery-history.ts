/**
 * The history in BigQuery, through the official client; `BIGQUERY_EMULATOR_HOST` in the environment sends it elsewhere.
 * It must never read more than it may cost: every query says the most bytes that it may be billed, and how long it may take.
 */
import type { BigQuery } from "@google-cloud/bigquery";
import { DomainError, refuse } from "../domain/errors.ts";
import type { History } from "../flows/history-ports.ts";
import { historyBy, type Question } from "./bigquery-questions.ts";
import type { HistoryRow } from "./bigquery-rows.ts";

/** Where the views are, and what a question may cost. */
export interface BigqueryNames {
  readonly projectId: string;
  /** `project.dataset` of the views. */
  readonly dataset: string;
  /** Region of the dataset: a query is run where its data is. */
  readonly location: string;
  /** Default: `bytesBilledMax`. */
  readonly bytesMax?: number;
  /** Default: `queryTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Default: `answerGraceMs`. */
  readonly graceMs?: number;
}

/**
 * 20 GiB, some twelve cents: the named fields of ten million payments are about ten. What would read more is refused by
 * BigQuery before it reads anything.
 */
export const bytesBilledMax = 20 * 1024 ** 3;

/** A person waits for the page; a healthy query of this size takes one to three seconds. */
export const queryTimeoutMs = 15_000;

/**
 * Opens the history for the life of an instance; nothing is sent before the first question. It rejects with DomainError
 * `store_unavailable` also for a question that would cost or take too much.
 */
export function bigqueryHistory(names: BigqueryNames): History {
  const {
    projectId,
    dataset,
    location,
    bytesMax = bytesBilledMax,
    timeoutMs = queryTimeoutMs,
    graceMs = answerGraceMs,
  } = names;
  if (!/^[\w:.-]+\.\w+$/.test(dataset)) throw new Error("A dataset of BigQuery is named as project.dataset.");
  let opened: Promise<BigQuery> | undefined;
  const ask = async ({ sql, params }: Question): Promise<readonly HistoryRow[]> => {
    opened ??= open({ projectId, location });
    const client = await opened;
    const types = Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, typeof value === "number" ? "INT64" : "STRING"]),
    );
    const query = { query: sql, params, types, location, maximumBytesBilled: String(bytesMax) };
    try {
      // The client's own limit is only told to BigQuery, which may not answer at all.
      const [rows] = await within(timeoutMs + graceMs, client.query(query, { timeoutMs, wrapIntegers: true }));
      return (rows as HistoryRow[]).map(unwrapped);
    } catch (error) {
      throw translate(error);
    }
  };
  return historyBy(ask, (view) => `\`${dataset}.${view}\``);
}

/** The client is loaded by the first question, not by an instance that shows other pages. */
async function open(place: Pick<BigqueryNames, "projectId" | "location">): Promise<BigQuery> {
  const { BigQuery: Client } = await import("@google-cloud/bigquery");
  return new Client({ ...place, maxRetries: retriesMax });
}

/** A question that failed on the way is asked once more: it changes nothing, and costs at most twice. */
const retriesMax = 1;

/** What an answer may need beside the query itself: a connection, a token, a second try. */
const answerGraceMs = 5_000;

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(refuse("store_unavailable", "BigQuery did not answer in time.")), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** INT64 comes in a wrapper, which holds all its digits as text. */
function unwrapped(row: HistoryRow): HistoryRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null && "value" in value ? value.value : value,
    ]),
  );
}

/** BigQuery's failures in the words of the domain; its text may quote a statement, so none of it is copied. */
function translate(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly { reason?: unknown }[] };
  const details = { cause: error };
  const reason = errors?.[0]?.reason;
  // A quota is told with 403 as well, and passes.
  if (reason === "quotaExceeded" || reason === "rateLimitExceeded")
    return refuse("store_unavailable", "BigQuery takes no more questions for now.", details);
  if (reason === "bytesBilledLimitExceeded")
    return refuse("store_unavailable", "The question would read more of the history than it may cost.", details);
  if (code === 401 || code === 403)
    return refuse("permission_denied", "BigQuery refused the call: the function's account lacks a grant.", details);
  if (code === 400 || code === 404) return refuse("internal", `BigQuery rejected what it was told (${code}).`, details);
  return refuse("store_unavailable", "BigQuery did not do what was asked.", details);
}
