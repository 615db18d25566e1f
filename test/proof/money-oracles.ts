// Judges of a world's money: what must be true of its rows at every moment, and of the acquirer's journal beside them.
// It must never ask the code under test: sums are made here, from the rows and from the journal.
import type { Charge } from "../../functions/domain/charge.ts";
import type { LedgerEntry, LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { JournalLine } from "../../functions/flows/acquirer-ports.ts";
import { lookUpOrder } from "../../functions/flows/look-up-order.ts";
import type { World } from "../support/world.ts";

/** What is wrong with the money now, one line each. */
export async function moneyProblems(world: World): Promise<string[]> {
  const journal = await ordersNow(world);
  return [
    ...bookProblems(world),
    ...chargeProblems(world),
    ...attemptProblems(world, journal),
    ...networkProblems(journal),
  ];
}

/** What is wrong once nothing is under way any more: nothing may be open, and the books must equal the network's. */
export async function restProblems(world: World): Promise<string[]> {
  const open = world.ledger.rows("attempts").filter(({ state }) => state === "open" || state === "voiding");
  // What the acquirer or the buyer ends later is nobody's work now.
  const pending = world.ledger
    .rows("refunds")
    .filter((each) => each.status === "pending" && each.acceptedAtMs === null);
  const slots = world.ledger.rows("payment_intents").filter(({ activeAttemptId }) => activeAttemptId !== null);
  const undecided = world.ledger.rows("idempotency_keys").filter(({ outcome }) => outcome === null);
  const [booked, moved] = [owedBalance(world), networkBalance(await ordersNow(world))];
  return [
    ...[...open, ...pending, ...slots].map(({ id }) => `${id} is still under way`),
    ...undecided.map(({ idempotencyKey }) => `key ${idempotencyKey} has no outcome`),
    ...(booked === moved ? [] : [`the books hold ${booked}, the network moved ${moved}`]),
    ...(await moneyProblems(world)),
  ];
}

/** The orders at the network with their results as they stand now; those that were let go have no effect. */
async function ordersNow(world: World): Promise<readonly NetworkOrder[]> {
  const lines = (await world.journal.list(1_000)).filter(
    ({ kind, key }) => isOrder(kind) && !key.endsWith("_late_void"),
  );
  const looked = lines.map(async (line): Promise<NetworkOrder> => {
    const found = await lookUpOrder(world, line.key);
    return found.kind === "found"
      ? { ...line, result: found.result, isVoided: found.isVoided }
      : { ...line, isVoided: false };
  });
  return await Promise.all(looked);
}

type NetworkOrder = JournalLine & { readonly isVoided: boolean };

function isOrder(kind: JournalLine["kind"]): boolean {
  return kind === "authorize" || kind === "capture" || kind === "void" || kind === "refund";
}

/** What the merchant is owed and what we kept of it, by the books: together it is what the network moved. */
function owedBalance(world: World): bigint {
  return sum(
    world.ledger
      .rows("ledger_transactions")
      .flatMap(({ entries }) => [creditedMinor(entries, "merchant_payable"), creditedMinor(entries, "platform_fees")]),
  );
}

function creditedMinor(entries: readonly LedgerEntry[], account: LedgerEntry["ledgerAccount"]): bigint {
  const own = entries.filter(({ ledgerAccount }) => ledgerAccount === account);
  return sum(own.map(({ direction, amountMinor }) => (direction === "credit" ? amountMinor : -amountMinor)));
}

/** What is owed for the buyers' money, by what the network did: taken at once or by capture, less what was given back. */
function networkBalance(journal: readonly NetworkOrder[]): bigint {
  const done = journal.filter(({ result, isVoided }) => result.kind === "approved" && !isVoided);
  const taken = done.filter(({ kind, captureLater }) => kind === "capture" || (kind === "authorize" && !captureLater));
  // A refund counts from the moment that the network accepted it.
  const returned = journal.filter(({ kind, result }) => kind === "refund" && result.kind !== "declined");
  return sum(taken.map(({ amountMinor }) => amountMinor)) - sum(returned.map(({ amountMinor }) => amountMinor));
}

function bookProblems(world: World): string[] {
  const transactions = world.ledger.rows("ledger_transactions");
  const tilted = transactions.filter(({ entries }) => {
    const signed = entries.map(({ direction, amountMinor }) => (direction === "debit" ? amountMinor : -amountMinor));
    return sum(signed) !== 0n || entries.some(({ amountMinor }) => amountMinor <= 0n);
  });
  const charges = world.ledger.rows("charges");
  const accepted = world.ledger
    .rows("refunds")
    .filter(({ status, acceptedAtMs }) => status === "pending" && acceptedAtMs !== null);
  const expected =
    sum(charges.map(({ capturedMinor, refundedMinor }) => capturedMinor - refundedMinor)) -
    sum(accepted.map(({ amountMinor }) => amountMinor));
  const balance = owedBalance(world);
  return [
    ...transactions.flatMap(feeProblems),
    ...tilted.map(({ kind, sourceId }) => `booking ${kind} ${sourceId} is out of balance`),
    ...(balance === expected ? [] : [`the balance is ${balance}, captured less given back is ${expected}`]),
  ];
}

/** The fee is 2.9 % and 30 cents of what was taken, half a cent rounded up, never more than all of it, and of charges only. */
function feeProblems({ kind, sourceId, currency, entries, payableMinor, feeMinor }: LedgerTransaction): string[] {
  const takenMinor = kind === "charge" ? -creditedMinor(entries, "acquirer_receivable") : 0n;
  const full = (takenMinor * 29n + 500n) / 1_000n + (currency === "usd" ? 30n : 0n);
  const fee = full < takenMinor ? full : takenMinor;
  const isRight =
    creditedMinor(entries, "platform_fees") === fee &&
    feeMinor === fee &&
    creditedMinor(entries, "merchant_payable") === payableMinor;
  return isRight ? [] : [`booking ${kind} ${sourceId} does not take the fee of ${fee}`];
}

function chargeProblems(world: World): string[] {
  const refunds = world.ledger.rows("refunds");
  const amountOf = (charge: Charge, status: "pending" | "succeeded") =>
    sum(
      refunds.filter((each) => each.chargeId === charge.id && each.status === status).map((each) => each.amountMinor),
    );
  return world.ledger.rows("charges").flatMap((charge) => {
    const { id, amountMinor, capturedMinor, refundedMinor, refundReservedMinor } = charge;
    const wrong: string[] = [];
    if (capturedMinor > amountMinor) wrong.push(`${id} took ${capturedMinor} of ${amountMinor}`);
    if (refundedMinor + refundReservedMinor > capturedMinor) wrong.push(`${id} gives back more than ${capturedMinor}`);
    if (refundedMinor !== amountOf(charge, "succeeded")) wrong.push(`${id} does not count its refunds`);
    if (refundReservedMinor !== amountOf(charge, "pending")) wrong.push(`${id} does not count what it reserved`);
    const intent = world.ledger.rows("payment_intents").find((each) => each.latestChargeId === id);
    if (capturedMinor !== (intent?.amountReceivedMinor ?? 0n))
      wrong.push(`${id} and its intent took different amounts`);
    return wrong;
  });
}

/** One effect for each attempt that ended, none that no attempt intended, and one event for each end. */
function attemptProblems(world: World, journal: readonly NetworkOrder[]): string[] {
  const attempts = world.ledger.rows("attempts");
  const lineOf = new Map(journal.map((line) => [line.key, line]));
  const unintended = journal.filter(({ key }) => !attempts.some(({ id }) => id === key));
  const mismatched = attempts.filter(({ id, kind, state, amountMinor }) => {
    const line = lineOf.get(id);
    if (line === undefined) return !["open", "voiding", "voided"].includes(state);
    return line.kind !== kind || line.amountMinor !== amountMinor || !statesOf(line).includes(state);
  });
  const ends = world.ledger.rows("events").map(({ type, objectId }) => `${type} ${objectId}`);
  const onceOnly = ends.filter((end) => !end.startsWith("refund.updated") && !end.startsWith("charge.refunded"));
  const told = new Set(onceOnly.filter((end) => !end.startsWith("payment_intent.payment_failed")));
  const repeats = onceOnly.filter((end) => !end.startsWith("payment_intent.payment_failed")).length - told.size;
  return [
    ...unintended.map(({ key }) => `the network was asked for ${key}, which nobody intended`),
    ...mismatched.map(({ id }) => `attempt ${id} and its effect differ`),
    ...(repeats === 0 ? [] : [`${repeats} events were told twice`]),
    ...intentProblems(world, journal),
  ];
}

/** States in which an attempt may be whose order stands so at the network; the ledger may be a step behind. */
function statesOf({ result, isVoided }: NetworkOrder): readonly string[] {
  if (isVoided) return ["voiding", "voided"];
  switch (result.kind) {
    case "approved":
      return ["open", "pending", "succeeded"];
    case "declined":
      return ["open", "pending", "voiding", "declined", "voided"];
    case "pending":
      return ["open", "pending"];
    case "challenge":
      return [
        "open",
        "challenged",
        "superseded",
        ...(result.outcome === "refused" ? ["declined"] : []),
        ...(result.outcome === "passed" ? ["authenticated"] : []),
      ];
  }
}

/** An intent is paid by one authorization at most. */
function intentProblems(world: World, journal: readonly NetworkOrder[]): string[] {
  const approved = new Set(
    journal.filter(({ result, isVoided }) => result.kind === "approved" && !isVoided).map(({ key }) => key),
  );
  return world.ledger.rows("payment_intents").flatMap(({ id }) => {
    const own = world.ledger.rows("attempts").filter(({ intentId, kind }) => intentId === id && kind === "authorize");
    const count = own.filter((attempt) => approved.has(attempt.id)).length;
    return count > 1 ? [`${id} was authorized ${count} times`] : [];
  });
}

/** What a bank would complain about: captured twice, captured and voided, given back more than was taken. */
function networkProblems(journal: readonly NetworkOrder[]): string[] {
  const done = journal.filter(({ result }) => result.kind === "approved");
  return done
    .filter(({ kind }) => kind === "authorize")
    .flatMap((authorization) => {
      const reference = authorization.result.kind === "approved" ? authorization.result.reference : "";
      const about = (kind: JournalLine["kind"]) =>
        done.filter((line) => line.kind === kind && line.reference === reference);
      const captures = about("capture");
      const taken = authorization.captureLater
        ? sum(captures.map(({ amountMinor }) => amountMinor))
        : authorization.amountMinor;
      const returned = sum(about("refund").map(({ amountMinor }) => amountMinor));
      const wrong: string[] = [];
      if (captures.length + about("void").length > 1) wrong.push(`${reference} was captured or voided more than once`);
      if (taken > authorization.amountMinor) wrong.push(`${reference} gave ${taken} of ${authorization.amountMinor}`);
      if (returned > taken) wrong.push(`${reference} gave back ${returned} of ${taken}`);
      return wrong;
    });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
