// What a person may say of an attempt: checked words, two persons, and the acquirer's own word above both.
import {
  carryingOut,
  checkedProposal,
  confirmed,
  type OperatorAction,
  type Proposal,
} from "../../functions/domain/operator-action.ts";
import type { Standing } from "../../functions/domain/reconcile.ts";
import { atMs, attemptRow } from "../support/ledger-rows.ts";

const proposal: Proposal = {
  attemptId: "att_1",
  verdict: "happened",
  reference: "auth_1",
  reason: "ticket 4711 of the acquirer's support",
  proposedBy: "ada@shop.example",
};

const proposed: OperatorAction = {
  ...proposal,
  id: "op_1",
  state: "proposed",
  proposedAtMs: 1,
  confirmedBy: null,
  confirmedAtMs: null,
  result: null,
  endedAtMs: null,
};

describe("a proposal", () => {
  test("is taken without the blanks around it", () => {
    expect(checkedProposal({ ...proposal, reason: "  ticket 4711 \n", proposedBy: " ada " })).toEqual({
      ...proposal,
      reason: "ticket 4711",
      proposedBy: "ada",
    });
  });

  test.each<[string, Partial<Proposal>, string, string]>([
    ["without a reason", { reason: " " }, "parameter_missing", "reason"],
    ["with a reason that says nothing", { reason: "because" }, "parameter_invalid", "reason"],
    ["with a reason without end", { reason: "x".repeat(1_001) }, "parameter_invalid", "reason"],
    ["with a card number in its reason", { reason: "card 4242 4242 4242 4242 paid" }, "card_data_refused", "reason"],
    ["without a name", { proposedBy: "" }, "parameter_missing", "by"],
    ["with an endless name", { proposedBy: "x".repeat(101) }, "parameter_invalid", "by"],
    ["of what happened, without a reference", { reference: null }, "parameter_invalid", "reference"],
    ["with a reference that no acquirer gives", { reference: "a b" }, "parameter_invalid", "reference"],
    ["of what did not happen, with a reference", { verdict: "not_happened" }, "parameter_invalid", "reference"],
  ])("%s is refused by name", (_what, changes, code, param) => {
    expect(() => checkedProposal({ ...proposal, ...changes })).toThrow(expect.objectContaining({ code, param }));
  });
});

describe("a confirmation", () => {
  test("is taken from another person", () => {
    expect(confirmed(proposed, "bob", 2)).toEqual({
      ...proposed,
      state: "confirmed",
      confirmedBy: "bob",
      confirmedAtMs: 2,
    });
  });

  test.each(["ada@shop.example", " Ada@Shop.example "])("is refused from the proposer, also as %j", (by) => {
    expect(() => confirmed(proposed, by, 2)).toThrow(expect.objectContaining({ param: "by" }));
  });

  test.each(["confirmed", "done", "refused"] as const)("is refused once the action is %s", (state) => {
    expect(() => confirmed({ ...proposed, state }, "bob", 2)).toThrow(expect.objectContaining({ param: "action" }));
  });
});

describe("carrying out", () => {
  const happened = confirmed(proposed, "bob", 2);
  const not: OperatorAction = { ...happened, verdict: "not_happened", reference: null };
  const open = attemptRow({ id: "att_1" });
  const found = (standing: Standing, reference: string | null = null) => ({ standing, reference });

  test.each<[string, OperatorAction, ReturnType<typeof found>, unknown]>([
    [
      "what happened and the acquirer has forgotten",
      happened,
      found("none"),
      { kind: "commit", result: { kind: "approved", reference: "auth_1" } },
    ],
    [
      "what the acquirer knows under the same name",
      happened,
      found("effective", "auth_1"),
      { kind: "commit", result: { kind: "approved", reference: "auth_1" } },
    ],
    [
      "what did not happen",
      not,
      found("none"),
      { kind: "commit", result: expect.objectContaining({ kind: "declined" }) },
    ],
    [
      "what had no effect",
      not,
      found("without_effect"),
      { kind: "commit", result: expect.objectContaining({ kind: "declined" }) },
    ],
  ])("%s is committed as the acquirer's answer", (_what, action, lookup, step) => {
    expect(carryingOut(action, open, lookup)).toEqual(step);
  });

  test.each<[string, OperatorAction, ReturnType<typeof found>, string]>([
    ["another reference", happened, found("effective", "auth_2"), "the acquirer knows it as auth_2"],
    ["a refusal", happened, found("without_effect"), "the acquirer says that it had no effect"],
    ["an effect", not, found("effective", "auth_1"), "the acquirer says that it happened, as auth_1"],
    ["an end to come", not, found("pending", "auth_1"), "the acquirer accepted it and has not ended it"],
    ["no second person", { ...happened, confirmedBy: null }, found("none"), "no second person confirmed it"],
    [
      "the proposer twice",
      { ...happened, confirmedBy: "ADA@shop.example" },
      found("none"),
      "no second person confirmed it",
    ],
  ])("is refused for %s", (_what, action, lookup, why) => {
    expect(carryingOut(action, open, lookup)).toEqual({ kind: "refuse", why });
  });

  test("waits while the acquirer is at work", () => {
    expect(carryingOut(not, open, found("running"))).toEqual({ kind: "wait" });
  });

  test("finds it done when the attempt ended as was said, and refuses when it ended otherwise", () => {
    const succeeded = attemptRow({ state: "succeeded", closedAtMs: atMs });
    const declined = attemptRow({ state: "declined", closedAtMs: atMs });
    expect(carryingOut(happened, succeeded, found("none"))).toEqual({
      kind: "done",
      result: "the attempt is succeeded",
    });
    expect(carryingOut(not, declined, found("none"))).toEqual({ kind: "done", result: "the attempt is declined" });
    expect(carryingOut(not, succeeded, found("none"))).toEqual({
      kind: "refuse",
      why: "the attempt is succeeded already",
    });
  });
});
