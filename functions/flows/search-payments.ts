/**
 * Looks through a merchant's payments for those that a search asks for: the API lists them by time and filters nothing else.
 * It must never read without end: it looks at a bounded number of payments, says how far it came, and goes on when asked.
 */
import { matches, type PaymentLine, type PaymentSearch, takesAll } from "../domain/payment-search.ts";

/** One page of the list, newest first. */
export interface LinePage<Line extends PaymentLine> {
  readonly lines: readonly Line[];
  readonly hasMore: boolean;
}

/** What was found. */
export interface SearchResult<Line extends PaymentLine> {
  readonly found: readonly Line[];
  /** How many payments were looked at. */
  readonly lookedAt: number;
  /** Where the search goes on: the id after which it has not looked yet; null at the end. */
  readonly goesOnAfter: string | null;
  /** Why it ended early, in a sentence for people; null when it did not. */
  readonly fault: string | null;
}

/** Searches from `after` on; `listPage` takes the id after which a page begins, and its size, and may tell a fault instead. */
export async function searchPayments<Line extends PaymentLine>(
  listPage: (after: string | null, limit: number) => Promise<LinePage<Line> | { readonly fault: string }>,
  search: PaymentSearch,
  after: string | null,
): Promise<SearchResult<Line>> {
  const limit = takesAll(search) ? shownMax : pageMax;
  const found: Line[] = [];
  let lookedAt = 0;
  let last = after;
  for (let page = 1; page <= pagesMax; page += 1) {
    const read = await listPage(last, limit);
    if ("fault" in read) return { found, lookedAt, goesOnAfter: null, fault: read.fault };
    const { lines, hasMore } = read;
    for (const [index, line] of lines.entries()) {
      lookedAt += 1;
      last = line.id;
      if (matches(search, line)) found.push(line);
      const isLast = index === lines.length - 1 && !hasMore;
      if (found.length === shownMax) return { found, lookedAt, goesOnAfter: isLast ? null : last, fault: null };
    }
    if (!hasMore) return { found, lookedAt, goesOnAfter: null, fault: null };
  }
  return { found, lookedAt, goesOnAfter: last, fault: null };
}

/** What a person reads at once. */
const shownMax = 25;
/** The API's largest page. */
const pageMax = 100;
/** Five pages are read in a second or so; whoever wants to look further asks for more. */
const pagesMax = 5;
