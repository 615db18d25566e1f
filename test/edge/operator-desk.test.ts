// The operator's desk: dry unless told to run, two persons for one action, and a clear word for everything that is wrong.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
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
  const reconciliation = memoryReconciliation(memoryTables());
  const finding = { kind: "amount_differs", detail: "the acquirer has 1, the attempt 2" } as const;
  const about = { subject: "att_odd", accountId: null, intentId: null };
  await reconciliation.record(about, { findings: [finding], untold: new Set(), atMs });
  const deps = { ledger, operators, reconciliation, clock: manualClock(atMs), random: systemRandom };
  return { operators, reconciliation, ask: (request: DeskRequest) => operatorDesk(deps, request) };
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

  test("accepts a break for two persons, the second one without a reason of its own", async () => {
    const { reconciliation, ask } = await openDesk();
    const accept: DeskRequest = { verb: "accept-break", subject: "att_odd", kind: "amount_differs", by: "ada" };
    const reason = "ticket 4712: the acquirer rounds";
    const standing = async () => (await reconciliation.openBreaks(null, 10)).map(({ acceptedBy }) => acceptedBy);

    expect((await ask({ ...accept, reason })).breaks).toMatchObject([{ acceptedBy: "ada", acceptedReason: reason }]);
    expect(await standing()).toEqual([null]);
    await ask({ ...accept, reason, run: true });
    expect(await standing()).toEqual(["ada"]);

    expect((await ask({ ...accept, by: "ADA", run: true })).refused).toMatch("A second person must agree");
    expect((await ask({ ...accept, by: "bob", reason, run: true })).refused).toMatch("ada gave the reason");
    expect((await ask({ ...accept, by: "bob", run: true })).breaks).toMatchObject([{ acceptanceConfirmedBy: "bob" }]);
    expect(await standing()).toEqual([]);
    expect((await ask({ ...accept, by: "eve", run: true })).refused).toBe("The break is accepted already.");
  });

  test.each<[string, DeskRequest, string]>([
    [
      "a break that does not stand",
      { verb: "accept-break", subject: "att_odd", kind: "not_booked", by: "ada" },
      "No break not_booked of att_odd stands.",
    ],
    ["a break without a kind", { verb: "accept-break", subject: "att_odd", by: "ada" }, "kind is missing."],
    [
      "a break for no reason",
      { verb: "accept-break", subject: "att_odd", kind: "amount_differs", by: "ada" },
      "reason is missing.",
    ],
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
