// What a part of `npm run bench` is, and what it hands back.
// It must never hold a judgement of a time: only counts over a budget are faults.

/** One part: prints its tables as it goes, and gives its figures for the JSON file. */
export type Bench = (say: (line: string) => void) => Promise<BenchOutcome>;

/** What a part found. */
export type BenchOutcome = {
  /** Anything that JSON can hold; names end in units. */
  readonly figures: unknown;
  /** Counts over their budgets, one sentence each; the run then ends with an error. */
  readonly faults: readonly string[];
};
