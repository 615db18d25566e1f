/**
 * Opens one Spanner database with bounded waits; `SPANNER_EMULATOR_HOST` in the environment sends it to an emulator.
 * It must never be opened per request: an entry holds one for the life of its instance.
 */
import { type Database, Spanner } from "@google-cloud/spanner";
import type { Log } from "../flows/ports.ts";

/** Opens the database; its first session is asked for in the background, and a failure there shows in the first call. */
export function openSpanner(names: SpannerNames, log: Log): OpenSpanner {
  const options = { projectId: names.projectId, disableBuiltInMetrics: true, clientConfig: boundedCalls };
  const spanner = new Spanner(options);
  // The pool serves emulators only, which know no multiplexed sessions; in the cloud it stays empty.
  const database = spanner.instance(names.instance).database(names.database, emulatorPool);
  // Without a listener a failed session ends the process. The call that needed the session fails by itself, too.
  database["on"]("error", (error: unknown) => log("WARNING", "spanner session failed", { code: codeIn(error) }));
  return { database, close: () => close(spanner, database) };
}

/** Where a database is. */
export interface SpannerNames {
  readonly projectId: string;
  /** Instance id. */
  readonly instance: string;
  /** Database id. */
  readonly database: string;
}

/** A database that can be closed. */
export interface OpenSpanner {
  readonly database: Database;
  /** Gives back sessions and closes all channels; it never rejects. */
  close(): Promise<void>;
}

/**
 * Longest any one call may take with all its retries, in milliseconds. A healthy one takes tens of milliseconds and a
 * cold connection a second; a lease of 30 s must hold two transactions and the acquirer's call. The client's own
 * number is ten minutes.
 */
export const callTimeoutMs = 5_000;

/** The pool against an emulator: one session at the start, as many as requests need, and a bounded wait for one. */
const emulatorPool = { min: 1, incStep: 5, acquireTimeout: callTimeoutMs };

/** First and longest pause between two tries of a call that found no server, in milliseconds. */
const [pauseFirstMs, pauseMaxMs] = [50, 500];

/** Every call that this project makes, with its total time bounded; which codes are retried stays the client's choice. */
const boundedCalls = {
  interfaces: {
    "google.spanner.v1.Spanner": {
      retry_codes: { idempotent: ["RESOURCE_EXHAUSTED", "UNAVAILABLE"], non_idempotent: [] },
      retry_params: {
        bounded: {
          initial_retry_delay_millis: pauseFirstMs,
          retry_delay_multiplier: 1.5,
          max_retry_delay_millis: pauseMaxMs,
          initial_rpc_timeout_millis: callTimeoutMs,
          rpc_timeout_multiplier: 1,
          max_rpc_timeout_millis: callTimeoutMs,
          total_timeout_millis: callTimeoutMs,
        },
      },
      methods: {
        CreateSession: bounded("idempotent"),
        BatchCreateSessions: bounded("idempotent"),
        DeleteSession: bounded("idempotent"),
        BeginTransaction: bounded("idempotent"),
        Commit: bounded("idempotent"),
        Rollback: bounded("idempotent"),
        // A stream that breaks is resumed by the client above this layer.
        ExecuteStreamingSql: bounded("non_idempotent"),
      },
    },
  },
};

function bounded(codes: "idempotent" | "non_idempotent") {
  return { timeout_millis: callTimeoutMs, retry_codes_name: codes, retry_params_name: "bounded" };
}

async function close(spanner: Spanner, database: Database): Promise<void> {
  for (const end of [() => database.close(), () => spanner.close()]) {
    try {
      await end();
    } catch {
      // A session that could not be given back ends by itself within an hour.
    }
  }
}

function codeIn(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
