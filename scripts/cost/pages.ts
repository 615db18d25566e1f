// What a thousand pages of the dashboard cost, for the parts that the plan has; nobody pays for it while nobody looks.
// It must never count on a cache: every page asks anew.

import type { SynthesizedResource } from "../synthesized-stacks.ts";
import { CALL_SECONDS, type FunctionSize, secondOf } from "./idle.ts";
import { BIGQUERY_TIB, FUNCTIONS } from "./prices.ts";
import type { Cost } from "./table.ts";

/** One line per part; none in a plan without a dashboard. */
export function pageCosts(resources: readonly SynthesizedResource[]): Cost[] {
  const sizes = new Map(
    resources
      .filter(({ type }) => type === "google_cloudfunctions2_function")
      .map(({ attributes }) => [
        (attributes["build_config"] as { entry_point: string }).entry_point,
        attributes["service_config"] as FunctionSize,
      ]),
  );
  const [dashboard, api] = [sizes.get("dashboard"), sizes.get("payments-api")];
  if (dashboard === undefined || api === undefined) return [];
  const call = (size: FunctionSize, seconds: number) => FUNCTIONS.request + seconds * secondOf(size);
  return [
    {
      part: "dashboard",
      basis: `1000 calls of ${PAGE_SECONDS * 1000} ms`,
      usd: PAGES * call(dashboard, PAGE_SECONDS),
    },
    {
      part: "payments-api",
      basis: `${CALLS_PER_PAGE} calls a page of ${CALL_SECONDS * 1000} ms`,
      usd: PAGES * CALLS_PER_PAGE * call(api, CALL_SECONDS),
    },
    {
      part: "BigQuery",
      basis: `${QUERIES_PER_PAGE} queries a page of ${QUERY_MIB} MiB, the least that is billed`,
      usd: ((PAGES * QUERIES_PER_PAGE * QUERY_MIB) / 1024 ** 2) * BIGQUERY_TIB,
    },
  ];
}

const PAGES = 1_000;

/** Three calls at the same time, and the page around them. */
const PAGE_SECONDS = 0.2;

/** The key's check beside one to four reads. */
const CALLS_PER_PAGE = 3;

/** The overview asks six questions, the inspector and the ledger's page one; a third of the pages is one of these. */
const QUERIES_PER_PAGE = 2;

/** 10 MB for each table of a query is the least; a view of the history reads one. A large history costs more: see its bound. */
const QUERY_MIB = 10;
