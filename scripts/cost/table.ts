// One line of a cost table.
// It must never be a number without what it was computed from.

/** What one part costs in USD, and from what that follows. */
export type Cost = { part: string; basis: string; usd: number };

/** The sum in USD. */
export function total(costs: readonly Cost[]): number {
  return costs.reduce((sum, { usd }) => sum + usd, 0);
}
