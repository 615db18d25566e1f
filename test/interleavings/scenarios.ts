// The scenarios by name: who is on the stage, and how far their schedules are explored.
// It must never bound a scenario tighter than it has to: a null bound is every schedule.
import { type Asking, cast } from "./cast.ts";
import type { Run } from "./explore.ts";

/** One scenario. */
export interface Scenario {
  readonly name: string;
  /** Null: every schedule. */
  readonly preemptionsMax: number | null;
  readonly open: () => Promise<Run>;
}

const pay: Asking = {
  path: "/v1/payment_intents",
  form: "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa",
  key: "K",
};

/** A payment makes six calls that a key is decided by, and one more for each look. */
const callsOfPayment = [1, 2, 3, 4, 5, 6] as const;

/** A creation of an endpoint makes six as well: claim, key row, read, commit, outcome, result. */
const makeEndpoint: Asking = {
  path: "/v1/webhook_endpoints",
  form: "url=https://shop.example/hooks&enabled_events[]=*",
  key: "endpoint",
};

const hold: Asking = { ...pay, form: `${pay.form}&capture_method=manual`, key: "held" };
const capture: Asking = { path: "/v1/payment_intents/:intent/capture", form: "", key: "capture" };
const cancel: Asking = { path: "/v1/payment_intents/:intent/cancel", form: "", key: "cancel" };
const refund = (key: string): Asking => ({ path: "/v1/refunds", form: "payment_intent=:intent&amount=1500", key });

/** All of them; `preemptionsMax` bounds those that have too many schedules. */
export const scenarios: readonly Scenario[] = [
  {
    name: "two workers",
    preemptionsMax: null,
    open: cast({
      actors: [
        { name: "A", asks: pay },
        { name: "B", asks: pay },
      ],
    }),
  },
  {
    name: "two workers, cache wiped",
    preemptionsMax: 2,
    open: cast({
      actors: [
        { name: "A", asks: pay },
        { name: "B", asks: pay },
      ],
      wipe: true,
    }),
  },
  {
    name: "two workers and a twin after the lease, cache wiped",
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay },
        { name: "B", asks: pay },
        { name: "C", asks: pay, afterLease: true },
      ],
      wipe: true,
    }),
  },
  {
    name: "two workers and the completer after the lease",
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay },
        { name: "B", asks: pay },
      ],
      completer: "after lease",
    }),
  },
  {
    name: "a worker, a twin after the lease and the completer, cache wiped",
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay },
        { name: "B", asks: pay, afterLease: true },
      ],
      completer: "after lease",
      wipe: true,
    }),
  },
  ...callsOfPayment.map((diesAtCall) => ({
    name: `a worker that dies at call ${diesAtCall}, a twin after the lease and the completer`,
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay, fate: { diesAtCall } },
        { name: "B", asks: pay, afterLease: true },
      ],
      completer: "after lease",
    }),
  })),
  ...callsOfPayment.map((lateCall) => ({
    name: `a worker whose call ${lateCall} lands late, and a twin`,
    preemptionsMax: 2,
    open: cast({
      actors: [
        { name: "A", asks: pay, fate: { lateCall } },
        { name: "B", asks: pay },
      ],
    }),
  })),
  ...callsOfPayment.map((lateCall) => ({
    name: `a worker whose call ${lateCall} lands late, a twin after the lease and the completer`,
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay, fate: { lateCall } },
        { name: "B", asks: pay, afterLease: true },
      ],
      completer: "after lease",
    }),
  })),
  {
    name: "a worker whose authorization lands late, and the completer after the drive window",
    preemptionsMax: null,
    open: cast({ actors: [{ name: "A", asks: pay, fate: { lateCall: 3 } }], completer: "after window" }),
  },
  ...callsOfPayment.map((diesAtCall) => ({
    name: `a worker that dies at call ${diesAtCall}, and a completer that dies at its fourth`,
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: pay, fate: { diesAtCall } },
        { name: "B", asks: pay, afterLease: true },
      ],
      completer: "after lease",
      completerFate: { diesAtCall: 4 },
    }),
  })),
  ...callsOfPayment.map((diesAtCall) => ({
    name: `an intention whose worker dies at call ${diesAtCall}, a twin after the lease and the completer`,
    preemptionsMax: 1,
    open: cast({
      actors: [
        { name: "A", asks: makeEndpoint, fate: { diesAtCall } },
        { name: "B", asks: makeEndpoint, afterLease: true },
      ],
      completer: "after lease",
      intends: true,
    }),
  })),
  ...callsOfPayment.map((lateCall) => ({
    name: `an intention whose worker's call ${lateCall} lands late, and the completer`,
    preemptionsMax: 2,
    open: cast({
      actors: [{ name: "A", asks: makeEndpoint, fate: { lateCall } }],
      completer: "after lease",
      intends: true,
    }),
  })),
  {
    name: "a capture and a cancel of one hold",
    preemptionsMax: null,
    open: cast({
      before: [hold],
      actors: [
        { name: "A", asks: capture },
        { name: "B", asks: cancel },
      ],
    }),
  },
  {
    name: "two refunds that together are too much",
    preemptionsMax: null,
    open: cast({
      before: [{ ...pay, key: "paid" }],
      actors: [
        { name: "A", asks: refund("first") },
        { name: "B", asks: refund("second") },
      ],
    }),
  },
];
