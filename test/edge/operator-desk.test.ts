// The operator's desk: dry unless told to run, two persons for one action, and a clear word for everything that is wrong.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { type DeskRequest, operatorDesk } from "../../functions/edge/operator-desk.ts";
import { atMs, attemptRow, insertOf } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

const quarter = 15 * 60 * 1000;

async function openDesk() {
  const [ledger, operators] = [memoryLedger(), memoryOperators()];
  const attempts = [
    attemptRow({ id: "att_stuck", createdAtMs: atMs - quarter - 1 }),
    attemptRow({ id: "att_young", createdAtMs: atMs - quarter }),
    attemptRow({ id: "att_over", createdAtMs: atMs - quarter - 1, state: "succeeded", closedAtMs: atMs }),
  ];
  await ledger.insert(
    "given",
    attempts.map((attempt) => insertOf("attempts", attempt)),
  );
  const deps = { ledger, operators, clock: manualClock(atMs), random: systemRandom };
  return { operators, ask: (request: DeskRequest) => operatorDesk(deps, request) };
}

const proposal: DeskRequest = {
  verb: "propose",
  attempt: "att_stuck",
  verdict: "happened",
  reference: "auth_1",
  reason: "ticket 4711 of the acquirer's support",
  by: "ada",
};

describe("the operator's desk", () => {
  test("lists the attempts that are open for longer than they are driven", async () => {
    const { ask } = await openDesk();
    const { attempts } = await ask({ verb: "list" });
    expect(attempts?.map(({ id, amountMinor }) => [id, amountMinor])).toEqual([["att_stuck", "2000"]]);
  });

  test("writes nothing unless it is told to run", async () => {
    const { operators, ask } = await openDesk();
    const { actions } = await ask(proposal);
    expect(actions).toMatchObject([
      { attemptId: "att_stuck", state: "proposed", proposedBy: "ada", proposedAtMs: atMs },
    ]);
    expect(await operators.about("att_stuck", 10)).toEqual([]);

    const written = await ask({ ...proposal, run: true });
    const action = written.actions?.[0]?.id ?? "";
    expect((await ask({ verb: "confirm", action, by: "bob" })).actions).toMatchObject([{ state: "confirmed" }]);
    expect(await operators.read(action)).toMatchObject({ state: "proposed", confirmedBy: null });
  });

  test("takes a proposal of one person and the confirmation of another, and shows both", async () => {
    const { operators, ask } = await openDesk();
    const { actions } = await ask({ ...proposal, run: true });
    const action = actions?.[0]?.id ?? "";

    const own = await ask({ verb: "confirm", action, by: "Ada", run: true });
    expect(own.refused).toBe("A second person must confirm: this one proposed it.");
    expect(await operators.confirmed(10)).toEqual([]);
    await ask({ verb: "confirm", action, by: "bob", run: true });

    const shown = await ask({ verb: "show", attempt: "att_stuck" });
    expect(shown.attempts).toMatchObject([{ id: "att_stuck", amountMinor: "2000" }]);
    expect(shown.actions).toMatchObject([{ id: action, state: "confirmed", confirmedBy: "bob", confirmedAtMs: atMs }]);
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect((await ask({ verb: "confirm", action, by: "eve", run: true })).refused).toMatch(
      "is confirmed and cannot be",
    );
  });

  test.each<[string, DeskRequest, string]>([
    ["a verb that there is not", { verb: "constructor" }, "There is no verb constructor."],
    ["an attempt that there is not", { verb: "show", attempt: "att_none" }, "There is no attempt att_none."],
    ["no attempt", { verb: "show" }, "attempt is missing."],
    ["an attempt that has ended", { ...proposal, attempt: "att_over" }, "The attempt is succeeded already."],
    [
      "an attempt that a machine still ends",
      { ...proposal, attempt: "att_young" },
      "The attempt is younger than a quarter of an hour: a machine still ends it.",
    ],
    ["no verdict", { ...proposal, verdict: "perhaps" }, "verdict must be happened or not_happened."],
    ["no reason", { ...proposal, reason: "" }, "reason is missing."],
    ["nobody's name", { ...proposal, by: "" }, "by is missing."],
    ["no reference", { ...proposal, reference: "" }, "reference must be 1 to 255 letters, digits, _ or -."],
    ["an action that there is not", { verb: "confirm", action: "op_none", by: "bob" }, "There is no action op_none."],
  ])("refuses %s by name", async (_what, request, refused) => {
    const { operators, ask } = await openDesk();
    expect(await ask({ ...request, run: true })).toEqual({ refused });
    expect(await operators.about("att_stuck", 10)).toEqual([]);
  });
});
