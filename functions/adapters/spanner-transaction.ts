/**
 * One read-write transaction through the real client, with its traps closed: nothing hangs, nothing is left open,
 * no failure ends the process. It must never let a body go on after a failed statement, or run again after its commit.
 */
import type { Database, Transaction } from "@google-cloud/spanner";
import { refuse } from "../domain/errors.ts";
import { addAbortPause } from "./spanner-abort-pause.ts";
import type { FoundColumns } from "./spanner-columns.ts";
import { grpcCodeOf, grpcCodes, translate } from "./spanner-errors.ts";
import { queryOptions, type Statement } from "./spanner-query.ts";
import type { MutationTarget } from "./spanner-rows.ts";

/**
 * Runs the body, commits, and runs both again when Spanner aborts. Calls: the body's statements (the first begins the
 * transaction) and one Commit, also when nothing was written, because only the commit says that the reads were valid.
 * @throws what the body throws, after a rollback; DomainError as `translate` says
 */
export async function inTransaction<Result>(
  deps: { readonly database: Database; readonly tag: string },
  body: (open: OpenTransaction) => Promise<Result>,
): Promise<Result> {
  const startMs = performance.now();
  let runs = 0;
  const run = async (transaction: Transaction): Promise<Ending<Result>> => {
    if (performance.now() - startMs > transactionTimeoutMs) throw tooLong();
    // The client forgets the tag when it runs a transaction again.
    transaction.requestOptions = { transactionTag: deps.tag };
    runs += 1;
    try {
      return await attempt(transaction, deps.tag, body);
    } catch (error) {
      addAbortPause(error, runs);
      throw error;
    }
  };
  let ending: Ending<Result>;
  try {
    ending = await deps.database.runTransactionAsync({ timeout: transactionTimeoutMs }, run);
  } catch (error) {
    // What a commit answered is translated already; the rest failed before one was sent, or was aborted.
    throw translate("before", error);
  }
  if (ending.kind === "threw") throw ending.error;
  return ending.result;
}

/** What a body may do. */
export interface OpenTransaction extends MutationTarget {
  /** Runs one statement, DML too; statements run one after another, whatever the body awaits. */
  query(statement: Statement): Promise<readonly FoundColumns[]>;
}

/** Longest life of one transaction with all its repetitions, in milliseconds: a third of a lease (30 s). */
const transactionTimeoutMs = 10_000;

/** A rollback only spares the next writer a wait; it is not worth more than this many milliseconds. */
const rollbackTimeoutMs = 1_000;

/** Bodies' own errors travel as values, so that the client does not mistake them for Spanner's and run the body again. */
type Ending<Result> =
  | { readonly kind: "returned"; readonly result: Result }
  | { readonly kind: "threw"; readonly error: unknown };

/** One run of the body. What it throws is Spanner's failure of a statement, or an already translated one of the commit. */
async function attempt<Result>(
  transaction: Transaction,
  tag: string,
  body: (open: OpenTransaction) => Promise<Result>,
): Promise<Ending<Result>> {
  const guard = guardBegin(transaction);
  const open = openTransaction(transaction, tag);
  const ending = await settle(() => body(open));
  const failure = open.failure();
  if (failure !== undefined) {
    // Even if the body caught it: the client would wait for ever for the id of a transaction that did not begin.
    if (grpcCodeOf(failure.error) !== grpcCodes.aborted) await rollBack(transaction);
    throw failure.error;
  }
  if (ending.kind === "threw") {
    await rollBack(transaction);
    return ending;
  }
  if (transaction.id === undefined && !open.hasWritten()) return ending;
  guard.allow();
  await commit(transaction);
  return ending;
}

function openTransaction(transaction: Transaction, tag: string) {
  let failed: { readonly error: unknown } | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  let written = false;
  const run = async (statement: Statement): Promise<readonly FoundColumns[]> => {
    if (failed !== undefined) throw failed.error;
    try {
      const [rows] = await transaction.run({ ...statement, ...queryOptions, requestOptions: { requestTag: tag } });
      return rows as unknown as readonly FoundColumns[];
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  return {
    query: (statement: Statement) => {
      const result = previous.then(() => run(statement));
      previous = result.catch(() => {});
      return result;
    },
    insert: (table: string, row: object) => {
      written = true;
      transaction.insert(table, row);
    },
    update: (table: string, row: object) => {
      written = true;
      transaction.update(table, row);
    },
    deleteRows: (table: string, keys: string[]) => {
      written = true;
      transaction.deleteRows(table, keys);
    },
    failure: () => failed,
    hasWritten: () => written,
  };
}

/**
 * When a first statement fails the client begins a transaction all the same and awaits it nowhere: a failure would end
 * the process, a success would leave a transaction open. Only a commit of mutations alone really needs a begin.
 */
function guardBegin(transaction: Transaction): { allow(): void } {
  const begin = transaction.begin;
  transaction.begin = (() => Promise.resolve()) as unknown as typeof begin;
  return {
    allow: () => {
      transaction.begin = begin;
    },
  };
}

async function commit(transaction: Transaction): Promise<void> {
  try {
    await transaction.commit();
  } catch (error) {
    // Aborted was not applied, and the client must see it to run the body again. On some other codes it would run the
    // body again too, although the commit may stand: so these leave as our own error, which it does not know.
    throw grpcCodeOf(error) === grpcCodes.aborted ? error : translate("commit", error);
  }
}

async function rollBack(transaction: Transaction): Promise<void> {
  try {
    await transaction.rollback({ timeout: rollbackTimeoutMs, retry: null });
  } catch {
    // The server ends what is idle for ten seconds; the failure that brought us here is the one to tell.
  }
}

async function settle<Result>(call: () => Promise<Result>): Promise<Ending<Result>> {
  try {
    return { kind: "returned", result: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}

function tooLong() {
  return refuse("store_unavailable", `Spanner aborted the transaction for longer than ${transactionTimeoutMs} ms.`);
}
