// Shows that the test acquirer has one effect per key, whoever asks how often.
// It must never look at anything but the journal to count effects.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { type AuthorizeDependencies, authorizePayment } from "../../functions/flows/authorize-payment.ts";
import type { AuthorizeOrder } from "../../functions/flows/ports.ts";

const order: AuthorizeOrder = {
  key: "att_1",
  amountMinor: 1_099n,
  currency: "usd",
  paymentMethodToken: "pm_card_visa",
};

let deps: AuthorizeDependencies;
let ids: number;
beforeEach(() => {
  ids = 0;
  deps = {
    journal: memoryAcquirerJournal(),
    clock: { now: () => 1_735_689_600_000, sleep: async () => {}, after: () => () => {} },
    random: {
      id: (prefix) => {
        ids += 1;
        return `${prefix}_${ids}`;
      },
      token: () => "token",
    },
    log: () => {},
  };
});

describe("authorizing", () => {
  test("an approved card gives a reference and one line in the journal", async () => {
    const line = await authorizePayment(deps, order);

    expect(line).toEqual({
      ...order,
      result: { kind: "approved", reference: "auth_1" },
      createdAtMs: 1_735_689_600_000,
    });
    expect(await deps.journal.list(10)).toEqual([line]);
  });

  test("a declined card is recorded with the words of its decline", async () => {
    const line = await authorizePayment(deps, {
      ...order,
      paymentMethodToken: "pm_card_chargeDeclinedInsufficientFunds",
    });

    expect(line.result).toEqual({
      kind: "declined",
      failure: {
        code: "card_declined",
        declineCode: "insufficient_funds",
        message: "Your card has insufficient funds.",
      },
    });
  });

  test("the same order again gives the same line and adds none", async () => {
    const first = await authorizePayment(deps, order);

    expect(await authorizePayment(deps, order)).toEqual(first);
    expect(await deps.journal.list(10)).toHaveLength(1);
  });

  test("of 20 parallel orders with one key all are given one reference", async () => {
    const lines = await Promise.all(Array.from({ length: 20 }, () => authorizePayment(deps, order)));

    expect(new Set(lines.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(await deps.journal.list(100)).toHaveLength(1);
  });

  test.each([
    ["another amount", { amountMinor: 1_100n }],
    ["another currency", { currency: "eur" as const }],
    ["another payment method", { paymentMethodToken: "pm_card_amex" }],
  ])("the same key with %s is refused, and the first line stands", async (_title, change) => {
    const first = await authorizePayment(deps, order);

    await expect(authorizePayment(deps, { ...order, ...change })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
    expect(await deps.journal.list(10)).toEqual([first]);
  });

  test("an unknown payment method is refused and leaves no line", async () => {
    const unknown = { ...order, paymentMethodToken: "pm_card_unheardOf" };

    await expect(authorizePayment(deps, unknown)).rejects.toMatchObject({
      code: "parameter_invalid",
      param: "payment_method",
    });
    expect(await deps.journal.list(10)).toEqual([]);
  });
});
