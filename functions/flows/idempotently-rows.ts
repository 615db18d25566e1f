/**
 * A decision of the state machine as the rows that one transaction writes: intent, attempt, charge, booking, events.
 * It never decides, and never makes an id: those are given, because a transaction's body may run again.
 */
import type { Changed } from "../domain/changed.ts";
import type { EventDraft } from "../domain/events.ts";
import type { Change } from "../domain/rows.ts";
import type { PaymentView, Renderer } from "./ports.ts";

/** Rows of a decision, but its events: `intent` and `charge` say whether these are new. */
export function rowsOf(decision: Changed, intent: "insert" | "update", charge: "insert" | "update"): readonly Change[] {
  const rows: Change[] = [{ op: intent, table: "payment_intents", row: decision.intent }];
  if (decision.attempt !== undefined) {
    // An open attempt is the intention, written for the first time; a closed one is its end.
    rows.push({
      op: decision.attempt.state === "open" ? "insert" : "update",
      table: "attempts",
      row: decision.attempt,
    });
  }
  if (decision.superseded !== undefined) rows.push({ op: "update", table: "attempts", row: decision.superseded });
  if (decision.charge) rows.push({ op: charge, table: "charges", row: decision.charge });
  if (decision.booking !== undefined) rows.push({ op: "insert", table: "ledger_transactions", row: decision.booking });
  return rows;
}

/** Events and their outbox rows, with their bytes frozen now. */
export function eventRows(
  drafts: readonly EventDraft[],
  view: PaymentView,
  cause: Cause,
  eventIds: EventIds,
  nowMs: number,
  renderer: Renderer,
): readonly Change[] {
  return drafts.flatMap((draft, index): Change[] => {
    const id = eventIds[index];
    const about = subjectOf(draft, view);
    if (id === undefined || !about) throw new Error(`Event ${draft.type} has no id or no object.`);
    const event = {
      id,
      accountId: about.accountId,
      type: draft.type,
      objectId: about.id,
      objectVersion: about.version,
      createdAtMs: nowMs,
      ...cause,
      data: renderer.eventData(draft, view),
    };
    return [
      { op: "insert", table: "events", row: event },
      { op: "insert", table: "outbox", row: { eventId: id, createdAtMs: nowMs, leaseUntilMs: null } },
    ];
  });
}

function subjectOf(draft: EventDraft, view: PaymentView) {
  if (draft.about === "refund") return view.refund;
  return draft.about === "charge" ? view.charge : view.intent;
}

/** The request that caused a change (contract section 3.1, event link). */
export interface Cause {
  readonly requestId: string;
  readonly idempotencyKey: string | null;
}

/** Ids for as many events as a decision can have, made before the transaction. */
export type EventIds = readonly string[];
