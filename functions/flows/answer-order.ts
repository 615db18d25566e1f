/**
 * What the test acquirer does with an order: decide, write one line under its key, answer with the line that stands.
 * It must never answer one key for two different orders, and never write a second line for a key.
 */
import type { AcquirerResult } from "../domain/attempt.ts";
import { refuse } from "../domain/errors.ts";
import { testPaymentMethod } from "../domain/payment-methods.ts";
import type { Acquirer, AcquirerJournal, FollowUpOrder, JournalLine, JournalOrder } from "./acquirer-ports.ts";
import type { Clock, Log } from "./ports.ts";

/**
 * Carries out an order, or finds it carried out: whoever comes first decides, and all get the first one's line.
 * @throws DomainError `parameter_invalid` for an unknown payment method or authorization, `idempotency_mismatch` when
 *   the key stands for another order, and what the journal throws
 */
export async function answerOrder(deps: OrderDependencies, order: JournalOrder): Promise<JournalLine> {
  const result = order.kind === "authorize" ? authorization(order) : await followUp(deps, order);
  const line = await deps.journal.record({ ...order, result, createdAtMs: deps.clock.now() });
  if (!isSameOrder(line, order))
    throw refuse("idempotency_mismatch", "This key was first used for another order.", { param: "key" });
  deps.log("INFO", "order answered", {
    kind: order.kind,
    key: order.key,
    result: line.result.kind,
    currency: order.currency,
    amountMinor: String(order.amountMinor),
  });
  return line;
}

/** The test acquirer without HTTP between, for what runs in one process with it. */
export function networkOver(deps: OrderDependencies): Acquirer {
  const about = (kind: JournalOrder["kind"]) => async (order: FollowUpOrder) =>
    (await answerOrder(deps, { ...order, kind, paymentMethodToken: null, captureLater: false })).result;
  return {
    authorize: async (order) => (await answerOrder(deps, { ...order, kind: "authorize", reference: null })).result,
    capture: about("capture"),
    void: about("void"),
    refund: about("refund"),
  };
}

/** What an order needs. */
export interface OrderDependencies {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
  readonly log: Log;
}

function authorization(order: JournalOrder): AcquirerResult {
  const method = order.paymentMethodToken === null ? undefined : testPaymentMethod(order.paymentMethodToken);
  if (method === undefined)
    throw refuse("parameter_invalid", "No such test payment method.", { param: "payment_method" });
  // The reference names its journal line, so that a later order about it finds the authorization.
  if (method.failure === null) return { kind: "approved", reference: `${referencePrefix}${order.key}` };
  return { kind: "declined", failure: method.failure };
}

/** A capture, void or refund of an authorization that stands; refunds of one test card fail (contract section 5.4). */
async function followUp(deps: OrderDependencies, order: JournalOrder): Promise<AcquirerResult> {
  const authorized = await deps.journal.read((order.reference ?? "").slice(referencePrefix.length));
  if (authorized === undefined || authorized.kind !== "authorize" || authorized.result.kind !== "approved") {
    throw refuse("parameter_invalid", "No such authorization.", { param: "reference" });
  }
  if (order.kind === "refund" && testPaymentMethod(authorized.paymentMethodToken ?? "")?.refundFails === true) {
    const failure = { code: "refund_failed", declineCode: null, message: "The bank could not take the refund." };
    return { kind: "declined", failure };
  }
  return { kind: "approved", reference: `${order.kind}_${order.key}` };
}

const referencePrefix = "auth_";

function isSameOrder(line: JournalLine, order: JournalOrder): boolean {
  return orderMembers.every((member) => line[member] === order[member]);
}

const orderMembers = ["kind", "amountMinor", "currency", "paymentMethodToken", "reference", "captureLater"] as const;
