/**
 * The test acquirer's list of orders by time, page by page, for whoever reconciles.
 * It must never list a line that is no order, nor leave one out between two pages.
 */
import type { AttemptKind } from "../domain/attempt.ts";
import { refuse } from "../domain/errors.ts";
import type { AcquirerJournal, JournalLine } from "../flows/acquirer-ports.ts";
import { lookUpOrder } from "../flows/look-up-order.ts";
import type { Clock } from "../flows/ports.ts";
import type { AcquirerListing, ListedLine } from "../flows/reconciliation-ports.ts";
import { lookupView } from "./acquirer-orders.ts";
import { jsonResponse, queryOf, type WireRequest, type WireResponse } from "./wire.ts";

/**
 * The list over a journal. A page may be short, because lines beside the orders are left out; its cursor is a key.
 * Its verb rejects with `parameter_invalid` for a cursor that no page gave.
 */
export function orderListing(deps: { readonly journal: AcquirerJournal; readonly clock: Clock }): AcquirerListing {
  return {
    list: async (window, cursor, limit) => {
      const after = cursor === null ? null : await deps.journal.read(cursor);
      if (after === undefined) throw wrong("cursor", "must be the next of a page");
      const page = await deps.journal.between(window, after, limit);
      const rows = await Promise.all(page.flatMap((line) => (isOrder(line) ? [listedLine(deps, line)] : [])));
      return { rows, next: page.length < limit ? null : (page.at(-1)?.key ?? null) };
    },
  };
}

/**
 * Orders that began from `from_ms` and before `before_ms`, oldest first.
 * @throws DomainError `parameter_invalid` that names the parameter
 */
export async function listedOrders(
  deps: { readonly journal: AcquirerJournal; readonly clock: Clock },
  request: WireRequest,
): Promise<WireResponse> {
  const parameters = new URLSearchParams(queryOf(request.target));
  const window = { fromMs: numberIn(parameters, "from_ms"), beforeMs: numberIn(parameters, "before_ms") };
  const limit = numberIn(parameters, "limit");
  if (limit < 1 || limit > limitMax) throw wrong("limit", `must be 1 to ${limitMax}`);
  const { rows, next } = await orderListing(deps).list(window, parameters.get("cursor"), limit);
  return jsonResponse(200, { data: rows.map(lineView), next });
}

/** Each order is looked up, which takes some reads of the journal. */
const limitMax = 100;

/** An order and how it stands now. */
async function listedLine(deps: Parameters<typeof lookUpOrder>[0], line: Order): Promise<ListedLine> {
  const { key, kind, amountMinor, currency, createdAtMs } = line;
  return { order: { key, kind, amountMinor, currency, createdAtMs }, found: await lookUpOrder(deps, key) };
}

type Order = JournalLine & { readonly kind: AttemptKind };

function isOrder(line: JournalLine): line is Order {
  return ["authorize", "capture", "void", "refund"].includes(line.kind);
}

function lineView({ order, found }: ListedLine): object {
  const { key, kind, amountMinor, currency, createdAtMs } = order;
  return { ...lookupView(key, found), kind, amount_minor: String(amountMinor), currency, created_at_ms: createdAtMs };
}

function numberIn(parameters: URLSearchParams, name: string): number {
  const text = parameters.get(name) ?? "";
  if (!/^\d{1,15}$/.test(text)) throw wrong(name, "must be a whole number");
  return Number(text);
}

function wrong(param: string, what: string) {
  return refuse("parameter_invalid", `${param} ${what}.`, { param });
}
