/**
 * The stories of keys and payments in Spanner, each from one read-only transaction, which sees one moment and locks nothing.
 * It must never read an answer's bytes, nor more than a fixed number of rows of any table.
 */
import type { Database } from "@google-cloud/spanner";
import {
  type AccountBooks,
  type KeyRecord,
  type PaymentRecords,
  recordsMax,
  summedBookingsMax,
  unsealedMax,
} from "../domain/story.ts";
import type { Stories } from "../flows/story-ports.ts";
import { type FoundColumns, reader } from "./spanner-columns.ts";
import { translate } from "./spanner-errors.ts";
import { query, queryOptions, type Statement } from "./spanner-query.ts";
import { readBookingAsItIs, readKey } from "./spanner-record-rows.ts";
import { rowCodecs } from "./spanner-rows.ts";
import { readSeal, selectNewestSeals } from "./spanner-seals.ts";

/** The stories of an open database (see `openSpanner`). */
export function spannerStories(deps: { readonly database: Database }): Stories {
  const { database } = deps;
  return {
    ofKey: (keyHash) =>
      atOneMoment({ database, tag: "story-of-key" }, async (ask) => {
        const [found] = await ask(selectKey(keyHash));
        if (found === undefined) return undefined;
        const intentId = reader(found).textOrNull("intent_id");
        const [columns] = intentId === null ? [] : await ask(selectPayment(intentId));
        return { row: readRecord(found), payment: (columns && readPayment(columns)) ?? null };
      }),
    ofPayment: async (intentId) => {
      const [columns] = await query(database, "story-of-payment", selectPayment(intentId));
      return columns && readPayment(columns);
    },
    ofBooks: async (accountId) => {
      const [columns = {}] = await query(database, "story-of-books", selectBooks(accountId));
      return readBooks(columns);
    },
  };
}

type Ask = (statement: Statement) => Promise<readonly FoundColumns[]>;

async function atOneMoment<Result>(
  { database, tag }: { readonly database: Database; readonly tag: string },
  body: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  try {
    const [snapshot] = await database.getSnapshot({ strong: true });
    try {
      return await body(async (statement) => {
        const [rows] = await snapshot.run({ ...statement, ...queryOptions, requestOptions: { requestTag: tag } });
        return rows as unknown as readonly FoundColumns[];
      });
    } finally {
      snapshot.end();
    }
  } catch (error) {
    throw translate("before", error);
  }
}

/** The row without its answer's bytes, and the intent that its request is about: its attempt's, its refund's, or itself. */
function selectKey(keyHash: string): Statement {
  const intent =
    "COALESCE((SELECT a.intent_id FROM attempts a WHERE a.attempt_id = k.attempt_id), " +
    "(SELECT r.intent_id FROM refunds r WHERE r.refund_id = k.resource_id), k.resource_id)";
  return {
    sql:
      "SELECT k.* EXCEPT (outcome_body), CAST(NULL AS BYTES) AS outcome_body, " +
      "BYTE_LENGTH(k.outcome_body) AS body_bytes, " +
      "IFNULL(STARTS_WITH(k.outcome_body, b'sealed:'), FALSE) AS body_encrypted, " +
      `${intent} AS intent_id FROM idempotency_keys k WHERE k.key_hash = @key`,
    params: { key: keyHash },
    types: { key: "string" },
  };
}

function readRecord(columns: FoundColumns): KeyRecord {
  const { outcome, ...row } = readKey(columns);
  const read = reader(columns);
  const kept = { bytes: read.countOrNull("body_bytes"), encrypted: read.flag("body_encrypted") };
  return { ...row, outcome: outcome === null ? null : { status: outcome.status, ...kept } };
}

/** One statement; each list from an index that begins with a random id, newest first and cut. */
function selectPayment(intentId: string): Statement {
  const cut = (id: string) => `ORDER BY t.created_at DESC, ${id} DESC LIMIT ${recordsMax}`;
  const charges = "SELECT charge_id FROM attempts@{FORCE_INDEX=attempts_by_intent} WHERE intent_id = @intent";
  const refunds = "SELECT refund_id FROM refunds@{FORCE_INDEX=refunds_by_intent} WHERE intent_id = @intent";
  const sources = `SELECT 'charge' AS kind, charge_id AS id FROM (SELECT DISTINCT charge_id FROM (${charges})) UNION ALL SELECT kind, refund_id AS id FROM (${refunds}), UNNEST(['refund', 'refund_failure']) AS kind`;
  const objects = `SELECT @intent AS id UNION DISTINCT (${charges}) UNION DISTINCT (${refunds})`;
  const arrays = {
    payment_intents: `${rowCodecs.payment_intents.select} WHERE t.intent_id = @intent`,
    attempts: `SELECT AS STRUCT t.* FROM attempts@{FORCE_INDEX=attempts_by_intent} t WHERE t.intent_id = @intent ${cut("t.attempt_id")}`,
    charges: `${rowCodecs.charges.select} WHERE t.charge_id IN (${charges}) ${cut("t.charge_id")}`,
    refunds: `${rowCodecs.refunds.select} WHERE t.refund_id IN (${refunds}) ${cut("t.refund_id")}`,
    bookings: `${rowCodecs.ledger_transactions.select} JOIN (${sources}) s ON t.kind = s.kind AND t.source_id = s.id ${cut("t.source_id DESC, t.kind")}`,
    events: `${rowCodecs.events.select} WHERE t.event_id IN (SELECT e.event_id FROM (${objects}) o JOIN events@{FORCE_INDEX=events_by_object} e ON e.object_id = o.id) ${cut("t.event_id")}`,
  };
  const columns = Object.entries(arrays).map(([name, select]) => `ARRAY(${select}) AS ${name}`);
  return { sql: `SELECT ${columns.join(", ")}`, params: { intent: intentId }, types: { intent: "string" } };
}

function readPayment(columns: FoundColumns): PaymentRecords | undefined {
  const read = reader(columns);
  const list = (name: string) => read.json<readonly FoundColumns[]>(name).toReversed();
  const [intent] = list("payment_intents").map(rowCodecs.payment_intents.read);
  if (intent === undefined) return undefined;
  return {
    intent,
    attempts: list("attempts").map(rowCodecs.attempts.read),
    charges: list("charges").map(rowCodecs.charges.read),
    refunds: list("refunds").map(rowCodecs.refunds.read),
    // As they stand: whoever looks at a payment has to see a booking out of balance, not an error.
    bookings: list("bookings").map(readBookingAsItIs),
    events: list("events").map(rowCodecs.events.read),
  };
}

const shards = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The newest bookings of the account shard by shard, their entries summed; the newest seals; and what stands behind those. */
function selectBooks(accountId: string): Statement {
  const order = "ORDER BY created_at DESC, source_id DESC, kind DESC";
  const page = `${order} LIMIT ${summedBookingsMax + 1}`;
  const parts = shards.map(
    (shard) =>
      "(SELECT kind, source_id, currency, created_at FROM ledger_transactions@{FORCE_INDEX=ledger_transactions_newest} " +
      `WHERE account_id = @account AND seal_shard = ${shard} ${page})`,
  );
  const newest = `SELECT kind, source_id, currency FROM (${parts.join(" UNION ALL ")}) ${order} LIMIT ${summedBookingsMax}`;
  const side = (direction: string) => `SUM(IF(e.direction = '${direction}', e.amount_minor, 0)) AS ${direction}_minor`;
  const sums =
    `SELECT AS STRUCT n.currency, COUNT(DISTINCT CONCAT(n.kind, n.source_id)) AS bookings, ${side("debit")}, ${side("credit")} ` +
    `FROM (${newest}) n JOIN@{JOIN_METHOD=APPLY_JOIN} ledger_entries e ON e.kind = n.kind AND e.source_id = n.source_id ` +
    "GROUP BY n.currency ORDER BY n.currency";
  const seen = `SELECT COUNT(*) FROM (${parts.join(" UNION ALL ")})`;
  const unsealed = shards.map(
    (shard) =>
      "(SELECT t.committed_at FROM ledger_transactions@{FORCE_INDEX=ledger_transactions_tail} t " +
      `WHERE t.account_id = @account AND t.seal_shard = ${shard} AND t.committed_at > ` +
      `IFNULL((SELECT committed_until FROM ledger_seals WHERE seal_shard = ${shard} ORDER BY seal_number DESC LIMIT 1), TIMESTAMP '0001-01-01T00:00:00Z') ` +
      `ORDER BY t.committed_at LIMIT ${unsealedMax})`,
  );
  const behind = `SELECT AS STRUCT COUNT(*) AS bookings, MIN(committed_at) AS since FROM (${unsealed.join(" UNION ALL ")})`;
  return {
    sql: `SELECT ARRAY(${sums}) AS sums, (${seen}) AS seen, ARRAY(${selectNewestSeals(shards)}) AS seals, ARRAY(${behind}) AS behind`,
    params: { account: accountId },
    types: { account: "string" },
  };
}

function readBooks(columns: FoundColumns): AccountBooks {
  const read = reader(columns);
  const list = (name: string) => read.json<readonly FoundColumns[]>(name);
  const sums = list("sums").map((found) => {
    const sum = reader(found);
    return {
      bookings: sum.count("bookings"),
      sum: {
        currency: sum.text<AccountBooks["sums"][number]["currency"]>("currency"),
        debitMinor: sum.amount("debit_minor"),
        creditMinor: sum.amount("credit_minor"),
      },
    };
  });
  const behind = reader(list("behind")[0] ?? {});
  return {
    sums: sums.map(({ sum }) => sum),
    bookings: sums.reduce((total, { bookings }) => total + bookings, 0),
    hasMore: read.count("seen") > summedBookingsMax,
    seals: list("seals").map(readSeal),
    unsealed: Math.min(behind.count("bookings"), unsealedMax),
    unsealedSinceMs: behind.timeOrNull("since"),
  };
}
