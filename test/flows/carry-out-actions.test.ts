// What two persons said is carried out once: through the flow of all answers, after one more look at the acquirer.
// It must never repeat what may be said: test/domain/operator-action.test.ts has every case.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import type { AcquirerResult, Attempt } from "../../functions/domain/attempt.ts";
import { refuse } from "../../functions/domain/errors.ts";
import type { OperatorAction } from "../../functions/domain/operator-action.ts";
import type { Lookup } from "../../functions/flows/acquirer-ports.ts";
import { carryOutActions } from "../../functions/flows/carry-out-actions.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { attemptRow, insertOf } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

const nowMs = Date.UTC(2026, 0, 16, 12);

/** One open attempt and one confirmed action about it; the commit closes the attempt as the flow of all answers does. */
async function openDesk(changes: Partial<OperatorAction> = {}, found: Lookup = { kind: "none" }) {
  const [ledger, operators] = [memoryLedger(), memoryOperators()];
  await ledger.insert("given", [insertOf("attempts", attemptRow({ id: "att_stuck" }))]);
  const action: OperatorAction = { ...confirmedAction, ...changes };
  await operators.add(action);
  const committed: (readonly [string, AcquirerResult, string])[] = [];
  const voided: string[] = [];
  const logged: Parameters<Log>[] = [];
  const close = async (attempt: Attempt, result: AcquirerResult) => {
    const state = result.kind === "approved" ? "succeeded" : "declined";
    await ledger.transact("close", async (scope) =>
      scope.write([{ op: "update", table: "attempts", row: { ...attempt, state, closedAtMs: nowMs } }]),
    );
  };
  const deps = {
    ledger,
    operators,
    clock: manualClock(nowMs),
    log: (...line: Parameters<Log>) => void logged.push(line),
    acquirer: { lookup: async () => found, voidKey: async ({ key }: { key: string }) => void voided.push(key) },
    commit: async (attempt: Attempt, result: AcquirerResult, sealedBy: "client" | "completer") => {
      committed.push([attempt.id, result, sealedBy]);
      await close(attempt, result);
      return { row: null, won: true };
    },
  };
  const read = async () => await operators.read(action.id);
  return { deps, action, committed, voided, logged, read, close, run: () => carryOutActions(deps) };
}

const confirmedAction: OperatorAction = {
  id: "op_1",
  attemptId: "att_stuck",
  verdict: "happened",
  reference: "auth_1",
  reason: "ticket 4711 of the acquirer's support",
  state: "confirmed",
  proposedBy: "ada",
  proposedAtMs: nowMs - 2,
  confirmedBy: "bob",
  confirmedAtMs: nowMs - 1,
  result: null,
  endedAtMs: null,
};

describe("carrying out", () => {
  test("commits what happened as the acquirer's answer, once, and says who decided it", async () => {
    const { action, committed, voided, logged, read, run } = await openDesk();

    expect(await run()).toEqual({ done: 1, refused: 0, left: 0 });
    expect(await run()).toEqual({ done: 0, refused: 0, left: 0 });

    expect(committed).toEqual([["att_stuck", { kind: "approved", reference: "auth_1" }, "completer"]]);
    expect(voided).toEqual([]);
    expect(await read()).toEqual({ ...action, state: "done", result: "the attempt is succeeded", endedAtMs: nowMs });
    const said = {
      actionId: "op_1",
      attemptId: "att_stuck",
      verdict: "happened",
      proposedBy: "ada",
      confirmedBy: "bob",
    };
    expect(logged).toEqual([["WARNING", "operator action carried out", said]]);
  });

  test("voids the key of what did not happen before it is declined, so that it cannot happen after all", async () => {
    const { committed, voided, read, run } = await openDesk({ verdict: "not_happened", reference: null });

    expect(await run()).toEqual({ done: 1, refused: 0, left: 0 });

    expect([voided, committed.map(([, { kind }]) => kind)]).toEqual([["att_stuck"], ["declined"]]);
    expect(await read()).toMatchObject({ state: "done", result: "the attempt is declined" });
  });

  test("refuses against the acquirer's word, and says why in the row and in the log", async () => {
    const approved = { kind: "approved", reference: "auth_9" } as const;
    const { committed, logged, read, run } = await openDesk(
      { verdict: "not_happened", reference: null },
      { kind: "found", result: approved, isVoided: false },
    );

    expect(await run()).toEqual({ done: 0, refused: 1, left: 0 });

    const reason = "the acquirer says that it happened, as auth_9";
    expect(await read()).toMatchObject({ state: "refused", result: reason, endedAtMs: nowMs });
    expect(logged).toEqual([
      ["WARNING", "operator action refused", { actionId: "op_1", attemptId: "att_stuck", reason }],
    ]);
    expect(committed).toEqual([]);
  });

  test("asks again later while the acquirer is at work, or does not answer", async () => {
    const running = await openDesk({}, { kind: "running" });
    expect(await running.run()).toEqual({ done: 0, refused: 0, left: 1 });

    const { deps, read, logged } = await openDesk();
    const deaf = {
      ...deps,
      acquirer: { ...deps.acquirer, lookup: () => Promise.reject(refuse("acquirer_unknown", "no answer")) },
    };
    expect(await carryOutActions(deaf)).toEqual({ done: 0, refused: 0, left: 1 });
    expect(await read()).toMatchObject({ state: "confirmed" });
    expect(logged).toEqual([
      ["WARNING", "operator action stays", { actionId: "op_1", attemptId: "att_stuck", reason: "no answer" }],
    ]);
    expect(await carryOutActions(deps)).toEqual({ done: 1, refused: 0, left: 0 });
  });

  test("finishes what a run began that died after its commit", async () => {
    const { deps, committed, read, run } = await openDesk();
    const dying = {
      ...deps,
      operators: { ...deps.operators, advance: () => Promise.reject(new Error("the process died")) },
    };
    expect(await carryOutActions(dying)).toEqual({ done: 0, refused: 0, left: 1 });

    expect(await run()).toEqual({ done: 1, refused: 0, left: 0 });
    expect(committed).toHaveLength(1);
    expect(await read()).toMatchObject({ state: "done", result: "the attempt is succeeded" });
  });

  test("does not call done what another hand ended otherwise meanwhile", async () => {
    const { deps, close, read, run } = await openDesk();
    const failure = { code: "card_declined", declineCode: null, message: "Your card was declined." };
    const beaten = {
      ...deps,
      commit: async (attempt: Attempt) => {
        await close(attempt, { kind: "declined", failure });
        return { row: null, won: false };
      },
    };
    expect(await carryOutActions(beaten)).toEqual({ done: 0, refused: 0, left: 1 });
    expect(await run()).toEqual({ done: 0, refused: 1, left: 0 });
    expect(await read()).toMatchObject({ state: "refused", result: "the attempt is declined already" });
  });
});
