// Writes what a bench found as tables, and says which budgets were exceeded.
// It must never pass over a budget: whatever is over one ends the bench with an error.
import type { Measured } from "./latency.ts";
import type { Counted } from "./round-trips.ts";
import { sequentialTrips, storeTrips, type Trip } from "./tally.ts";

/** The table of round trips. */
export function tripLines(counted: readonly Counted[]): string[] {
  const rows = counted
    .filter(({ trips }) => storeTrips(trips).length > 0)
    .map(({ name, callsMax, oneByOneMax, trips }) => [
      name,
      String(storeTrips(trips).length),
      limit(callsMax),
      String(sequentialTrips(storeTrips(trips))),
      limit(oneByOneMax),
      String(writesIn(trips)),
      storeTrips(trips).map(tripName).join(", "),
    ]);
  const head = ["request", "calls", "budget", "one by one", "budget", "writes", "in this order"];
  return table([head, ...rows], [1, 2, 3, 4, 5]);
}

/** What is not in the table, because it is no store or not of every request. */
export function apartLines(counted: readonly Counted[]): string[] {
  return counted
    .map(({ name, trips }) => ({ name, apart: trips.filter(({ store }) => store === "apart") }))
    .filter(({ apart }) => apart.length > 0)
    .map(({ name, apart }) => `  ${name}: ${countedByName(apart)}`);
}

/** The table of times. */
export function latencyLines(measured: readonly Measured[]): string[] {
  const head = ["request", "at once", "requests", "p50 ms", "p95 ms", "p99 ms", "per s", "CPU ms each", "failed"];
  const rows = measured.map((each) => [
    each.name,
    String(each.atOnce),
    String(each.requests),
    each.p50Ms.toFixed(2),
    each.p95Ms.toFixed(2),
    each.p99Ms.toFixed(2),
    each.perSecond.toFixed(0),
    each.cpuMs.toFixed(2),
    String(each.failures),
  ]);
  return table([head, ...rows], [1, 2, 3, 4, 5, 6, 7, 8]);
}

/** Budgets that were exceeded, and counts that cannot be true. */
export function budgetFaults(counted: readonly Counted[]): string[] {
  return counted.flatMap(({ name, callsMax, oneByOneMax, writesMax, trips }) => {
    const [made, oneByOne] = [storeTrips(trips).length, sequentialTrips(storeTrips(trips))];
    const writes = writesIn(trips);
    return [
      ...(callsMax !== null && made > callsMax ? [`${name}: ${made} calls, at most ${callsMax}`] : []),
      ...(oneByOneMax !== null && oneByOne > oneByOneMax
        ? [`${name}: ${oneByOne} one by one, at most ${oneByOneMax}`]
        : []),
      ...(callsMax !== null && made === 0 ? [`${name}: no call was seen, so the counting is broken`] : []),
      ...(writesMax !== null && writes > writesMax ? [`${name}: ${writes} writes, at most ${writesMax}`] : []),
    ];
  });
}

function limit(most: number | null): string {
  return most === null ? "-" : String(most);
}

function writesIn(trips: readonly Trip[]): number {
  return storeTrips(trips).filter(({ wrote }) => wrote).length;
}

function tripName({ store, name }: Trip): string {
  return `${store} ${name}`;
}

function countedByName(trips: readonly Trip[]): string {
  const counts = new Map<string, number>();
  for (const { name } of trips) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

/** Columns padded to their widest cell; those listed in `right` hold numbers. */
export function table(rows: readonly (readonly string[])[], right: readonly number[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return `  ${cells.join("  ").trimEnd()}`;
  });
}
