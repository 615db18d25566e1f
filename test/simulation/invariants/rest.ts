// Invariants about rest: nothing is under way any more, and the system's own judges agree.
// It must never wait for anything: whoever asks has let time run long enough.
import type { Aftermath } from "../aftermath.ts";

/** The daily verification. */
export function ledgerVerifies({ judged }: Aftermath): string[] {
  const found = judged.get("/verify");
  return found !== undefined && found["fault"] === null ? [] : [JSON.stringify(found)];
}

/** The daily reconciliation; a break that was opened under way has to be closed again by the last run. */
export function reconciles({ judged }: Aftermath): string[] {
  const found = judged.get("/reconcile");
  return found !== undefined && found["open"] === 0 ? [] : [JSON.stringify(found)];
}

/** Attempts, slots of payments, keys. */
export function nothingStaysOpen({ stores: { tables } }: Pick<Aftermath, "stores">): string[] {
  const open: ReadonlySet<string> = new Set(["open", "voiding", "pending", "challenged"]);
  const attempts = tables.rows("attempts").filter(({ state }) => open.has(state));
  const locked = tables.rows("payment_intents").filter(({ activeAttemptId }) => activeAttemptId !== null);
  const undecided = tables.rows("idempotency_keys").filter(({ outcome }) => outcome === null);
  return [
    ...attempts.map(({ id, kind, state }) => `${kind} ${id} is ${state}`),
    ...locked.map(({ id }) => `${id} is locked`),
    ...undecided.map(({ idempotencyKey }) => `key ${idempotencyKey} has no outcome`),
  ];
}

/** The relay has had days for it. */
export function outboxIsEmpty({ stores }: Aftermath): string[] {
  return stores.tables.rows("outbox").map(({ eventId }) => `${eventId} waits in the outbox`);
}

/** Whatever goes wrong outside is answered by its own status; 500 is a bug. */
export function nothingBreaks({ broken }: Aftermath): readonly string[] {
  return broken;
}
