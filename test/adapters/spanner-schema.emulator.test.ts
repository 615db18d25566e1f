// The schema's own guard of money: rows that no flow writes are refused by the database, whatever the flows believe.
// It must never test what the row types already rule out.
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import type { Change } from "../../functions/domain/rows.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { atMs, attemptRow, chargeRow, insertOf, intentRow, refundRow } from "../support/ledger-rows.ts";

let database: EmulatorDatabase;
beforeAll(async () => {
  database = await openEmulatorDatabase();
});
afterAll(async () => {
  await database?.close();
});

const charge = (capturedMinor: bigint, refundReservedMinor: bigint, refundedMinor: bigint) =>
  insertOf("charges", chargeRow({ capturedMinor, refundReservedMinor, refundedMinor }));
const held = (amountCapturableMinor: bigint) =>
  insertOf("payment_intents", intentRow({ status: "requires_capture", amountCapturableMinor, captureBeforeMs: atMs }));
const attempt = (changes: Parameters<typeof attemptRow>[0]) => insertOf("attempts", attemptRow(changes));
const about = { acquirerReference: "ref_1" };

const legal: readonly (readonly [string, Change])[] = [
  ["a charge whose rest is all refunded or reserved", charge(2_000n, 800n, 1_200n)],
  ["a hold of all that the intent is about", held(2_000n)],
];

/** What is wrong, the constraint that says so, and the row. */
const illegal: readonly (readonly [string, string, Change])[] = [
  ["a charge with more reserved than captured", "charges_money", charge(1_000n, 1_001n, 0n)],
  ["a charge with more refunded and reserved than captured", "charges_money", charge(2_000n, 801n, 1_200n)],
  ["a charge with less than nothing reserved", "charges_reserved", charge(2_000n, -1n, 0n)],
  ["a charge with more captured than authorized", "charges_money", charge(2_001n, 0n, 0n)],
  ["a hold of more than the intent is about", "payment_intents_capturable", held(2_001n)],
  ["a hold of nothing", "payment_intents_held", held(0n)],
  [
    "something held of an intent that holds nothing",
    "payment_intents_held",
    insertOf("payment_intents", intentRow({ amountCapturableMinor: 1n })),
  ],
  ["an authorization that is about another one", "attempts_reference", attempt({ kind: "authorize", ...about })],
  ["a capture without an authorization", "attempts_reference", attempt({ kind: "capture" })],
  ["a capture for later", "attempts_capture", attempt({ kind: "capture", ...about, captureLater: true })],
  [
    "a capture with a reason to cancel",
    "attempts_reason",
    attempt({ kind: "capture", ...about, cancellationReason: "duplicate" }),
  ],
  ["a refund's attempt without its refund", "attempts_refund", attempt({ kind: "refund", ...about })],
  ["a void with a refund", "attempts_refund", attempt({ kind: "void", ...about, refundId: "re_1" })],
  ["a refund of nothing", "refunds_amount", insertOf("refunds", refundRow({ amountMinor: 0n }))],
];

test.each(legal)("takes %s", async (_what, change) => {
  expect(await spannerLedger(database).insert("legal", [change])).toBe("inserted");
});

test.each(illegal)("refuses %s by %s", async (_what, constraint, change) => {
  await expect(spannerLedger(database).insert("illegal", [change])).rejects.toMatchObject({
    code: "internal",
    cause: { message: expect.stringContaining(`\`${constraint}\``) },
  });
});
