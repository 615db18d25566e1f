// What each command does to an intent in each state, as a table: one literal decision for every pair.
// It must never leave a pair out: the type of the table demands all of them.
import type { AcquirerResult, Attempt } from "../../functions/domain/attempt.ts";
import { type Command, type Decision, decide } from "../../functions/domain/decide.ts";
import type { EventDraft } from "../../functions/domain/events.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import { refusal } from "../edge/parameter-matchers.ts";
import { aCharge, anIntent } from "../support/payment-fixtures.ts";

const nowMs = 1_772_366_460_000;
const visa = { id: "pm_1", token: "pm_card_visa" };
const failure = { code: "card_declined", declineCode: "lost_card", message: "Your card was declined." };
const earlierDecline = { ...failure, chargeId: "ch_0", paymentMethod: { id: "pm_0", token: "pm_card_chargeDeclined" } };

/** The attempt that stands open while an intent is processing. */
const attempt: Attempt = {
  id: "att_1",
  accountId: "acct_1",
  intentId: "pi_1",
  kind: "authorize",
  state: "open",
  amountMinor: 1099n,
  currency: "eur",
  paymentMethodToken: "pm_card_visa",
  paymentMethodId: "pm_1",
  chargeId: "ch_1",
  keyHash: "key_1",
  leaseUntilMs: nowMs + 30_000,
  createdAtMs: nowMs,
  closedAtMs: null,
};

const states = {
  // Declined once before, so that the table shows when the decline is forgotten.
  requires_payment_method: anIntent({ version: 3, latestChargeId: "ch_0", lastPaymentError: earlierDecline }),
  requires_confirmation: anIntent({ status: "requires_confirmation", paymentMethod: visa }),
  processing: anIntent({ status: "processing", version: 2, paymentMethod: visa, activeAttemptId: "att_1" }),
  succeeded: anIntent({
    status: "succeeded",
    version: 3,
    paymentMethod: visa,
    amountReceivedMinor: 1099n,
    latestChargeId: "ch_1",
  }),
  canceled: anIntent({ status: "canceled", version: 2, canceledAtMs: nowMs - 1, cancellationReason: "duplicate" }),
} as const;

const ids = { paymentMethodId: "pm_2", attemptId: "att_1", chargeId: "ch_1" };
const approved: AcquirerResult = { kind: "approved", reference: "acq_1" };
const confirm = { kind: "confirm", ids, keyHash: "key_1", leaseUntilMs: nowMs + 30_000 } as const;

const commands = {
  "update description": { kind: "update", changes: { description: "Tea" }, ids },
  "update amount": { kind: "update", changes: { amountMinor: 2000n }, ids },
  "update payment method": { kind: "update", changes: { paymentMethodToken: "pm_card_mastercard" }, ids },
  "clear payment method": { kind: "update", changes: { paymentMethodToken: null }, ids },
  confirm: { ...confirm, changes: {} },
  "confirm with a payment method": { ...confirm, changes: { paymentMethodToken: "pm_card_mastercard" } },
  cancel: { kind: "cancel", reason: "abandoned" },
  "settle approved": { kind: "settle", attempt, result: approved },
  "settle declined": { kind: "settle", attempt, result: { kind: "declined", failure } },
} as const satisfies Record<string, Command>;

type State = keyof typeof states;
type CommandName = keyof typeof commands;
type Expected = (given: PaymentIntent) => Decision | "throws";

const locked: Expected = () => ({ kind: "locked" });
const throws: Expected = () => "throws";
const refused =
  (message: string): Expected =>
  () => ({ kind: "refused", message });
const changed =
  (fields: Partial<PaymentIntent>, rest: Partial<Extract<Decision, { kind: "changed" }>> = {}): Expected =>
  (given) => ({ kind: "changed", events: [], ...rest, intent: { ...given, ...fields, version: given.version + 1 } });

const cannot = (status: State, what: string) =>
  refused(
    `This PaymentIntent's status is ${status}, so ${what}. Only a PaymentIntent with one of these statuses may: requires_payment_method, requires_confirmation.`,
  );
const cannotUpdate = (status: State, field: string) => cannot(status, `its ${field} could not be updated`);

const mastercard = { paymentMethod: { id: "pm_2", token: "pm_card_mastercard" } };
const started = { status: "processing", activeAttemptId: "att_1" } as const;
const canceled = changed(
  { status: "canceled", canceledAtMs: nowMs, cancellationReason: "abandoned" },
  { events: [{ type: "payment_intent.canceled", about: "payment_intent" }] },
);
const succeededEvents: EventDraft[] = [
  { type: "charge.succeeded", about: "charge" },
  { type: "payment_intent.succeeded", about: "payment_intent" },
];
const failedEvents: EventDraft[] = [
  { type: "charge.failed", about: "charge" },
  { type: "payment_intent.payment_failed", about: "payment_intent" },
];

const table: Record<State, Record<CommandName, Expected>> = {
  requires_payment_method: {
    "update description": changed({ description: "Tea", lastPaymentError: null }),
    "update amount": changed({ amountMinor: 2000n, lastPaymentError: null }),
    "update payment method": changed({ ...mastercard, status: "requires_confirmation", lastPaymentError: null }),
    "clear payment method": changed({ lastPaymentError: null }),
    confirm: refused(
      "You cannot confirm this PaymentIntent because it's missing a payment method. Update it with a payment method, or pass one to confirm.",
    ),
    "confirm with a payment method": changed(
      { ...mastercard, ...started, lastPaymentError: null },
      { attempt: { ...attempt, paymentMethodToken: "pm_card_mastercard", paymentMethodId: "pm_2" } },
    ),
    cancel: canceled,
    "settle approved": throws,
    "settle declined": throws,
  },
  requires_confirmation: {
    "update description": changed({ description: "Tea" }),
    "update amount": changed({ amountMinor: 2000n }),
    "update payment method": changed(mastercard),
    "clear payment method": changed({ paymentMethod: null, status: "requires_payment_method" }),
    confirm: changed(started, { attempt }),
    "confirm with a payment method": changed(
      { ...mastercard, ...started },
      { attempt: { ...attempt, paymentMethodToken: "pm_card_mastercard", paymentMethodId: "pm_2" } },
    ),
    cancel: canceled,
    "settle approved": throws,
    "settle declined": throws,
  },
  processing: {
    "update description": locked,
    "update amount": locked,
    "update payment method": locked,
    "clear payment method": locked,
    confirm: locked,
    "confirm with a payment method": locked,
    cancel: locked,
    "settle approved": changed(
      { status: "succeeded", activeAttemptId: null, latestChargeId: "ch_1", amountReceivedMinor: 1099n },
      {
        attempt: { ...attempt, state: "succeeded", closedAtMs: nowMs },
        charge: aCharge({ createdAtMs: nowMs }),
        booking: {
          kind: "charge",
          sourceId: "ch_1",
          accountId: "acct_1",
          intentId: "pi_1",
          currency: "eur",
          createdAtMs: nowMs,
          entries: [
            { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 1099n },
            { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: 1099n },
          ],
        },
        events: succeededEvents,
      },
    ),
    "settle declined": changed(
      {
        status: "requires_payment_method",
        activeAttemptId: null,
        latestChargeId: "ch_1",
        paymentMethod: null,
        lastPaymentError: { ...failure, chargeId: "ch_1", paymentMethod: visa },
      },
      {
        attempt: { ...attempt, state: "declined", closedAtMs: nowMs },
        charge: aCharge({
          status: "failed",
          capturedMinor: 0n,
          acquirerReference: null,
          failure,
          createdAtMs: nowMs,
        }),
        events: failedEvents,
      },
    ),
  },
  succeeded: {
    "update description": changed({ description: "Tea" }),
    "update amount": cannotUpdate("succeeded", "amount"),
    "update payment method": cannotUpdate("succeeded", "payment_method"),
    "clear payment method": cannotUpdate("succeeded", "payment_method"),
    confirm: refused(
      "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
    ),
    "confirm with a payment method": refused(
      "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
    ),
    cancel: cannot("succeeded", "it could not be canceled"),
    "settle approved": throws,
    "settle declined": throws,
  },
  canceled: {
    "update description": changed({ description: "Tea" }),
    "update amount": cannotUpdate("canceled", "amount"),
    "update payment method": cannotUpdate("canceled", "payment_method"),
    "clear payment method": cannotUpdate("canceled", "payment_method"),
    confirm: cannot("canceled", "it could not be confirmed"),
    "confirm with a payment method": cannot("canceled", "it could not be confirmed"),
    cancel: cannot("canceled", "it could not be canceled"),
    "settle approved": throws,
    "settle declined": throws,
  },
};

describe.each(Object.keys(states) as State[])("an intent that is in %s", (state) => {
  test.each(Object.keys(commands) as CommandName[])("answers to: %s", (name) => {
    const given = structuredClone(states[state]);
    const expected = table[state][name](states[state]);
    if (expected === "throws") {
      expect(() => decide(given, commands[name], nowMs)).toThrow("it must not be settled");
    } else {
      expect(decide(given, commands[name], nowMs)).toEqual(expected);
    }
    // A decision is data: what it was made from stays as it was.
    expect(given).toEqual(states[state]);
  });
});

describe("beyond the table", () => {
  test("a closed attempt is never settled again, even while it holds the slot", () => {
    const closed = { ...attempt, state: "succeeded" } as const;
    expect(() => decide(states.processing, { kind: "settle", attempt: closed, result: approved }, nowMs)).toThrow();
  });

  test("another attempt than the one in the slot is never settled", () => {
    const other = { ...attempt, id: "att_2" };
    expect(() => decide(states.processing, { kind: "settle", attempt: other, result: approved }, nowMs)).toThrow();
  });

  test.each([
    ["an amount below the minimum", { amountMinor: 49n }, { code: "amount_too_small", param: "amount" }],
    ["a currency that makes the amount too small", { currency: "huf" }, { code: "amount_too_small", param: "amount" }],
    ["a currency whose step the amount misses", { currency: "isk" }, { code: "parameter_invalid", param: "amount" }],
  ] as const)("an update to %s is refused by the parameter", (_, changes, expected) => {
    const given = states.requires_confirmation;
    expect(refusal(() => decide(given, { kind: "update", changes, ids }, nowMs))).toEqual(expected);
  });

  test("an update sets, keeps and removes metadata key by key, and clears it whole", () => {
    const given = anIntent({ metadata: { a: "1", b: "2" } });
    const updated = (metadata: Record<string, string | null> | null) =>
      decide(given, { kind: "update", changes: { metadata }, ids }, nowMs);
    expect(updated({ b: null, c: "3" })).toHaveProperty("intent.metadata", { a: "1", c: "3" });
    expect(updated(null)).toHaveProperty("intent.metadata", {});
  });

  test("an update whose metadata would make more than 50 keys is refused", () => {
    const keys = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "x"]));
    const given = anIntent({ metadata: keys(50, "a") });
    const adding = (metadata: Record<string, string | null>) => () =>
      decide(given, { kind: "update", changes: { metadata }, ids }, nowMs);
    expect(refusal(adding({ b: "1" }))).toEqual({ code: "parameter_invalid", param: "metadata" });
    expect(adding({ b: "1", a0: null })()).toMatchObject({ kind: "changed" });
  });
});
