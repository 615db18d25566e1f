/**
 * Actions of operators in Spanner.
 * It must never move an action that is not in the state it is moved from, nor lose a word of who said what.
 */
import { type Database, Spanner } from "@google-cloud/spanner";
import { refuse } from "../domain/errors.ts";
import type { OperatorAction } from "../domain/operator-action.ts";
import type { OperatorStore } from "../flows/operator-ports.ts";
import { type FoundColumns, reader, type SentColumns, sendTime } from "./spanner-columns.ts";
import { insertBlindly } from "./spanner-insert.ts";
import { query } from "./spanner-query.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The actions of an open database (see `openSpanner`). */
export function spannerOperators(deps: { readonly database: Database }): OperatorStore {
  const { database } = deps;
  return {
    add: async (action) => {
      const row = { ...sendAction(action), committed_at: Spanner.COMMIT_TIMESTAMP };
      const inserted = await insertBlindly({ database, tag: "propose-action" }, (target) =>
        target.insert("operator_actions", row),
      );
      if (inserted === "inserted") return;
      // Perhaps our own, its reply lost.
      const [standing] = await select(database, "a.action_id = @value", action.id, 1);
      if (standing?.reason !== action.reason) throw refuse("internal", `Action ${action.id} exists.`);
    },
    read: async (id) => (await select(database, "a.action_id = @value", id, 1))[0],
    about: (attemptId, limit) =>
      select(database, "a.attempt_id = @value ORDER BY a.proposed_at DESC, a.action_id", attemptId, limit),
    confirmed: (limit) => select(database, "a.state = @value ORDER BY a.confirmed_at, a.action_id", "confirmed", limit),
    advance: (action, from) => advance(database, action, from),
  };
}

async function advance(
  database: Database,
  action: OperatorAction,
  from: OperatorAction["state"],
): Promise<"advanced" | "lost"> {
  return await inTransaction({ database, tag: "advance-action" }, async (open) => {
    const sql = "SELECT a.state FROM operator_actions a WHERE a.action_id = @id";
    const [row] = await open.query({ sql, params: { id: action.id }, types: { id: "string" } });
    if (row === undefined || reader(row).text("state") !== from) return "lost";
    open.update("operator_actions", { ...sendAction(action), committed_at: Spanner.COMMIT_TIMESTAMP });
    return "advanced";
  });
}

async function select(
  database: Database,
  condition: string,
  value: string,
  limit: number,
): Promise<readonly OperatorAction[]> {
  const sql = `SELECT a.* FROM operator_actions a WHERE ${condition} LIMIT ${Math.trunc(limit)}`;
  return (await query(database, "operator-actions", { sql, params: { value }, types: { value: "string" } })).map(
    readAction,
  );
}

function sendAction(action: OperatorAction): SentColumns {
  return {
    action_id: action.id,
    attempt_id: action.attemptId,
    verdict: action.verdict,
    reference: action.reference,
    reason: action.reason,
    state: action.state,
    proposed_by: action.proposedBy,
    proposed_at: sendTime(action.proposedAtMs),
    confirmed_by: action.confirmedBy,
    confirmed_at: sendTime(action.confirmedAtMs),
    result: action.result,
    ended_at: sendTime(action.endedAtMs),
  };
}

function readAction(columns: FoundColumns): OperatorAction {
  const read = reader(columns);
  return {
    id: read.text("action_id"),
    attemptId: read.text("attempt_id"),
    verdict: read.text("verdict"),
    reference: read.textOrNull("reference"),
    reason: read.text("reason"),
    state: read.text("state"),
    proposedBy: read.text("proposed_by"),
    proposedAtMs: read.time("proposed_at"),
    confirmedBy: read.textOrNull("confirmed_by"),
    confirmedAtMs: read.timeOrNull("confirmed_at"),
    result: read.textOrNull("result"),
    endedAtMs: read.timeOrNull("ended_at"),
  };
}
