/**
 * What the test acquirer does with an order: decide, write one line under its key, answer with the line that stands.
 * It must never answer one key for two different orders, and never write a second line for a key.
 */
import { refuse } from "../domain/errors.ts";
import { testPaymentMethod } from "../domain/payment-methods.ts";
import type { AcquirerJournal, AuthorizeOrder, Clock, JournalLine, Log, Random } from "./ports.ts";

/**
 * Authorizes an order, or finds it authorized: whoever comes first decides, and all get the first one's line.
 * @throws DomainError `parameter_invalid` for an unknown payment method, `idempotency_mismatch` when the key stands for
 *   another order, and what the journal throws
 */
export async function authorizePayment(deps: AuthorizeDependencies, order: AuthorizeOrder): Promise<JournalLine> {
  const method = testPaymentMethod(order.paymentMethodToken);
  if (method === undefined)
    throw refuse("parameter_invalid", "No such test payment method.", { param: "payment_method" });
  const { key, amountMinor, currency, paymentMethodToken } = order;
  const line = await deps.journal.record({
    key,
    amountMinor,
    currency,
    paymentMethodToken,
    result:
      method.failure === null
        ? { kind: "approved", reference: deps.random.id("auth") }
        : { kind: "declined", failure: method.failure },
    createdAtMs: deps.clock.now(),
  });
  if (!isSameOrder(line, order))
    throw refuse("idempotency_mismatch", "This key was first used for another order.", { param: "key" });
  deps.log("INFO", "authorization answered", {
    key,
    result: line.result.kind,
    currency,
    amountMinor: String(amountMinor),
  });
  return line;
}

/** What an authorization needs. */
export interface AuthorizeDependencies {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

function isSameOrder(line: AuthorizeOrder, order: AuthorizeOrder): boolean {
  return (
    line.amountMinor === order.amountMinor &&
    line.currency === order.currency &&
    line.paymentMethodToken === order.paymentMethodToken
  );
}
