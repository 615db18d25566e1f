/**
 * What the test acquirer does with an order: decide, write one line under its key, answer with the line that stands.
 * It must never answer one key for two different orders, and never write a second line for a key.
 */
import type { AcquirerResult } from "../domain/attempt.ts";
import { refuse } from "../domain/errors.ts";
import {
  authenticationRequired,
  type TestPaymentMethod,
  testPaymentMethod,
  testSettlementMs,
} from "../domain/payment-methods.ts";
import { authorizationPrefix, besideKey, challengePrefix } from "../domain/test-network.ts";
import type { AcquirerJournal, JournalLine, JournalOrder } from "./acquirer-ports.ts";
import type { Clock, Log } from "./ports.ts";

/**
 * Carries out an order, or finds it carried out: whoever comes first decides, and all get the first one's line.
 * @throws DomainError `parameter_invalid` for an unknown payment method or authorization, `idempotency_mismatch` when
 *   the key stands for another order, `acquirer_unknown` when its payment method makes the network fail, and what the
 *   journal throws
 */
export async function answerOrder(deps: OrderDependencies, order: JournalOrder): Promise<JournalLine> {
  const { method, reference } = await subjectOf(deps, order);
  const isAnswerLost = await passFault(deps, method, order);
  const result = await resultOf(deps, method, order, reference);
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
  if (isAnswerLost)
    throw refuse("acquirer_unknown", "The answer to this order got lost, as its payment method wants it.");
  return line;
}

/** What an order needs. */
export interface OrderDependencies {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
  readonly log: Log;
  /** Origin under which buyers reach the acquirer's pages, without a trailing slash. */
  readonly baseUrl: string;
}

/** The payment method that an order is about; a follow-up must be about an authorization that stands. */
async function subjectOf(
  deps: OrderDependencies,
  order: JournalOrder,
): Promise<{ readonly method: TestPaymentMethod; readonly reference: string | null }> {
  if (order.kind === "authorize") return { method: methodOf(order), reference: null };
  const authorized = await deps.journal.read((order.reference ?? "").slice(authorizationPrefix.length));
  const stands = authorized?.kind === "authorize" && ["approved", "pending"].includes(authorized.result.kind);
  if (!stands) throw refuse("parameter_invalid", "No such authorization.", { param: "reference" });
  return { method: methodOf(authorized), reference: order.reference };
}

function methodOf({ paymentMethodToken }: JournalOrder): TestPaymentMethod {
  const method = paymentMethodToken === null ? undefined : testPaymentMethod(paymentMethodToken);
  if (method === undefined)
    throw refuse("parameter_invalid", "No such test payment method.", { param: "payment_method" });
  return method;
}

/**
 * Misbehaves as the payment method wants it.
 * @returns true when the answer is to get lost, because this is the first call under the key
 */
async function passFault(deps: OrderDependencies, { fault }: TestPaymentMethod, order: JournalOrder): Promise<boolean> {
  if (fault === undefined || (fault.orders === "authorize") !== (order.kind === "authorize")) return false;
  if (fault.kind === "slow") {
    await deps.clock.sleep(fault.forMs);
    return false;
  }
  if (fault.kind !== "unknown") return (await deps.journal.read(order.key)) === undefined;
  const nowMs = deps.clock.now();
  const result = { kind: "approved", reference: order.key } as const;
  const sight = {
    ...order,
    kind: "first_sight",
    key: besideKey.firstSight(order.key),
    result,
    createdAtMs: nowMs,
  } as const;
  const first = await deps.journal.record(sight);
  if (nowMs < first.createdAtMs + fault.forMs) throw refuse("acquirer_unknown", "The network does not know yet.");
  return false;
}

async function resultOf(
  deps: OrderDependencies,
  method: TestPaymentMethod,
  order: JournalOrder,
  reference: string | null,
): Promise<AcquirerResult> {
  if (reference !== null) return followUp(deps, method, order);
  if ((await deps.journal.read(besideKey.keyVoid(order.key))) !== undefined) {
    return { kind: "declined", failure: voidedByKey };
  }
  if (order.authentication !== null) await requirePassed(deps, order.authentication);
  else if (method.challenge !== undefined) {
    if (order.challengeReturnUrl !== null) return challenge(deps, order);
    if (method.challenge === "always") return { kind: "declined", failure: authenticationRequired };
  }
  // The reference names its journal line, so that a later order about it finds the authorization.
  const own = `${authorizationPrefix}${order.key}`;
  if (method.settlesAfterMs !== undefined)
    return { kind: "pending", reference: own, settlesAtMs: deps.clock.now() + method.settlesAfterMs };
  if (method.failure !== null) return { kind: "declined", failure: method.failure };
  return { kind: "approved", reference: own };
}

function challenge(deps: OrderDependencies, { key }: JournalOrder): AcquirerResult {
  const pageUrl = `${deps.baseUrl}/challenges/${key}`;
  return { kind: "challenge", reference: `${challengePrefix}${key}`, pageUrl, outcome: "waiting" };
}

/** An authentication that nobody gave is not one. */
async function requirePassed(deps: OrderDependencies, authentication: string): Promise<void> {
  const answer = await deps.journal.read(besideKey.challengeAnswer(authentication.slice(challengePrefix.length)));
  if (answer?.result.kind !== "approved")
    throw refuse("parameter_invalid", "No such authentication.", { param: "authentication" });
}

/** A capture, void or refund; refunds of two test cards settle or fail later (contract section 5.4). */
function followUp(deps: OrderDependencies, method: TestPaymentMethod, order: JournalOrder): AcquirerResult {
  const reference = `${order.kind}_${order.key}`;
  if (order.kind !== "refund" || method.refund === undefined) return { kind: "approved", reference };
  // How it ends, `look-up-order.ts` says once the time has come.
  return { kind: "pending", reference, settlesAtMs: deps.clock.now() + testSettlementMs };
}

/** Of an order that arrives after its key was voided. */
const voidedByKey = {
  code: "processing_error",
  declineCode: null,
  message: "This order was voided before it arrived.",
};

function isSameOrder(line: JournalLine, order: JournalOrder): boolean {
  return orderMembers.every((member) => line[member] === order[member]);
}

const orderMembers = [
  "kind",
  "amountMinor",
  "currency",
  "paymentMethodToken",
  "reference",
  "captureLater",
  "challengeReturnUrl",
  "authentication",
] as const;
