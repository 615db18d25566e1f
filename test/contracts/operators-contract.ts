// What every store of operators' actions must show: rows as they were said, in order, and one winner for each step.
// It must never know a product: it sees the port.
import type { OperatorAction } from "../../functions/domain/operator-action.ts";
import type { OperatorStore } from "../../functions/flows/operator-ports.ts";
import { awkwardText, newId } from "../support/ledger-rows.ts";

/** Declares the suite for one kind of store; all its tests share one. */
export function describeOperators(
  name: string,
  open: () => Promise<{ operators: OperatorStore; close(): Promise<void> }>,
): void {
  describe(`actions of operators on ${name}`, () => {
    let operators: OperatorStore;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ operators, close } = await open());
    });
    afterAll(async () => {
      await close?.();
    });

    test("an action is found as it was said, and an unknown one is not", async () => {
      const [happened, not] = [
        proposed({ reason: awkwardText }),
        proposed({ verdict: "not_happened", reference: null }),
      ];
      await operators.add(happened);
      await operators.add(not);

      expect(await operators.read(happened.id)).toStrictEqual(happened);
      expect(await operators.read(not.id)).toStrictEqual(not);
      expect(await operators.read("op_none")).toBeUndefined();
    });

    test("an id that is taken is refused", async () => {
      const action = proposed();
      await operators.add(action);
      await expect(operators.add({ ...action, reason: "another reason" })).rejects.toMatchObject({ code: "internal" });
      expect(await operators.read(action.id)).toStrictEqual(action);
    });

    test("actions about an attempt come newest first, those about others never", async () => {
      const [old, middle, young] = [1, 2, 3].map((proposedAtMs) => proposed({ attemptId: "att_about", proposedAtMs }));
      for (const action of [middle, young, old, proposed({ attemptId: "att_abou" })]) {
        await operators.add(action as OperatorAction);
      }
      expect(await operators.about("att_about", 10)).toStrictEqual([young, middle, old]);
      expect(await operators.about("att_about", 2)).toStrictEqual([young, middle]);
      expect(await operators.about("att_none", 2)).toEqual([]);
    });

    test("confirmed actions come oldest confirmation first, until they have ended", async () => {
      const [later, sooner, waiting] = [proposed(), proposed(), proposed()];
      for (const action of [later, sooner, waiting]) await operators.add(action);
      expect(await operators.advance(confirmedAt(later, 20), "proposed")).toBe("advanced");
      expect(await operators.advance(confirmedAt(sooner, 10), "proposed")).toBe("advanced");

      expect(await operators.confirmed(10)).toStrictEqual([confirmedAt(sooner, 10), confirmedAt(later, 20)]);
      expect(await operators.confirmed(1)).toStrictEqual([confirmedAt(sooner, 10)]);
      for (const action of [sooner, later]) {
        const ended = { ...confirmedAt(action, 20), state: "done", result: "it is done", endedAtMs: 30 } as const;
        expect(await operators.advance(ended, "confirmed")).toBe("advanced");
        expect(await operators.read(action.id)).toStrictEqual(ended);
      }
      expect(await operators.confirmed(10)).toEqual([]);
    });

    test("of two who confirm at once one wins, and the other one changes nothing", async () => {
      const action = proposed();
      await operators.add(action);
      const [bob, eve] = ["bob", "eve"].map((by) => ({ ...confirmedAt(action, 10), confirmedBy: by }));

      const ends = await Promise.all([bob, eve].map((each) => operators.advance(each as OperatorAction, "proposed")));

      expect([...ends].sort()).toEqual(["advanced", "lost"]);
      const winner = ends[0] === "advanced" ? bob : eve;
      expect(await operators.read(action.id)).toStrictEqual(winner);
      expect(await operators.advance({ ...action, id: "op_none" }, "proposed")).toBe("lost");
      // What the other tests count.
      const over = { ...(winner as OperatorAction), state: "refused", result: "over", endedAtMs: 20 } as const;
      await operators.advance(over, "confirmed");
    });
  });
}

function proposed(changes: Partial<OperatorAction> = {}): OperatorAction {
  return {
    id: newId("op"),
    attemptId: "att_1",
    verdict: "happened",
    reference: "auth_1",
    reason: "ticket 4711 of the acquirer's support",
    state: "proposed",
    proposedBy: "ada",
    proposedAtMs: 1,
    confirmedBy: null,
    confirmedAtMs: null,
    result: null,
    endedAtMs: null,
    ...changes,
  };
}

function confirmedAt(action: OperatorAction, confirmedAtMs: number): OperatorAction {
  return { ...action, state: "confirmed", confirmedBy: "bob", confirmedAtMs };
}
