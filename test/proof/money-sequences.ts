// The steps of the property about money, and sequences that meet every kind of end.
// It must never run a step: that is the property's business.

/** One request: on one of a few intents, so that requests meet; under one of some keys, so that keys meet too. */
export interface Step {
  readonly act: (typeof acts)[number];
  readonly intent: number;
  readonly amount: number;
  readonly key: number;
  readonly death: Death | null;
}

/** Where the worker dies, and who comes after it. */
export interface Death {
  readonly port: "ledger" | "acquirer" | "cache";
  readonly nth: number;
  readonly at: "before" | "after";
  readonly heir: "retry" | "completer" | "nobody";
}

/** What may be done. */
export const acts = [
  ...(["open", "pay", "hold", "pay declined", "pay, refund fails", "describe", "confirm", "confirm to hold"] as const),
  ...(["confirm declined", "capture", "capture part", "cancel", "refund", "refund part", "refund by charge"] as const),
  ...(["pay, refund later", "pay later", "pay later, declined", "pay, challenged"] as const),
  ...(["answer", "refuse", "repeat", "sweep"] as const),
];

/** Dies with the money moved and nobody told. */
const afterTheEffect = { port: "acquirer", nth: 1, at: "after", heir: "nobody" } as const;

/** A sequence that meets every kind of end, so that the property is never true for want of one. */
export const everyEnd = stepsOf([
  ["hold", 0, 1],
  ["capture part", 0, 2, 700],
  ["capture", 0, 3], // already captured
  ["refund part", 0, 4, 300],
  ["refund part", 0, 5, 500], // more than is left
  ["refund", 0, 6],
  ["refund", 0, 7], // already refunded
  ["pay, refund fails", 1, 8],
  ["refund by charge", 1, 9],
  ["open", 2, 10],
  ["refund", 2, 11], // nothing was taken
  ["confirm to hold", 2, 12],
  ["capture part", 2, 13, 1_400], // more than is held
  ["cancel", 2, 13], // mismatch
  ["cancel", 2, 14, 1, afterTheEffect],
  ["capture", 2, 15], // locked
  ["repeat", 2, 14],
  ["sweep", 0, 0],
  ["pay declined", 1, 16],
]);

/** Refunds that are left under way, so that others meet what they reserved. */
export const reservations = stepsOf([
  ["pay", 0, 1],
  ["refund part", 0, 2, 600, afterTheEffect],
  ["refund part", 0, 3, 600], // more than is left beside the first one
  ["refund part", 0, 4, 200, { ...afterTheEffect, at: "before" }],
  ["refund part", 0, 5, 50],
  ["refund", 0, 6],
  ["refund part", 0, 7, 1],
  ["sweep", 0, 0],
]);

/** Payments that end later: settled, declined, passed by the buyer, refused, made pointless. */
export const laterEnds = stepsOf([
  ["pay later", 0, 1],
  ["confirm", 0, 2], // being settled
  ["sweep", 0, 0],
  ["refund part", 0, 3, 100],
  ["pay later, declined", 1, 4],
  ["sweep", 0, 0],
  ["confirm", 1, 5],
  ["pay, challenged", 2, 6],
  ["answer", 2, 0],
  ["pay, challenged", 2, 7],
  ["refuse", 2, 0],
  ["pay, challenged", 2, 8],
  ["cancel", 2, 9],
  ["pay, refund later", 1, 10],
  ["refund part", 1, 11, 300],
  ["sweep", 0, 0],
]);

function stepsOf(
  rows: readonly (readonly [act: Step["act"], intent: number, key: number, amount?: number, death?: Death])[],
): Step[] {
  return rows.map(([act, intent, key, amount = 1, death = null]) => ({ act, intent, key, amount, death }));
}
