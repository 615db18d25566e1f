// The shapes of the life of a key, the timeline of a payment and the health of the books: closed, so that no field slips in.
// It must never follow the serializers: what may be told is decided here.
import { stepKinds } from "../story-steps.ts";
import { nullable, objectOf, type Schema } from "./json-schema.ts";
import { amount, choice, currency, integer, no, text } from "./schema-words.ts";

/** Milliseconds: a time in seconds would be in 1970. */
const milliseconds: Schema = { type: "integer", minimum: 1_000_000_000_000 };
const yes: Schema = { type: "boolean" };
const digest: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
const named = (prefix: string): Schema => ({ type: "string", pattern: `^${prefix}_[A-Za-z0-9_]+$` });
const listOf = (items: Schema): Schema => ({ type: "array", items });
/** Eight characters of a lease's owner at most. */
const owner: Schema = { type: "string", pattern: "^.{1,8}$" };

const attempt = objectOf<Record<string, unknown>>({
  id: named("att"),
  kind: choice("authorize", "capture", "void", "refund"),
  state: choice(
    ...["open", "challenged", "pending", "voiding", "succeeded", "declined"],
    ...["authenticated", "superseded", "voided"],
  ),
  amount,
  currency,
  payment_method: named("pm"),
  charge: named("ch"),
  refund: nullable(named("re")),
  reverses: nullable(named("att")),
  adopted: yes,
  failure: nullable(objectOf<Record<string, unknown>>({ code: text, decline_code: nullable(text) })),
  lease_until_ms: milliseconds,
  created_at_ms: milliseconds,
  closed_at_ms: nullable(milliseconds),
});

const booking = objectOf<Record<string, unknown>>({
  id: named("txn"),
  kind: choice("charge", "refund", "refund_failure"),
  source: text,
  currency,
  created_at_ms: milliseconds,
  available_on_ms: milliseconds,
  entries: listOf(
    objectOf<Record<string, unknown>>({
      account: choice("acquirer_receivable", "merchant_payable", "platform_fees"),
      direction: choice("debit", "credit"),
      amount,
    }),
  ),
});

const event = objectOf<Record<string, unknown>>({
  id: named("evt"),
  type: text,
  object_id: text,
  object_version: integer,
  status: nullable(text),
  request: nullable(named("req")),
  created_at_ms: milliseconds,
});

const deliveryAttempt = objectOf<Record<string, unknown>>({
  id: text,
  number: nullable(integer),
  resend: nullable(text),
  redrive: nullable(text),
  started_at_ms: milliseconds,
  duration_ms: integer,
  failure: nullable(text),
  http_status: nullable(integer),
  response_excerpt: text,
});

const delivery = objectOf<Record<string, unknown>>({
  id: named("wd"),
  event: named("evt"),
  event_type: text,
  webhook_endpoint: named("we"),
  status: choice("pending", "delivered", "dead"),
  in_flight: yes,
  next_attempt: nullable(objectOf<Record<string, unknown>>({ number: integer, at_ms: milliseconds })),
  dead_letter_reason: nullable(text),
  redrive: nullable(text),
  created_at_ms: milliseconds,
  attempts: listOf(deliveryAttempt),
});

const story = listOf(
  objectOf<Record<string, unknown>>({
    at_ms: milliseconds,
    kind: choice(...stepKinds),
    about: nullable(text),
    text: { type: "string", pattern: "^[A-Z].*\\.$" },
  }),
);

/** The life of a key. */
export const keyLife = objectOf<Record<string, unknown>>({
  object: { const: "idempotency_key_life" },
  key_id: digest,
  idempotency_key: nullable(text),
  livemode: no,
  read_at_ms: milliseconds,
  state: choice("claimed", "in_progress", "completed", "expired"),
  record: nullable(
    objectOf<Record<string, unknown>>({
      method: { const: "POST" },
      path: text,
      fingerprint: digest,
      request: named("req"),
      resource: nullable(text),
      attempt: nullable(named("att")),
      generation: integer,
      owner,
      lease_until_ms: milliseconds,
      taken_over_at_ms: nullable(milliseconds),
      created_at_ms: milliseconds,
      outcome: nullable(
        objectOf<Record<string, unknown>>({ status: integer, body_bytes: nullable(integer), body_encrypted: yes }),
      ),
      expires_at_ms: nullable(milliseconds),
    }),
  ),
  claim_read: choice("found", "none", "unknown"),
  claim: nullable(
    objectOf<Record<string, unknown>>({
      state: choice("in_progress", "completed", "released"),
      fingerprint: digest,
      request: named("req"),
      generation: integer,
      owner,
      lease_until_ms: milliseconds,
      created_at_ms: milliseconds,
      answer: choice("none", "kept", "in_ledger"),
      expires_at_ms: nullable(milliseconds),
    }),
  ),
  attempts: listOf(attempt),
  ledger_transactions: listOf(booking),
  events: listOf(event),
  deliveries: listOf(delivery),
  story,
});

/** The timeline of a payment. */
export const paymentTimeline = objectOf<Record<string, unknown>>({
  object: { const: "payment_timeline" },
  payment_intent: named("pi"),
  amount,
  currency,
  livemode: no,
  read_at_ms: milliseconds,
  status: text,
  version: integer,
  attempts: listOf(attempt),
  ledger_transactions: listOf(booking),
  events: listOf(event),
  refunds: listOf(
    objectOf<Record<string, unknown>>({
      id: named("re"),
      amount,
      status: choice("pending", "succeeded", "failed"),
      created_at_ms: milliseconds,
    }),
  ),
  deliveries: listOf(delivery),
  story,
});

/** The health of the books. */
export const ledgerHealth = objectOf<Record<string, unknown>>({
  object: { const: "ledger_health" },
  livemode: no,
  read_at_ms: milliseconds,
  balanced: yes,
  bookings: integer,
  complete: yes,
  sums: listOf(objectOf<Record<string, unknown>>({ currency, debit: amount, credit: amount, difference: integer })),
  balances: listOf(objectOf<Record<string, unknown>>({ currency, available: integer, pending: integer })),
  seals: listOf(
    objectOf<Record<string, unknown>>({
      shard: { type: "integer", minimum: 0 },
      number: { type: "integer", minimum: 1 },
      root: digest,
      until: text,
    }),
  ),
  unsealed: objectOf<Record<string, unknown>>({ bookings: integer, since_ms: nullable(milliseconds) }),
});
