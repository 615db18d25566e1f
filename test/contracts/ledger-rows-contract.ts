// How every ledger must keep rows: what went in comes out, value by value, however awkward.
// It must never know a product: it sees the port, and a way to read whole tables.
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { Change, Tables } from "../../functions/domain/rows.ts";
import {
  atMs,
  attemptRow,
  awkwardMetadata,
  awkwardText,
  bookingRow,
  chargeRow,
  eventRow,
  insertOf,
  intentRow,
  keyRow,
  newId,
  refundRow,
} from "../support/ledger-rows.ts";
import type { LedgerUnderTest } from "./ledger-contract.ts";

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedgerRows(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`rows of the ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
    });

    const tables = Object.keys(awkwardRows) as (keyof Tables)[];

    test.each(tables)("those of %s come back exactly as they went", async (table) => {
      const { ledger, rows } = store;
      const given = awkwardRows[table];
      const changes = given.map((row) => ({ op: "insert", table, row }) as Change);

      expect(await ledger.insert("round-trip", changes)).toBe("inserted");

      const all = await rows(table);
      for (const row of given) expect(all).toContainEqual(row);
      expect(all.map(propertyNames)).toEqual(expect.arrayContaining(given.map(propertyNames)));
    });

    test("F56 of 32 commits at once, each with a transaction beside it, whatever was acknowledged can be read", async () => {
      const { ledger } = store;
      const inserted = Array.from({ length: 32 }, () => intentRow());
      const written = Array.from({ length: 32 }, () => intentRow());

      const ends = await Promise.all([
        ...inserted.map((row) => ledger.insert("load", [insertOf("payment_intents", row)])),
        ...written.map((row) =>
          ledger.transact("load", async (scope) => {
            await scope.read({ payment_intents: row.id });
            scope.write([insertOf("payment_intents", row)]);
            return "inserted";
          }),
        ),
      ]);

      expect(ends).toEqual(ends.map(() => "inserted"));
      const read = await Promise.all([...inserted, ...written].map(({ id }) => ledger.read({ payment_intents: id })));
      expect(read).toEqual([...inserted, ...written].map((row) => ({ payment_intents: row })));
    });

    test("they are read by key, several tables at once, and a row that is not there is absent", async () => {
      const { ledger } = store;
      const [intent, attempt, refund] = [intentRow({ metadata: awkwardMetadata }), attemptRow(), refundRow()];
      await ledger.insert("read", [
        insertOf("payment_intents", intent),
        insertOf("attempts", attempt),
        insertOf("refunds", refund),
      ]);

      const keys = {
        payment_intents: intent.id,
        attempts: attempt.id,
        refunds: refund.id,
        charges: "ch_none",
        idempotency_keys: awkwardText,
      };

      const found = await ledger.read(keys);
      expect(found).toStrictEqual({ payment_intents: intent, attempts: attempt, refunds: refund });
      expect(Object.keys(found.payment_intents?.metadata ?? {})).toContain("__proto__");
      expect(await ledger.transact("read", (scope) => scope.read(keys))).toStrictEqual(found);
      expect(await ledger.read({ charges: "c".repeat(5_000), refunds: refund.id.toUpperCase() })).toStrictEqual({});
    });
  });
}

const challenge = {
  startUrl: "https://api.example.test/challenges/att_1",
  returnUrl: "https://api.example.test/challenges/att_1/return",
  merchantReturnUrl: awkwardText,
  pageUrl: "https://acquirer.example.test/challenges/att_1",
};

/** What a refund books: the entries of a charge the other way round. */
const refundEntries: LedgerTransaction["entries"] = [
  { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 500n },
  { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 500n },
];

/** What its failure books. */
const failureEntries: LedgerTransaction["entries"] = [
  { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 500n },
  { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: 500n },
];

/** Every table with the values that are hard to keep. */
const awkwardRows: { [T in keyof Tables]: Tables[T][] } = {
  payment_intents: [
    intentRow(),
    intentRow({
      version: 7,
      status: "requires_payment_method",
      amountMinor: 9_007_199_254_740_993n,
      amountReceivedMinor: 9_007_199_254_740_993n,
      captureMethod: "manual",
      currency: "jpy",
      canceledAtMs: atMs + 1,
      cancellationReason: "duplicate",
      paymentMethod: null,
      latestChargeId: "ch_1",
      lastPaymentError: {
        code: "card_declined",
        declineCode: null,
        message: awkwardText,
        chargeId: "ch_1",
        paymentMethod: { id: "pm_1", token: "pm_card_visa" },
      },
      activeAttemptId: "att_1",
      customer: awkwardText,
      description: awkwardText,
      receiptEmail: "a@example.com",
      statementDescriptor: "SHOP",
      statementDescriptorSuffix: "",
      transferGroup: "group",
      setupFutureUsage: "off_session",
      shipping: {
        name: awkwardText,
        phone: null,
        carrier: null,
        trackingNumber: "1",
        address: { line1: "1 Ünter", line2: null, city: null, state: null, postal_code: "0", country: "DE" },
      },
      metadata: awkwardMetadata,
      paymentMethodTypes: [],
      automaticPaymentMethods: { enabled: true, allowRedirects: null },
    }),
    intentRow({
      status: "requires_capture",
      amountMinor: 9_007_199_254_740_995n,
      captureBeforeMs: atMs + 1,
      amountCapturableMinor: 9_007_199_254_740_993n,
    }),
    intentRow({
      status: "requires_action",
      nextAction: { attemptId: "att_1", url: "https://api.example.test/challenges/att_1", returnUrl: null },
    }),
    intentRow({ confirmationMethod: "manual", authentication: awkwardText }),
  ],
  attempts: [
    attemptRow(),
    attemptRow({ captureLater: true }),
    attemptRow({ state: "challenged", challenge, authentication: "3ds_1" }),
    attemptRow({ state: "authenticated", challenge, authentication: "3ds_1", closedAtMs: atMs }),
    attemptRow({ state: "superseded", challenge: { ...challenge, pageUrl: null }, closedAtMs: atMs }),
    attemptRow({ state: "pending" }),
    attemptRow({ state: "voiding" }),
    attemptRow({ state: "voided", closedAtMs: atMs }),
    attemptRow({ kind: "void", acquirerReference: "ref_1", reversesAttemptId: "att_1" }),
    attemptRow({ kind: "capture", acquirerReference: awkwardText, state: "declined", closedAtMs: atMs + 999 }),
    attemptRow({ kind: "void", acquirerReference: "ref_1", cancellationReason: "abandoned" }),
    attemptRow({ kind: "refund", acquirerReference: "ref_1", refundId: "re_1", state: "succeeded", closedAtMs: atMs }),
  ],
  charges: [
    chargeRow({ metadata: awkwardMetadata, description: awkwardText, customer: "cus_1", receiptEmail: "" }),
    chargeRow({
      status: "failed",
      capturedMinor: 0n,
      acquirerReference: null,
      failure: { code: "card_declined", declineCode: "lost_card", message: awkwardText },
    }),
    chargeRow({ status: "pending", capturedMinor: 0n }),
    chargeRow({ status: "failed", capturedMinor: 0n }),
    chargeRow({
      amountMinor: 9_007_199_254_740_999n,
      capturedMinor: 9_007_199_254_740_998n,
      refundReservedMinor: 9_007_199_254_740_993n,
      refundedMinor: 5n,
    }),
  ],
  refunds: [
    refundRow(),
    refundRow({
      version: 3,
      status: "succeeded",
      amountMinor: 9_007_199_254_740_993n,
      currency: "jpy",
      reason: "requested_by_customer",
      metadata: awkwardMetadata,
      createdAtMs: atMs + 1,
      acceptedAtMs: atMs + 2,
    }),
    refundRow({ acceptedAtMs: atMs + 3 }),
    refundRow({ status: "failed", reason: "fraudulent" }),
  ],
  idempotency_keys: [
    keyRow({ expand: ["latest_charge", "data.latest_charge"] }),
    keyRow({
      idempotencyKey: "ключ 💶",
      attemptId: "att_1",
      resourceId: "pi_1",
      generation: 3,
      outcome: { status: 200, body: Uint8Array.from({ length: 256 }, (_, byte) => byte) },
      expiresAtMs: atMs + 86_400_000,
    }),
    keyRow({
      intention: {
        verb: "change_endpoint",
        // As text, so that the order of members stays, and awkward names do.
        input: { endpointId: "we_1", changes: { description: null, metadata: { ...awkwardMetadata, "": null } } },
      },
    }),
    keyRow({ idempotencyKey: null, outcome: { status: 402, body: new Uint8Array(0) }, expiresAtMs: atMs }),
    keyRow({ outcome: { status: 200, body: null }, expiresAtMs: atMs }),
  ],
  balance_checkpoints: [
    {
      accountId: "acct_rows",
      currency: "usd",
      readAt: "2026-01-15T12:00:00.000000001Z",
      sums: [
        { availableOnMs: Date.UTC(2026, 0, 16), amountMinor: -9_007_199_254_740_993n },
        { availableOnMs: Date.UTC(2026, 0, 17), amountMinor: 1n },
      ],
    },
    { accountId: "acct_rows", currency: "usd", readAt: "2026-01-15T12:00:00.000000002Z", sums: [] },
  ],
  ledger_transactions: [
    bookingRow(),
    bookingRow({ kind: "refund", sourceId: "re_1", entries: refundEntries }),
    bookingRow({
      kind: "refund_failure",
      sourceId: "re_1",
      entries: failureEntries,
      availableOnMs: Date.UTC(2026, 0, 19),
    }),
  ],
  events: [eventRow(), eventRow({ idempotencyKey: awkwardText, objectVersion: 2, data: new Uint8Array(0) })],
  outbox: [
    { eventId: newId("evt"), createdAtMs: atMs, leaseUntilMs: null },
    { eventId: newId("evt"), createdAtMs: atMs, leaseUntilMs: atMs + 30_000 },
  ],
};

/** All own names in a row, however deep: `toEqual` does not look at a key `__proto__`. */
function propertyNames(value: unknown): unknown {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return null;
  return Object.entries(value)
    .map(([name, member]) => [name, propertyNames(member)])
    .sort();
}
