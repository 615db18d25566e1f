// Shows that the test acquirer has one effect per key, whoever asks how often and whatever is ordered.
// It must never look at anything but the journal to count effects.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { JournalOrder } from "../../functions/flows/acquirer-ports.ts";
import { answerOrder, type OrderDependencies } from "../../functions/flows/answer-order.ts";

const order: JournalOrder = {
  kind: "authorize",
  key: "att_1",
  amountMinor: 1_099n,
  currency: "usd",
  paymentMethodToken: "pm_card_visa",
  reference: null,
  captureLater: false,
  challengeReturnUrl: null,
  authentication: null,
};
const followUp = (kind: JournalOrder["kind"], key = "att_2"): JournalOrder => ({
  ...order,
  kind,
  key,
  amountMinor: 99n,
  paymentMethodToken: null,
  reference: "auth_att_1",
});

let deps: OrderDependencies;
beforeEach(() => {
  deps = {
    journal: memoryAcquirerJournal(),
    clock: { now: () => 1_735_689_600_000, sleep: async () => {}, after: () => () => {} },
    log: () => {},
    baseUrl: "https://acquirer.example.test",
  };
});

describe("authorizing", () => {
  test("an approved card gives a reference and one line in the journal", async () => {
    const line = await answerOrder(deps, order);

    expect(line).toEqual({
      ...order,
      result: { kind: "approved", reference: "auth_att_1" },
      createdAtMs: 1_735_689_600_000,
    });
    expect(await deps.journal.list(10)).toEqual([line]);
  });

  test("a declined card is recorded with the words of its decline", async () => {
    const line = await answerOrder(deps, {
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
    const first = await answerOrder(deps, order);

    expect(await answerOrder(deps, order)).toEqual(first);
    expect(await deps.journal.list(10)).toHaveLength(1);
  });

  test("of 20 parallel orders with one key all are given one reference", async () => {
    const lines = await Promise.all(Array.from({ length: 20 }, () => answerOrder(deps, order)));

    expect(new Set(lines.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(await deps.journal.list(100)).toHaveLength(1);
  });

  test.each([
    ["another amount", { amountMinor: 1_100n }],
    ["another currency", { currency: "eur" as const }],
    ["another payment method", { paymentMethodToken: "pm_card_amex" }],
    ["a hold in place of a charge", { captureLater: true }],
  ])("the same key with %s is refused, and the first line stands", async (_title, change) => {
    const first = await answerOrder(deps, order);

    await expect(answerOrder(deps, { ...order, ...change })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
    expect(await deps.journal.list(10)).toEqual([first]);
  });

  test("an unknown payment method is refused and leaves no line", async () => {
    const unknown = { ...order, paymentMethodToken: "pm_card_unheardOf" };

    await expect(answerOrder(deps, unknown)).rejects.toMatchObject({
      code: "parameter_invalid",
      param: "payment_method",
    });
    expect(await deps.journal.list(10)).toEqual([]);
  });
});

describe.each(["capture", "void", "refund"] as const)("a %s", (kind) => {
  test("of an authorization that stands is one line, however often it is ordered", async () => {
    await answerOrder(deps, order);
    const lines = await Promise.all(Array.from({ length: 20 }, () => answerOrder(deps, followUp(kind))));

    expect(new Set(lines.map((line) => JSON.stringify(line.result)))).toEqual(
      new Set([JSON.stringify({ kind: "approved", reference: `${kind}_att_2` })]),
    );
    expect(await deps.journal.list(100)).toHaveLength(2);
  });

  test("is never taken for another order under its key", async () => {
    await answerOrder(deps, order);
    await answerOrder(deps, followUp(kind));

    const others: JournalOrder[] = [
      { ...followUp(kind), amountMinor: 98n },
      followUp(kind === "void" ? "refund" : "void"),
      { ...order, key: "att_2" },
    ];
    for (const other of others) {
      await expect(answerOrder(deps, other)).rejects.toMatchObject({ code: "idempotency_mismatch" });
    }
    expect(await deps.journal.list(100)).toHaveLength(2);
  });

  test.each([
    ["was never given", "auth_att_9"],
    ["was declined", "auth_att_0"],
    ["is no authorization", "auth_att_3"],
    ["is empty", ""],
  ])("about a reference that %s is refused, and leaves no line", async (_title, reference) => {
    await answerOrder(deps, order);
    await answerOrder(deps, { ...order, key: "att_0", paymentMethodToken: "pm_card_chargeDeclined" });
    await answerOrder(deps, followUp("capture", "att_3"));

    await expect(answerOrder(deps, { ...followUp(kind), reference })).rejects.toMatchObject({
      code: "parameter_invalid",
      param: "reference",
    });
    expect(await deps.journal.list(100)).toHaveLength(3);
  });
});

test("a refund of the card whose refunds fail is accepted at first; its capture and its void are done at once", async () => {
  await answerOrder(deps, { ...order, paymentMethodToken: "pm_card_refundFail" });

  const kinds = await Promise.all(
    (["capture", "void", "refund"] as const).map(
      async (kind) => (await answerOrder(deps, followUp(kind, `att_${kind}`))).result.kind,
    ),
  );

  expect(kinds).toEqual(["approved", "approved", "pending"]);
});

test("without HTTP between, each verb of the port is the order of its kind", async () => {
  const network = networkOver(deps);
  const { kind: _kind, reference: _none, paymentMethodToken, ...rest } = order;
  await network.authorize({ ...rest, paymentMethodToken: paymentMethodToken ?? "", captureLater: true });
  const about = (key: string) => ({ key, reference: "auth_att_1", amountMinor: 99n, currency: "usd" }) as const;
  await network.capture(about("att_2"));
  await network.void(about("att_3"));
  await network.refund(about("att_4"));

  const lines = await Promise.all(["att_1", "att_2", "att_3", "att_4"].map((key) => deps.journal.read(key)));
  expect(lines.map((line) => [line?.kind, line?.captureLater, line?.reference])).toEqual([
    ["authorize", true, null],
    ["capture", false, "auth_att_1"],
    ["void", false, "auth_att_1"],
    ["refund", false, "auth_att_1"],
  ]);
});
