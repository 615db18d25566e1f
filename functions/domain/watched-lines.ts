/**
 * The log lines that metrics, alerts and charts are made from, and the fields of theirs that those read: one end of a
 * string whose other end is the code that writes them.
 * It must never name a line or a field that the code does not write: an alert on it would be silent for ever.
 */

/** Fields by message. A line that only counts needs no field, but one more than its message (docs/gotchas.md). */
export const watchedLines = {
  /** payments-api, once a request. */
  request: ["status", "durationMs"],
  /** ledger-writer, once a sweep over open attempts. */
  "attempts completed": ["left"],
  "attempt outside the drive window": ["attemptId"],
  "intention open for too long": ["keyId"],
  /** ledger-writer, once a run over the outbox. */
  "outbox relayed": ["overdue"],
  /** ledger-writer, for a job that did not end. */
  "job failed": ["path"],
  "ledger has a bad row": ["table"],
  "ledger sealing ended": ["seals"],
  "reconciliation ended": ["open"],
  /** payments-api, when it goes on without its cache. */
  "cache breaker opened": ["openMs"],
  "cache breaker stays open": ["openMs"],
  "the cache refuses this function: grant missing": ["code"],
  /** dead-letter-recorder, once an event that a consumer gave up. */
  "dead letter recorded": ["source"],
  /** webhook-dispatcher, once an attempt, and once a delivery that nothing will be tried for any more. */
  "webhook attempt": ["outcome"],
  "webhook delivery dead": ["reason"],
} as const;

/** A message of one of them. */
export type WatchedLine = keyof typeof watchedLines;
