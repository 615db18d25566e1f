// What must hold when a simulation has come to rest, each under a name of its own (design section 9).
// It must never ask the code under test for its opinion, except where that opinion is what is judged.

import type { Aftermath } from "./aftermath.ts";
import * as answers from "./invariants/answers.ts";
import * as events from "./invariants/events.ts";
import * as money from "./invariants/money.ts";
import * as rest from "./invariants/rest.ts";

/** One invariant: what is wrong, one line each. */
type Invariant = (after: Aftermath) => readonly string[] | Promise<readonly string[]>;

/** All of them, by name; `test/simulation/mutants.ts` has a fault for each that this one alone notices. */
export const invariants: Readonly<Record<string, Invariant>> = {
  /** The acquirer did for each key what it stands for, once. */
  oneEffectPerKey: money.oneEffectPerKey,
  /** Each booking, and all of a currency together, sum to zero. */
  entriesSumToZero: money.entriesSumToZero,
  /** Refunded is at most captured, and captured at most authorized, by the acquirer's journal. */
  refundedWithinCaptured: money.refundedWithinCaptured,
  /** What the books say was moved is what the acquirer moved. */
  booksMatchNetwork: money.booksMatchNetwork,
  /** The balance that a merchant is told is the sum of its bookings. */
  balancesAreSums: money.balancesAreSums,
  /** The system's own verification finds nothing. */
  ledgerVerifies: rest.ledgerVerifies,
  /** Nor does its reconciliation. */
  reconciles: rest.reconciles,
  /** No attempt is under way, no payment locked, no key without an answer. */
  nothingStaysOpen: rest.nothingStaysOpen,
  /** No event waits to be published. */
  outboxIsEmpty: rest.outboxIsEmpty,
  /** No function ever answered with an error of its own making. */
  nothingBreaks: rest.nothingBreaks,
  /** Whatever a key heard first it hears again, byte for byte, and nothing else. */
  replaysAreIdentical: answers.replaysAreIdentical,
  /** What a client was told is what the acquirer did. */
  answersAreTrue: answers.answersAreTrue,
  /** Every change that was committed has its events, each once. */
  everyPaymentHasItsEvents: events.everyPaymentHasItsEvents,
  /** Each event had its effect at each consumer, once; a mail twice at most where its process was disturbed. */
  everyEventHasItsEffects: events.everyEventHasItsEffects,
  /** Each event was delivered to each endpoint, or is among the dead letters where its receiver never took it. */
  everyDeliveryEnds: events.everyDeliveryEnds,
  /** What receivers got is signed by their secret, and the same bytes each time. */
  deliveriesAreGenuine: events.deliveriesAreGenuine,
};
