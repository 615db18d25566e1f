/**
 * The sizes in which the ledger's Spanner can be had, from Google's free trial to several regions.
 * It must never hold a size that Spanner refuses: what goes together with what is written beside each of them.
 */

/** One size of a Spanner instance. */
export interface SpannerSize {
  /** Null: regional, in the region of the functions; else a multi-region configuration such as `nam3`. */
  readonly multiRegion: string | null;
  /** Multiples of 100, from 1000 on multiples of 1000, which is one node; null for the free trial, which has one size. */
  readonly processingUnits: number | null;
  /** Null for the free trial, which has none. Several regions need ENTERPRISE_PLUS. */
  readonly edition: "STANDARD" | "ENTERPRISE" | "ENTERPRISE_PLUS" | null;
}

/** The sizes with a name of their own. */
export const spannerSizes = {
  /** Nothing to pay for 90 days and 10 GiB, once per project; no backups, and it cannot be made twice. */
  "free-trial": { multiRegion: null, processingUnits: null, edition: null },
  /** A tenth of a node, the smallest that is sold: about 350 simple writes a second at its limit. */
  smallest: { multiRegion: null, processingUnits: 100, edition: "STANDARD" },
  /** A whole node, from where on Google's guide values hold: 3,500 simple writes a second at its limit. */
  "one-node": { multiRegion: null, processingUnits: 1000, edition: "STANDARD" },
} as const satisfies Readonly<Record<string, SpannerSize>>;

/**
 * The size that a person named: one of `spannerSizes`, or a multi-region configuration such as `nam3` or `eur5`, which
 * gets one node.
 * @throws Error that names the variable and what it may be.
 */
export function spannerSizeNamed(text: string): SpannerSize {
  if (Object.hasOwn(spannerSizes, text)) return spannerSizes[text as keyof typeof spannerSizes];
  if (/^(?:nam|eur|asia)[0-9a-z-]+$/.test(text)) {
    return { multiRegion: text, processingUnits: 1000, edition: "ENTERPRISE_PLUS" };
  }
  const names = Object.keys(spannerSizes).join(", ");
  throw new Error(`SPANNER must be one of ${names}, or a multi-region configuration such as nam3, not ${text}.`);
}
