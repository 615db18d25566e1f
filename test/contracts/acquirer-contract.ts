// What every adapter of the card network must do, whoever makes it: the write path relies on each line of this.
// It must never ask what only one network does; a network's own answers are tested beside its adapter.
import type { Acquirer, AuthorizeOrder } from "../../functions/flows/acquirer-ports.ts";
import type { AcquirerListing } from "../../functions/flows/reconciliation-ports.ts";

/** An adapter over a network that is empty. */
export interface OpenAcquirer {
  readonly acquirer: Acquirer & AcquirerListing;
  /** Authorizations that the network has made so far, as it tells itself: never from the adapter. */
  authorizations(): Promise<number>;
  /** From now on the network does what it is asked, and its answers get lost; undone by false. */
  loseAnswers(lost: boolean): void;
  close(): Promise<void>;
}

/** Tokens of the network: one that it approves, and one that it declines. */
export interface Tokens {
  readonly approved: string;
  readonly declined: string;
}

/** The network keeps its own time, so the window is wider than any clock is wrong. */
const dayMs = 24 * 3_600_000;

/** The contract. */
export function acquirerContract(name: string, tokens: Tokens, open: () => Promise<OpenAcquirer>): void {
  const order: AuthorizeOrder = {
    key: "att_1",
    amountMinor: 1_099n,
    currency: "usd",
    paymentMethodToken: tokens.approved,
    captureLater: false,
    challengeReturnUrl: null,
    authentication: null,
  };

  describe(`the acquirer: ${name}`, () => {
    let network: OpenAcquirer;
    beforeEach(async () => {
      network = await open();
    });
    afterEach(async () => await network.close());
    const held = async () => {
      const answer = await network.acquirer.authorize({ ...order, captureLater: true });
      if (answer.kind !== "approved") throw new Error(`the network says ${answer.kind}`);
      return { reference: answer.reference, amountMinor: 1_099n, currency: "usd" } as const;
    };

    test("an order that is repeated, also ten times at once, has one effect and one answer", async () => {
      const first = await network.acquirer.authorize(order);
      const again = await Promise.all(Array.from({ length: 10 }, async () => await network.acquirer.authorize(order)));

      expect(first).toEqual({ kind: "approved", reference: expect.stringMatching(/./) });
      expect(new Set(again.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(first)]));
      expect(await network.authorizations()).toBe(1);
    });

    test("a decline is an answer, with a code and a text for people, and stays the answer", async () => {
      const refused = { ...order, paymentMethodToken: tokens.declined };
      const answer = await network.acquirer.authorize(refused);

      expect(answer).toMatchObject({
        kind: "declined",
        failure: { code: expect.any(String), message: expect.any(String) },
      });
      expect(await network.acquirer.authorize(refused)).toEqual(answer);
      expect(await network.authorizations()).toBe(0);
    });

    test("an answer that gets lost is never a word on the money; the repeat tells what was done", async () => {
      network.loseAnswers(true);
      await expect(network.acquirer.authorize(order)).rejects.toMatchObject({ code: "acquirer_unknown" });
      await expect(network.acquirer.lookup("att_1")).rejects.toMatchObject({ code: "acquirer_unknown" });
      network.loseAnswers(false);

      expect(await network.acquirer.authorize(order)).toMatchObject({ kind: "approved" });
      expect(await network.authorizations()).toBe(1);
    });

    test("a key that was used for another order is refused, and nothing is authorized for it", async () => {
      await network.acquirer.authorize(order);

      await expect(network.acquirer.authorize({ ...order, amountMinor: 1n })).rejects.toMatchObject({
        code: "internal",
      });
      expect(await network.authorizations()).toBe(1);
    });

    test("a lookup sees what was answered, and knows nothing of a key that was never used", async () => {
      const result = await network.acquirer.authorize(order);

      expect(await network.acquirer.lookup("att_1")).toEqual({ kind: "found", result, isVoided: false });
      expect(await network.acquirer.lookup("att_2")).toEqual({ kind: "none" });
    });

    test.each(["capture", "void", "refund"] as const)("a %s about an authorization is done once", async (verb) => {
      const about = await held();
      if (verb === "refund") await network.acquirer.capture({ ...about, key: "att_capture" });

      const answer = await network.acquirer[verb]({ ...about, key: "att_2" });

      expect(answer).toMatchObject({ kind: "approved" });
      expect(await network.acquirer[verb]({ ...about, key: "att_2" })).toEqual(answer);
      expect(await network.acquirer.lookup("att_2")).toMatchObject({ kind: "found", result: answer });
    });

    test("what was authorized under a key can be let go by that key alone, and a lookup says so", async () => {
      await held();
      await network.acquirer.voidKey({ key: "att_1", amountMinor: 1_099n, currency: "usd" });
      await network.acquirer.voidKey({ key: "att_1", amountMinor: 1_099n, currency: "usd" });

      expect(await network.acquirer.lookup("att_1")).toMatchObject({ kind: "found", isVoided: true });
    });

    test("the list has each order once, over its pages, with what became of it", async () => {
      for (const key of ["att_1", "att_2", "att_3"]) await network.acquirer.authorize({ ...order, key });

      const window = { fromMs: Date.now() - dayMs, beforeMs: Date.now() + dayMs };
      const first = await network.acquirer.list(window, null, 2);
      const second = await network.acquirer.list(window, first.next, 2);
      const rows = [...first.rows, ...second.rows];
      expect([first.rows.length, second.next]).toEqual([2, null]);
      expect(rows.map(({ order: { key } }) => key).sort()).toEqual(["att_1", "att_2", "att_3"]);
      expect(rows.every(({ found }) => found.kind === "found" && !found.isVoided)).toBe(true);
    });
  });
}
