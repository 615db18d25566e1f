// What the history of a million payments costs: its log lines on their way into BigQuery, its rows, and being asked.
// It must never hide that rows are paid for each month that they are kept, and questions each time.

import type { SynthesizedResource } from "../synthesized-stacks.ts";
import { BIGQUERY, PUBSUB_TIB } from "./prices.ts";
import type { Cost } from "./table.ts";

/** Lines for the parts that the plan has; `linesPerPayment` is how many log lines of 1 KB a payment leaves behind. */
export function historyCosts(resources: readonly SynthesizedResource[], linesPerPayment: number): Cost[] {
  const archives = resources.filter(
    ({ type, attributes }) => type === "google_pubsub_subscription" && attributes["bigquery_config"] !== undefined,
  );
  const rows = archives.reduce((sum, archive) => sum + (isOfLogs(archive) ? linesPerPayment : 1), 0);
  const gib = MILLION * GIB_PER_KB * rows;
  const lines = archives.some(isOfLogs) ? linesPerPayment : 0;
  const tib = (MILLION * GIB_PER_KB * lines) / 1024;
  const read = (QUESTIONS * gib * READ_SHARE) / 1024;
  if (rows === 0) return [];
  return [
    {
      part: "Log archive",
      basis: `${lines} lines of 1 KB by a topic, written to 1 table`,
      usd: tib * (PUBSUB_TIB.publish + PUBSUB_TIB.bigQuery),
    },
    {
      part: "BigQuery rows",
      basis: `${rows} rows of 1 KB, each month that they are kept`,
      usd: gib * BIGQUERY.gibMonth,
    },
    { part: "BigQuery questions", basis: `${QUESTIONS} that read a fifth of all rows`, usd: read * BIGQUERY.tibRead },
  ];
}

/** The archive of log lines, by its topic; the other one has the events. */
export function isOfLogs({ attributes }: SynthesizedResource): boolean {
  return /logs/i.test(String(attributes["topic"]));
}

const MILLION = 1_000_000;
const GIB_PER_KB = 1_000 / 2 ** 30;

/** A hundred looks at one chart without a bound on partitions; the overview asks five. */
const QUESTIONS = 100;

/** Of a JSON column BigQuery reads the fields that a view names: some 200 bytes of a row. */
const READ_SHARE = 0.2;
