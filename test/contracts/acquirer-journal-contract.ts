// What every journal of the test acquirer must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { AcquirerJournal, JournalLine } from "../../functions/flows/acquirer-ports.ts";

/** A journal for one suite, empty at its start. */
export type JournalUnderTest = { readonly journal: AcquirerJournal; close(): Promise<void> };

/** Registers the suite. */
export function acquirerJournalContract(open: () => Promise<JournalUnderTest>): void {
  let subject: JournalUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  test("a new key gets its line, and the line can be looked up at once", async () => {
    const line = approvedLine(newKey());

    expect(await subject.journal.record(line)).toEqual(line);
    expect(await subject.journal.read(line.key)).toEqual(line);
  });

  test("a key that was never recorded has no line", async () => {
    expect(await subject.journal.read(newKey())).toBeUndefined();
  });

  test("a second line for a key is not written: the first one stands and is returned", async () => {
    const first = approvedLine(newKey());
    await subject.journal.record(first);

    const standing = await subject.journal.record({ ...declinedLine(first.key), amountMinor: 999n });

    expect(standing).toEqual(first);
    expect(await subject.journal.read(first.key)).toEqual(first);
  });

  test("a decline keeps each of its words", async () => {
    const line = declinedLine(newKey());
    await subject.journal.record(line);

    expect(await subject.journal.read(line.key)).toEqual(line);
  });

  test("an authorization that only holds the money is kept as such", async () => {
    const line = { ...approvedLine(newKey()), captureLater: true };
    await subject.journal.record(line);

    expect(await subject.journal.read(line.key)).toEqual(line);
  });

  test.each(["capture", "void", "refund"] as const)(
    "a %s is kept with the authorization that it is about",
    async (kind) => {
      const line = { ...approvedLine(newKey()), kind, paymentMethodToken: null, reference: "auth_7" };
      await subject.journal.record(line);

      expect(await subject.journal.read(line.key)).toEqual(line);
    },
  );

  test("lines of a span of time come oldest first, each once, in pages of any size", async () => {
    const base = 1_000_000_000;
    const at = async (createdAtMs: number) =>
      await subject.journal.record({ ...approvedLine(newKey()), createdAtMs: base + createdAtMs });
    const [late, , ...rest] = [await at(30), await at(40), await at(10), await at(20), await at(20), await at(20)];
    await at(9);
    const expected = [...rest, late];
    const span = { fromMs: base + 10, beforeMs: base + 40 };

    for (const limit of [1, 2, 3, 100]) {
      const seen: JournalLine[] = [];
      for (let length = limit; length === limit; ) {
        const page = await subject.journal.between(span, seen.at(-1) ?? null, limit);
        seen.push(...page);
        length = page.length;
      }
      expect(seen.map(({ createdAtMs }) => createdAtMs - base)).toEqual([10, 20, 20, 20, 30]);
      expect(seen.map(({ key }) => key).sort()).toEqual(expected.map((line) => line?.key).sort());
    }
  });

  test("of 20 parallel lines for one key one stands, and all callers are given that one", async () => {
    const key = newKey();
    const lines = Array.from({ length: 20 }, (_, index) => approvedLine(key, `auth_${index}`));

    const standing = await Promise.all(lines.map((line) => subject.journal.record(line)));

    expect(new Set(standing.map((line) => JSON.stringify(line.result))).size).toBe(1);
    expect(await subject.journal.read(key)).toEqual(standing[0]);
  });

  test("an amount beyond the exact range of a double is kept to the unit", async () => {
    const line = { ...approvedLine(newKey()), amountMinor: 9_007_199_254_740_993n };
    await subject.journal.record(line);

    expect((await subject.journal.read(line.key))?.amountMinor).toBe(9_007_199_254_740_993n);
  });

  test.each(["a/b", "..", "__reserved__", "ключ"])(
    "a key that a store would refuse as a name is a key: %s",
    async (name) => {
      const line = approvedLine(`${name}`);

      await subject.journal.record(line);

      expect(await subject.journal.read(name)).toEqual(line);
    },
  );

  test("the list is newest first and no longer than asked", async () => {
    const later = [1_900_000_000_003, 1_900_000_000_001, 1_900_000_000_002];
    for (const createdAtMs of later) await subject.journal.record({ ...approvedLine(newKey()), createdAtMs });

    const listed = await subject.journal.list(2);

    expect(listed.map(({ createdAtMs }) => createdAtMs)).toEqual([1_900_000_000_003, 1_900_000_000_002]);
  });
}

function approvedLine(key: string, reference = "auth_1"): JournalLine {
  return {
    kind: "authorize",
    key,
    amountMinor: 1_099n,
    currency: "usd",
    paymentMethodToken: "pm_card_visa",
    reference: null,
    captureLater: false,
    challengeReturnUrl: null,
    authentication: null,
    result: { kind: "approved", reference },
    createdAtMs: 1_735_689_600_000,
  };
}

function declinedLine(key: string): JournalLine {
  const failure = { code: "expired_card", declineCode: null, message: "Your card has expired." };
  return {
    ...approvedLine(key),
    paymentMethodToken: "pm_card_chargeDeclinedExpiredCard",
    result: { kind: "declined", failure },
  };
}

function newKey(): string {
  return `att_${randomBytes(12).toString("hex")}`;
}
