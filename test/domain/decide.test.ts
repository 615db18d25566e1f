// What each command does to an intent in each state, as a table: one literal decision for every pair.
// It must never leave a pair out: the type of the table demands all of them.
import type { Attempt } from "../../functions/domain/attempt.ts";
import type { Command } from "../../functions/domain/commands.ts";
import { type Decision, decide } from "../../functions/domain/decide.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import { refusal } from "../edge/parameter-matchers.ts";
import { aCharge, anAttempt, anIntent } from "../support/payment-fixtures.ts";

const nowMs = 1_772_366_460_000;
const leaseUntilMs = nowMs + 30_000;
const visa = { id: "pm_1", token: "pm_card_visa" };
const failure = { code: "card_declined", declineCode: "lost_card", message: "Your card was declined." };
const earlierDecline = { ...failure, chargeId: "ch_0", paymentMethod: { id: "pm_0", token: "pm_card_chargeDeclined" } };
const held = {
  status: "requires_capture",
  captureMethod: "manual",
  version: 3,
  paymentMethod: visa,
  captureBeforeMs: nowMs + 1,
  amountCapturableMinor: 1099n,
  latestChargeId: "ch_1",
} as const;

const nextAction = { attemptId: "att_0", url: "https://api.example.test/challenges/att_0", returnUrl: null };
const challenged = anAttempt({ id: "att_0", state: "challenged", authentication: "3ds_att_0" });
const superseded = { ...challenged, state: "superseded", closedAtMs: nowMs } as const;

const states = {
  // Declined once before, so that the table shows when the decline is forgotten.
  requires_payment_method: anIntent({ version: 3, latestChargeId: "ch_0", lastPaymentError: earlierDecline }),
  requires_confirmation: anIntent({ status: "requires_confirmation", paymentMethod: visa }),
  processing: anIntent({ status: "processing", version: 2, paymentMethod: visa, activeAttemptId: "att_1" }),
  requires_action: anIntent({ status: "requires_action", version: 3, paymentMethod: visa, nextAction }),
  // The acquirer settles it later: nothing holds the slot, and yet nothing can be asked of the money.
  settled_later: anIntent({ status: "processing", version: 3, paymentMethod: visa, latestChargeId: "ch_1" }),
  requires_capture: anIntent(held),
  // While a capture or a void is under way, the status stays and the slot is taken.
  taken: anIntent({ ...held, version: 4, activeAttemptId: "att_1" }),
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
const fence = { keyHash: "key_1", leaseUntilMs };
const asking = { isAllowed: false, baseUrl: "https://api.example.test", merchantReturnUrl: null } as const;
const confirm = { kind: "confirm", ids, asking, challenged, ...fence } as const;
const capture = {
  kind: "capture",
  ids,
  ...fence,
  charge: aCharge({ capturedMinor: 0n }),
  metadata: undefined,
} as const;

const commands = {
  "update description": { kind: "update", changes: { description: "Tea" }, ids, challenged },
  "update amount": { kind: "update", changes: { amountMinor: 2000n }, ids, challenged },
  "update payment method": { kind: "update", changes: { paymentMethodToken: "pm_card_mastercard" }, ids, challenged },
  "clear payment method": { kind: "update", changes: { paymentMethodToken: null }, ids, challenged },
  confirm: { ...confirm, changes: {} },
  "confirm with a payment method": { ...confirm, changes: { paymentMethodToken: "pm_card_mastercard" } },
  "confirm to hold": { ...confirm, changes: { captureMethod: "manual", paymentMethodToken: "pm_card_visa" } },
  capture: { ...capture, amountMinor: null },
  "capture part": { ...capture, amountMinor: 99n, metadata: { order: "17" } },
  cancel: { kind: "cancel", reason: "abandoned", ids, ...fence, charge: capture.charge, challenged },
} as const satisfies Record<string, Command>;

type State = keyof typeof states;
type CommandName = keyof typeof commands;
type Expected = (given: PaymentIntent) => Decision;

const locked: Expected = () => ({ kind: "locked" });
const refused =
  (message: string): Expected =>
  () => ({ kind: "refused", message });
const changed =
  (fields: Partial<PaymentIntent>, rest: Partial<Extract<Decision, { kind: "changed" }>> = {}): Expected =>
  (given) => ({ kind: "changed", events: [], ...rest, intent: { ...given, ...fields, version: given.version + 1 } });

const open = "requires_payment_method, requires_confirmation, requires_action";
const cannot = (status: PaymentIntent["status"], what: string, allowed = open) =>
  refused(
    `This PaymentIntent's status is ${status}, so ${what}. Only a PaymentIntent with one of these statuses may: ${allowed}.`,
  );
const cannotUpdate = (status: PaymentIntent["status"], field: string) =>
  cannot(status, `its ${field} could not be updated`);
const cannotConfirm = (status: PaymentIntent["status"]) => cannot(status, "it could not be confirmed");
const cannotCapture = (status: PaymentIntent["status"]) =>
  cannot(status, "it could not be captured", "requires_capture");
const cannotCancel = (status: PaymentIntent["status"]) =>
  cannot(status, "it could not be canceled", `${open}, requires_capture`);
const hasSucceeded = refused(
  "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
);
const wasCaptured = refused("This PaymentIntent could not be captured because it has already been captured.");

const mastercard = { paymentMethod: { id: "pm_2", token: "pm_card_mastercard" } };
const started = { status: "processing", activeAttemptId: "att_1" } as const;
const canceled = changed(
  { status: "canceled", canceledAtMs: nowMs, cancellationReason: "abandoned" },
  { events: [{ type: "payment_intent.canceled", about: "payment_intent" }] },
);
const attempt = anAttempt({ leaseUntilMs, createdAtMs: nowMs });
const withMastercard = { ...attempt, paymentMethodToken: "pm_card_mastercard", paymentMethodId: "pm_2" };
const about = (kind: "capture" | "void", fields: Partial<Attempt> = {}) =>
  ({ activeAttemptId: "att_1", attempt: { ...attempt, kind, acquirerReference: "acq_1", ...fields } }) as const;
const capturing = about("capture");
const voiding = about("void", { cancellationReason: "abandoned" });
const toHold = {
  intent: { ...started, captureMethod: "manual", paymentMethod: { id: "pm_2", token: "pm_card_visa" } },
  attempt: { ...attempt, captureLater: true, paymentMethodId: "pm_2" },
} as const;

const allLocked = Object.fromEntries(Object.keys(commands).map((name) => [name, locked])) as Record<
  CommandName,
  Expected
>;

/** What a closed intent still takes, and how it refuses the rest. */
const closed = (status: "processing" | "requires_capture" | "succeeded" | "canceled") => ({
  "update description": changed({ description: "Tea" }),
  "update amount": cannotUpdate(status, "amount"),
  "update payment method": cannotUpdate(status, "payment_method"),
  "clear payment method": cannotUpdate(status, "payment_method"),
  confirm: status === "succeeded" ? hasSucceeded : cannotConfirm(status),
  "confirm with a payment method": status === "succeeded" ? hasSucceeded : cannotConfirm(status),
  "confirm to hold": status === "succeeded" ? hasSucceeded : cannotConfirm(status),
});

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
      { attempt: withMastercard },
    ),
    "confirm to hold": changed({ ...toHold.intent, lastPaymentError: null }, { attempt: toHold.attempt }),
    capture: cannotCapture("requires_payment_method"),
    "capture part": cannotCapture("requires_payment_method"),
    cancel: canceled,
  },
  requires_confirmation: {
    "update description": changed({ description: "Tea" }),
    "update amount": changed({ amountMinor: 2000n }),
    "update payment method": changed(mastercard),
    "clear payment method": changed({ paymentMethod: null, status: "requires_payment_method" }),
    confirm: changed(started, { attempt }),
    "confirm with a payment method": changed({ ...mastercard, ...started }, { attempt: withMastercard }),
    "confirm to hold": changed(toHold.intent, { attempt: toHold.attempt }),
    capture: cannotCapture("requires_confirmation"),
    "capture part": cannotCapture("requires_confirmation"),
    cancel: canceled,
  },
  processing: allLocked,
  requires_action: {
    "update description": changed({ description: "Tea" }),
    "update amount": changed({ amountMinor: 2000n, status: "requires_confirmation", nextAction: null }, { superseded }),
    "update payment method": changed(
      { ...mastercard, status: "requires_confirmation", nextAction: null },
      { superseded },
    ),
    "clear payment method": changed(
      { paymentMethod: null, status: "requires_payment_method", nextAction: null },
      { superseded },
    ),
    confirm: changed({ ...started, nextAction: null }, { attempt, superseded }),
    "confirm with a payment method": changed(
      { ...mastercard, ...started, nextAction: null },
      { attempt: withMastercard, superseded },
    ),
    "confirm to hold": changed({ ...toHold.intent, nextAction: null }, { attempt: toHold.attempt, superseded }),
    capture: cannotCapture("requires_action"),
    "capture part": cannotCapture("requires_action"),
    cancel: (given) => ({
      kind: "changed",
      superseded,
      events: [{ type: "payment_intent.canceled", about: "payment_intent" }],
      intent: {
        ...given,
        version: 4,
        status: "canceled",
        nextAction: null,
        canceledAtMs: nowMs,
        cancellationReason: "abandoned",
      },
    }),
  },
  settled_later: {
    ...closed("processing"),
    capture: cannotCapture("processing"),
    "capture part": cannotCapture("processing"),
    cancel: cannotCancel("processing"),
  },
  requires_capture: {
    ...closed("requires_capture"),
    capture: changed({ activeAttemptId: "att_1" }, { attempt: capturing.attempt }),
    "capture part": changed(
      { activeAttemptId: "att_1", metadata: { order: "17" } },
      { attempt: { ...capturing.attempt, amountMinor: 99n } },
    ),
    cancel: changed({ activeAttemptId: "att_1" }, { attempt: voiding.attempt }),
  },
  taken: allLocked,
  succeeded: {
    ...closed("succeeded"),
    capture: wasCaptured,
    "capture part": wasCaptured,
    cancel: cannotCancel("succeeded"),
  },
  canceled: {
    ...closed("canceled"),
    capture: cannotCapture("canceled"),
    "capture part": cannotCapture("canceled"),
    cancel: cannotCancel("canceled"),
  },
};

describe.each(Object.keys(states) as State[])("an intent that is in %s", (state) => {
  test.each(Object.keys(commands) as CommandName[])("answers to: %s", (name) => {
    const given = structuredClone(states[state]);
    expect(decide(given, commands[name], nowMs)).toEqual(table[state][name](states[state]));
    // A decision is data: what it was made from stays as it was.
    expect(given).toEqual(states[state]);
  });
});

describe("a capture", () => {
  test.each([
    ["of more than is held", "eur", 1099n, 1100n, { code: "amount_too_large", param: "amount_to_capture" }],
    ["that misses its currency's step", "kwd", 5000n, 1005n, { code: "parameter_invalid", param: "amount_to_capture" }],
    ["of half a krona", "isk", 5000n, 150n, { code: "parameter_invalid", param: "amount_to_capture" }],
  ] as const)("%s is refused by the parameter", (_, currency, amountCapturableMinor, amountMinor, expected) => {
    const given = anIntent({ ...held, currency, amountCapturableMinor });
    expect(refusal(() => decide(given, { ...capture, amountMinor }, nowMs))).toEqual(expected);
  });

  test.each([
    ["no charge", null],
    ["another charge", aCharge({ id: "ch_0" })],
  ])("for which %s was read is a bug and throws", (_, charge) => {
    expect(() => decide(states.requires_capture, { ...capture, amountMinor: null, charge }, nowMs)).toThrow("not read");
  });
});

describe("an update", () => {
  test.each([
    ["an amount below the minimum", { amountMinor: 49n }, { code: "amount_too_small", param: "amount" }],
    ["a currency that makes the amount too small", { currency: "huf" }, { code: "amount_too_small", param: "amount" }],
    ["a currency whose step the amount misses", { currency: "isk" }, { code: "parameter_invalid", param: "amount" }],
  ] as const)("to %s is refused by the parameter", (_, changes, expected) => {
    const given = states.requires_confirmation;
    expect(refusal(() => decide(given, { kind: "update", changes, ids, challenged: null }, nowMs))).toEqual(expected);
  });

  test("sets, keeps and removes metadata key by key, and clears it whole", () => {
    const given = anIntent({ metadata: { a: "1", b: "2" } });
    const updated = (metadata: Record<string, string | null> | null) =>
      decide(given, { kind: "update", changes: { metadata }, ids, challenged: null }, nowMs);
    expect(updated({ b: null, c: "3" })).toHaveProperty("intent.metadata", { a: "1", c: "3" });
    expect(updated(null)).toHaveProperty("intent.metadata", {});
  });

  test("whose metadata would make more than 50 keys is refused", () => {
    const keys = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "x"]));
    const given = anIntent({ metadata: keys(50, "a") });
    const adding = (metadata: Record<string, string | null>) => () =>
      decide(given, { kind: "update", changes: { metadata }, ids, challenged: null }, nowMs);
    expect(refusal(adding({ b: "1" }))).toEqual({ code: "parameter_invalid", param: "metadata" });
    expect(adding({ b: "1", a0: null })()).toMatchObject({ kind: "changed" });
  });
});
