// Checkpoints: a balance is the same with them and without, whoever makes them and whatever commits meanwhile.
// It must never sum with the code under test: what is expected is added up here, from the bookings alone.
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import type { BalanceCheckpoint } from "../../functions/domain/balance.ts";
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { Currency } from "../../functions/domain/money.ts";
import { checkpointBalances } from "../../functions/flows/checkpoint-balances.ts";
import { readBalance } from "../../functions/flows/read-balances.ts";
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { intercept } from "../support/interception.ts";
import { bookingRow, insertOf, newId } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

const dayMs = 24 * 60 * 60 * 1000;
const beginMs = Date.UTC(2026, 0, 15, 12);

/** Empty books, the job and the verification over them. */
function openBooks() {
  const tables = memoryTables();
  const stores = { ledger: memoryLedger(tables), balances: memoryBalances(tables), seals: memorySeals(tables) };
  const [clock, logged] = [manualClock(beginMs), [] as string[]];
  const log = (_: string, message: string) => void logged.push(message);
  const deps = { ...stores, clock, log };
  const book = async (amountMinor: bigint, fields: Partial<LedgerTransaction> = {}) => {
    const kind = amountMinor < 0n ? "refund" : "charge";
    const [to, from] = amountMinor < 0n ? (["debit", "credit"] as const) : (["credit", "debit"] as const);
    const size = amountMinor < 0n ? -amountMinor : amountMinor;
    const booking = bookingRow({
      kind,
      accountId: "acct_1",
      sourceId: newId(kind === "charge" ? "ch" : "re"),
      availableOnMs: Math.floor(clock.now() / dayMs) * dayMs + 2 * dayMs,
      entries: [
        { ledgerAccount: "acquirer_receivable", direction: from, amountMinor: size },
        { ledgerAccount: "merchant_payable", direction: to, amountMinor: size },
      ],
      ...fields,
    });
    await stores.ledger.insert("book", [insertOf("ledger_transactions", booking)]);
  };
  return {
    ...stores,
    clock,
    logged,
    book,
    run: (over: Partial<typeof stores> = {}) => checkpointBalances({ ...deps, ...over }),
    shown: () => readBalance(deps, { accountId: "acct_1" }),
    /** The balance as the bookings say it. */
    expected: () => addedUp(stores.ledger.rows("ledger_transactions"), clock.now()),
    checkpoints: () => tables.rows("balance_checkpoints"),
    plant: (row: BalanceCheckpoint) => stores.ledger.insert("plant", [insertOf("balance_checkpoints", row)]),
    fault: async () => {
      const verification = await verifyLedger({ ...deps, ledger: { scan: async () => soundBooks as never } });
      return verification.fault;
    },
  };
}

/** These bookings have no charges; that is another test's business. */
const soundBooks = { rows: { ledger_transactions: 0, refunds: 0, charges: 0, payment_intents: 0 }, fault: null };

function addedUp(bookings: readonly LedgerTransaction[], nowMs: number) {
  const own = bookings.filter(({ accountId }) => accountId === "acct_1");
  const sum = (currency: Currency, isAvailable: boolean) =>
    own
      .filter((each) => each.currency === currency && each.availableOnMs <= nowMs === isAvailable)
      .reduce((total, { payableMinor }) => total + payableMinor, 0n);
  const currencies = [...new Set(own.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => ({
    currency,
    availableMinor: sum(currency, true),
    pendingMinor: sum(currency, false),
  }));
}

type Books = ReturnType<typeof openBooks>;

describe("a run", () => {
  test("gives each account with new bookings one checkpoint, and the next run has nothing to do", async () => {
    const books = openBooks();
    await books.book(1_912n);
    await books.book(5n, { accountId: "acct_2" });
    expect(await books.run()).toEqual({ accounts: 2, left: 0 });
    expect(await books.run()).toEqual({ accounts: 0, left: 0 });
    expect(books.checkpoints()).toHaveLength(2);
    expect(await books.shown()).toEqual([{ currency: "usd", availableMinor: 0n, pendingMinor: 1_912n }]);
  });

  test("keeps the days to come apart and folds those that have passed on every clock, so a checkpoint stays small", async () => {
    const books = openBooks();
    for (let day = 0; day < 30; day += 1) {
      await books.book(100n);
      expect(await books.run()).toEqual({ accounts: 1, left: 0 });
      expect(await books.shown()).toEqual(books.expected());
      await books.clock.advance(dayMs);
    }
    // Of each account the newest and the one that it was made from; in it yesterday, today, and the two days to come.
    expect(books.checkpoints().map(({ sums }) => sums.length)).toEqual([4, 4]);
    expect(await books.shown()).toEqual([{ currency: "usd", availableMinor: 2_900n, pendingMinor: 100n }]);
    expect(await books.fault()).toBeNull();
  });

  test("that fails for one account goes on with the others, and says so", async () => {
    const books = openBooks();
    await books.book(1n);
    await books.book(1n, { accountId: "acct_2" });
    const balances = intercept(books.balances);
    balances.disturb("moment", { at: "before", act: "throw", error: new Error("Spanner is away.") });
    expect(await books.run({ balances: balances.port })).toEqual({ accounts: 1, left: 1 });
    expect(books.logged).toEqual(["checkpoint not made"]);
    expect(await books.run()).toEqual({ accounts: 1, left: 0 });
  });

  test("twice at once makes checkpoints that agree", async () => {
    const books = openBooks();
    for (let round = 0; round < 5; round += 1) {
      await books.book(7n);
      await Promise.all([books.run(), books.book(11n), books.run(), books.run()]);
      expect(await books.shown()).toEqual(books.expected());
    }
    expect(await books.fault()).toBeNull();
  });

  test("whose checkpoint is written late, when newer ones stand and older ones are gone, changes nothing", async () => {
    const books = openBooks();
    await books.book(1n);
    await books.run();
    await books.book(20n);
    const ledger = intercept(books.ledger);
    const gate = Promise.withResolvers<void>();
    ledger.disturb("insert", { at: "before", act: "wait", until: gate.promise });
    const late = books.run({ ledger: ledger.port as typeof books.ledger });
    while (ledger.calls.length === 0) await nextTurn();
    for (const amountMinor of [300n, 4_000n]) {
      await books.book(amountMinor);
      await books.run();
    }
    gate.resolve();
    expect(await late).toEqual({ accounts: 1, left: 0 });
    expect(await books.shown()).toEqual(books.expected());
    expect(await books.fault()).toBeNull();
  });
});

test("at every moment the balance is the sum of the bookings, whatever is booked, summed up and slept over at once", async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("book" as const),
      amountMinor: fc.bigInt({ min: -5_000n, max: 9_999_999_999n }).filter((amount) => amount !== 0n),
      currency: fc.constantFrom<Currency>("usd", "jpy", "kwd"),
    }),
    fc.record({ kind: fc.constant("run" as const) }),
    fc.record({ kind: fc.constant("sleep" as const), days: fc.integer({ min: 1, max: 3 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      const books = openBooks();
      for (const round of rounds) {
        await Promise.all(round.map((each) => act(books, each)));
        expect(await books.shown()).toEqual(books.expected());
      }
      expect(await books.fault()).toBeNull();
    }),
    { numRuns: 40 },
  );
});

type Step =
  | { readonly kind: "book"; readonly amountMinor: bigint; readonly currency: Currency }
  | { readonly kind: "run" }
  | { readonly kind: "sleep"; readonly days: number };

async function act(books: Books, step: Step): Promise<void> {
  if (step.kind === "book") await books.book(step.amountMinor, { currency: step.currency });
  else if (step.kind === "run") await books.run();
  else await books.clock.advance(step.days * dayMs);
}

describe("a planted checkpoint", () => {
  /** 19.12 and 5.00 of one day, and then a checkpoint made by the job. */
  async function summedUp() {
    const books = openBooks();
    await books.book(1_912n);
    await books.book(500n, { availableOnMs: Date.UTC(2026, 0, 18) });
    await books.book(9n, { currency: "eur" });
    await books.run();
    expect(await books.fault()).toBeNull();
    const usd = books.checkpoints().find(({ currency }) => currency === "usd") as BalanceCheckpoint;
    await books.book(1n);
    // Of a moment that the job did not take, between two bookings.
    const { readAt } = await books.balances.moment("acct_1");
    await books.book(1n);
    return { ...books, usd: { ...usd, readAt }, eur: { ...usd, currency: "eur", readAt } as BalanceCheckpoint };
  }
  const [day, next] = [Date.UTC(2026, 0, 17), Date.UTC(2026, 0, 18)];

  test.each<[string, BalanceCheckpoint["sums"], string]>([
    ["with one cent more", sums(1_914n, 500n), "it says that 1914 is available from 2026-01-17, its bookings say 1913"],
    [
      "that owes it a day later",
      sums(1_412n, 1_001n),
      "it says that 1412 is available from 2026-01-17, its bookings say 1913",
    ],
    [
      "without a day",
      [{ availableOnMs: day, amountMinor: 1_913n }],
      "it says that 0 is available from 2026-01-18, its bookings say 500",
    ],
    ["without anything", [], "it says that 0 is available from 2026-01-17, its bookings say 1913"],
    [
      "with a day of its own",
      [...sums(1_913n, 500n), { availableOnMs: next + dayMs, amountMinor: 1n }],
      "it says that 1 is available from 2026-01-19, its bookings say 0",
    ],
  ])("%s makes the verification red, and is named", async (_, planted, problem) => {
    const { plant, fault, usd, eur } = await summedUp();
    await plant({ ...eur, sums: [{ availableOnMs: day, amountMinor: 9n }] });
    await plant({ ...usd, sums: planted });
    expect(await fault()).toEqual({ table: "balance_checkpoints", key: `acct_1/usd/${usd.readAt}`, problem });
  });

  test("that leaves out a currency makes the verification red, and one that is right does not", async () => {
    const { plant, fault, usd, eur } = await summedUp();
    await plant({ ...usd, sums: sums(1_913n, 500n) });
    const problem = "it has no row, but its account had bookings by then";
    expect(await fault()).toEqual({ table: "balance_checkpoints", key: `acct_1/eur/${eur.readAt}`, problem });
    await plant({ ...eur, sums: [{ availableOnMs: day, amountMinor: 9n }] });
    expect(await fault()).toBeNull();
  });

  function sums(first: bigint, second: bigint): BalanceCheckpoint["sums"] {
    return [
      { availableOnMs: day, amountMinor: first },
      { availableOnMs: next, amountMinor: second },
    ];
  }
});
