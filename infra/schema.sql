-- The ledger's schema in Cloud Spanner's GoogleSQL: the truth about payments, keys, books and events (design sections 4-6).
-- It never starts a key or an index with a time or a counter, and a statement that was released is never edited, moved or
-- removed: changes are files of migrations/, because Terraform sends only what follows the statements it already sent.
--
-- Conventions. Ids are random text with a prefix (`pi_`, `ch_`, `re_`, `evt_`), so writes spread over the whole key range.
-- Amounts are integers in the minor unit of `currency` (lower-case ISO 4217). Times are the application's clock to the
-- millisecond, except `committed_at`, which Spanner sets on every write. JSON columns hold what no query asks for.

-- Merchants. The key is the id, not the name: everything else refers to it, and a name may one day change.
CREATE TABLE accounts (
  account_id STRING(64) NOT NULL,     -- `acct_…`
  name STRING(255) NOT NULL,          -- given by the operator; unique by the index below
  created_at TIMESTAMP NOT NULL,
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (account_id);

-- One account per name: two operators who create the same name at once get one account.
CREATE UNIQUE INDEX accounts_by_name ON accounts (name);

-- API keys. The key is the digest, because that is what a request brings; the secret itself is stored nowhere.
CREATE TABLE api_keys (
  digest STRING(64) NOT NULL,         -- SHA-256 of the whole secret, in hex
  account_id STRING(64) NOT NULL,
  last_four STRING(4) NOT NULL,       -- last characters of the secret, to tell keys apart in a list
  created_at TIMESTAMP NOT NULL,
  revoked_at TIMESTAMP,               -- NULL while the key works
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (digest);

-- The keys of one account, for the operator's list.
CREATE INDEX api_keys_by_account ON api_keys (account_id, digest);

-- Idempotency keys: who works on a key, and what its first answer was. The key is a digest over account, mode and key,
-- so it cannot be forged by odd characters. Nothing refers to this table, so its rows may be deleted by age.
CREATE TABLE idempotency_keys (
  key_hash STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  idempotency_key STRING(255),        -- as the client sent it; NULL when it sent none and the server made the identity
  method STRING(16) NOT NULL,
  path STRING(MAX) NOT NULL,
  fingerprint STRING(64) NOT NULL,    -- digest of method, path and parameters; another one with this key is refused
  request_id STRING(64) NOT NULL,     -- the first request
  expand ARRAY<STRING(MAX)> NOT NULL, -- what the answer has to show, so that whoever seals it renders the same bytes
  attempt_id STRING(64),              -- the attempt that decides the outcome; NULL when the first commit decided it
  resource_id STRING(64),             -- what the request is about, once known
  intention STRING(MAX),              -- JSON of what is wanted outside the ledger, while there is no outcome; text, which keeps its order
  owner STRING(64) NOT NULL,          -- random token of the worker that holds the lease
  generation INT64 NOT NULL,          -- 1 for the first claim, raised by every takeover; the higher one wins
  lease_until TIMESTAMP NOT NULL,
  created_at TIMESTAMP NOT NULL,
  outcome_status INT64,               -- HTTP status of the first answer; NULL while there is none
  outcome_body BYTES(MAX),            -- its bytes; NULL while there is none, or when they were too large to keep
  expires_at TIMESTAMP,               -- end of the replay; NULL, which is never, while there is no outcome
  delete_after TIMESTAMP AS (expires_at) STORED, -- what the deletion policy looks at; reads judge by expires_at alone
  intention_shard INT64 AS (IF(intention IS NULL, NULL, ABS(MOD(FARM_FINGERPRINT(key_hash), 8)))) STORED, -- NULL unless something is wanted
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT idempotency_keys_generation CHECK (generation >= 1),
  CONSTRAINT idempotency_keys_outcome CHECK ((outcome_status IS NULL) = (expires_at IS NULL)),
  CONSTRAINT idempotency_keys_body CHECK (outcome_body IS NULL OR outcome_status IS NOT NULL),
  CONSTRAINT idempotency_keys_intention CHECK (intention IS NULL OR (outcome_status IS NULL AND attempt_id IS NULL)),
) PRIMARY KEY (key_hash), ROW DELETION POLICY (OLDER_THAN(delete_after, INTERVAL 1 DAY));

-- Keys that announce something, by the end of their lease: the completer's work. All others have no shard and no entry here,
-- so the key row of a payment costs no index.
CREATE NULL_FILTERED INDEX idempotency_keys_intended ON idempotency_keys (intention_shard, lease_until);

-- Payment intents: state and money in typed columns, the rest in `details`.
CREATE TABLE payment_intents (
  intent_id STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  version INT64 NOT NULL,             -- raised by every change; projections order by it
  status STRING(32) NOT NULL,
  amount_minor INT64 NOT NULL,
  capture_before TIMESTAMP,           -- when a hold ends by itself; NULL unless something is held
  amount_capturable_minor INT64 NOT NULL, -- what a capture may still take; 0 unless something is held
  amount_received_minor INT64 NOT NULL,
  currency STRING(3) NOT NULL,
  capture_method STRING(32) NOT NULL,
  confirmation_method STRING(32) NOT NULL,
  client_secret STRING(255) NOT NULL, -- given to the buyer's browser; opens this one intent
  created_at TIMESTAMP NOT NULL,
  canceled_at TIMESTAMP,
  cancellation_reason STRING(32),
  payment_method_id STRING(64),       -- `pm_…` as the API shows it; NULL together with the token
  payment_method_token STRING(255),   -- what the acquirer is given
  latest_charge_id STRING(64),
  last_payment_error JSON,            -- the last decline, until the next update or success
  next_action JSON,                   -- what the buyer has to do; NULL unless the status asks for it
  authentication STRING(255),         -- a passed challenge that the next confirm carries; NULL without
  active_attempt_id STRING(64),       -- the slot: the one open attempt; NULL frees it for the next command
  customer STRING(MAX),               -- a column of its own because lists filter by it
  details JSON NOT NULL,              -- description, shipping and all else that moves no money
  metadata JSON NOT NULL,             -- the client's own text by text
  list_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(intent_id), 8))) STORED, -- 0 to 7, see the index below
  hold_shard INT64 AS (IF(status = 'requires_capture' AND active_attempt_id IS NULL, ABS(MOD(FARM_FINGERPRINT(intent_id), 8)), NULL)) STORED, -- NULL unless held and idle
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT payment_intents_version CHECK (version >= 1),
  CONSTRAINT payment_intents_status CHECK (status IN ('requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'requires_capture', 'succeeded', 'canceled')),
  CONSTRAINT payment_intents_action CHECK ((status = 'requires_action') = (next_action IS NOT NULL)),
  CONSTRAINT payment_intents_amount CHECK (amount_minor > 0),
  CONSTRAINT payment_intents_capturable CHECK (amount_capturable_minor >= 0 AND amount_capturable_minor <= amount_minor),
  CONSTRAINT payment_intents_held CHECK ((status = 'requires_capture') = (amount_capturable_minor > 0)),
  CONSTRAINT payment_intents_window CHECK ((status = 'requires_capture') = (capture_before IS NOT NULL)),
  CONSTRAINT payment_intents_received CHECK (amount_received_minor >= 0 AND amount_received_minor <= amount_minor),
  CONSTRAINT payment_intents_method CHECK ((payment_method_id IS NULL) = (payment_method_token IS NULL)),
) PRIMARY KEY (intent_id);

-- An account's intents, newest first. Eight shards, because the newest rows of a busy account all fall on one spot:
-- a list reads one page from each shard and merges. `customer` rides along, so a filter does not visit the table.
CREATE INDEX payment_intents_newest ON payment_intents (account_id, list_shard, created_at DESC, intent_id DESC) STORING (customer);

-- Holds by the end of their window: the expiry's work. What is not held, or is being worked on, has no shard and no entry.
CREATE NULL_FILTERED INDEX payment_intents_held_until ON payment_intents (hold_shard, capture_before);

-- Attempts: the durable intention to call the acquirer once; the id is the acquirer's idempotency key.
CREATE TABLE attempts (
  attempt_id STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  intent_id STRING(64) NOT NULL,
  kind STRING(32) NOT NULL,
  state STRING(32) NOT NULL,
  amount_minor INT64 NOT NULL,        -- frozen with currency and method when the attempt began
  currency STRING(3) NOT NULL,
  payment_method_token STRING(255) NOT NULL,
  payment_method_id STRING(64) NOT NULL,
  capture_later BOOL NOT NULL,        -- of an authorization: hold the money only
  acquirer_reference STRING(255),     -- the authorization that it is about; NULL when it is one
  charge_id STRING(64) NOT NULL,      -- made before the call, so that a repeated commit names the same charge
  refund_id STRING(64),               -- the refund that it carries out; NULL for every other kind
  cancellation_reason STRING(32),     -- of a void: why the payment is canceled
  challenge JSON,                     -- how the buyer may be asked who they are; NULL when nobody may ask
  authentication STRING(255),         -- the acquirer's name for the challenge that it waits for or carries
  reverses_attempt_id STRING(64),     -- the attempt whose late effect it takes back; NULL for all others
  key_hash STRING(64) NOT NULL,       -- the idempotency key whose outcome this attempt decides
  lease_until TIMESTAMP NOT NULL,     -- until then its own worker drives it, or nobody has to look; later the completer does
  created_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,
  list_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(attempt_id), 8))) STORED, -- 0 to 7, see the last index below
  open_shard INT64 AS (IF(state IN ('open', 'challenged', 'pending', 'voiding'), ABS(MOD(FARM_FINGERPRINT(attempt_id), 8)), NULL)) STORED, -- NULL once closed
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT attempts_kind CHECK (kind IN ('authorize', 'capture', 'void', 'refund')),
  CONSTRAINT attempts_state CHECK (state IN ('open', 'challenged', 'pending', 'voiding', 'succeeded', 'declined', 'authenticated', 'superseded', 'voided')),
  CONSTRAINT attempts_closed CHECK ((state IN ('open', 'challenged', 'pending', 'voiding')) = (closed_at IS NULL)),
  CONSTRAINT attempts_amount CHECK (amount_minor > 0),
  CONSTRAINT attempts_capture CHECK (kind = 'authorize' OR NOT capture_later),
  CONSTRAINT attempts_reference CHECK ((kind = 'authorize') = (acquirer_reference IS NULL)),
  CONSTRAINT attempts_refund CHECK ((kind = 'refund') = (refund_id IS NOT NULL)),
  CONSTRAINT attempts_challenge CHECK (kind = 'authorize' OR challenge IS NULL),
  CONSTRAINT attempts_challenged CHECK (state != 'challenged' OR (challenge IS NOT NULL AND authentication IS NOT NULL)),
  CONSTRAINT attempts_reversal CHECK (reverses_attempt_id IS NULL OR kind = 'void'),
  CONSTRAINT attempts_reason CHECK (kind = 'void' OR cancellation_reason IS NULL),
) PRIMARY KEY (attempt_id);

-- Attempts under way by the end of their lease: the completer's work. Closed ones have no shard and so no entry here.
CREATE NULL_FILTERED INDEX attempts_open ON attempts (open_shard, lease_until);

-- Attempts by the time of their beginning, for the daily match with the acquirer's list; sharded as the intents are.
CREATE INDEX attempts_created ON attempts (list_shard, created_at, attempt_id);

-- The attempts of one payment, for its story; spread by the payment's random id, and written once, because neither column
-- ever changes. The charge rides along, since a payment's charges are those of its attempts.
CREATE INDEX attempts_by_intent ON attempts (intent_id, created_at, attempt_id) STORING (charge_id);

-- Charges: each try to move money, as the acquirer answered it.
CREATE TABLE charges (
  charge_id STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  intent_id STRING(64) NOT NULL,
  attempt_id STRING(64) NOT NULL,
  version INT64 NOT NULL,             -- raised by every change; projections order by it
  status STRING(32) NOT NULL,
  amount_minor INT64 NOT NULL,
  captured_minor INT64 NOT NULL,      -- 0 while the money is only held
  refund_reserved_minor INT64 NOT NULL, -- kept for refunds under way, whose sum must never exceed what was captured
  refunded_minor INT64 NOT NULL,
  currency STRING(3) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  payment_method_id STRING(64) NOT NULL,
  payment_method_token STRING(255) NOT NULL,
  acquirer_reference STRING(255),     -- the acquirer's name for it; NULL when it refused at once
  failure JSON,                       -- code, decline code and text; NULL when it succeeded
  customer STRING(MAX),
  details JSON NOT NULL,              -- what was copied from the intent when the attempt began
  metadata JSON NOT NULL,
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT charges_version CHECK (version >= 1),
  CONSTRAINT charges_status CHECK (status IN ('succeeded', 'pending', 'failed')),
  CONSTRAINT charges_amount CHECK (amount_minor > 0),
  CONSTRAINT charges_money CHECK (0 <= refunded_minor AND refunded_minor + refund_reserved_minor <= captured_minor AND captured_minor <= amount_minor),
  CONSTRAINT charges_reserved CHECK (0 <= refund_reserved_minor),
  CONSTRAINT charges_reference CHECK (status = 'failed' OR acquirer_reference IS NOT NULL),
  CONSTRAINT charges_taken CHECK (status = 'succeeded' OR captured_minor = 0),
) PRIMARY KEY (charge_id);

-- Refunds: what was or is to be given back of one charge. The amount never changes; while pending it is reserved there.
CREATE TABLE refunds (
  refund_id STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  intent_id STRING(64) NOT NULL,
  charge_id STRING(64) NOT NULL,
  version INT64 NOT NULL,             -- raised by every change; projections order by it
  status STRING(32) NOT NULL,
  amount_minor INT64 NOT NULL,
  currency STRING(3) NOT NULL,
  reason STRING(32),                  -- the client's; NULL when it gave none
  created_at TIMESTAMP NOT NULL,
  accepted_at TIMESTAMP,              -- when the acquirer accepted it, which books it; NULL until then
  metadata JSON NOT NULL,             -- the client's own text by text
  list_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(refund_id), 8))) STORED, -- 0 to 7, see the index below
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT refunds_version CHECK (version >= 1),
  CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed')),
  CONSTRAINT refunds_amount CHECK (amount_minor > 0),
  CONSTRAINT refunds_accepted CHECK (status != 'succeeded' OR accepted_at IS NOT NULL),
) PRIMARY KEY (refund_id);

-- An account's refunds, newest first; sharded as the intents are.
CREATE INDEX refunds_newest ON refunds (account_id, list_shard, created_at DESC, refund_id DESC);

-- The refunds of one payment, newest first: too few to need shards, and spread by the payment's random id. The account
-- rides along, because a list never shows another account's rows.
CREATE INDEX refunds_by_intent ON refunds (intent_id, created_at DESC, refund_id DESC) STORING (account_id);

-- The same by charge; the intent rides along for a list that names both.
CREATE INDEX refunds_by_charge ON refunds (charge_id, created_at DESC, refund_id DESC) STORING (account_id, intent_id);

-- The books: one row per business action. The key is what was done to what, so the same action cannot be booked twice,
-- even when two different events stand for it. Rows are only ever added.
CREATE TABLE ledger_transactions (
  kind STRING(32) NOT NULL,
  source_id STRING(64) NOT NULL,      -- the object that the action is about, the charge or the refund
  account_id STRING(64) NOT NULL,
  intent_id STRING(64) NOT NULL,
  currency STRING(3) NOT NULL,        -- of all its entries
  created_at TIMESTAMP NOT NULL,
  available_on TIMESTAMP NOT NULL,    -- UTC midnight from which the merchant may have it
  payable_minor INT64 NOT NULL,       -- what its entries add to what the merchant is owed; a balance is a sum of these
  fee_minor INT64 NOT NULL,           -- what of it we kept
  seal_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(source_id), 8))) STORED, -- 0 to 7: the chain that seals it; indexes use it, too
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT ledger_transactions_kind CHECK (kind IN ('charge', 'refund', 'refund_failure')),
  CONSTRAINT ledger_transactions_payable CHECK ((kind = 'refund') = (payable_minor < 0)),
  CONSTRAINT ledger_transactions_fee CHECK (fee_minor >= 0 AND (kind = 'charge' OR fee_minor = 0)),
) PRIMARY KEY (kind, source_id);

-- Bookings in the order of their commits, for sealing, and for finding the accounts whose checkpoint is behind. Spanner's
-- clock gives that order and the application's does not; eight shards, because by time alone every booking would fall on
-- one spot.
CREATE INDEX ledger_transactions_committed ON ledger_transactions (seal_shard, committed_at) STORING (account_id);

-- An account's bookings, newest first; sharded as the intents are. The source decides between those of one millisecond.
CREATE INDEX ledger_transactions_newest ON ledger_transactions (account_id, seal_shard, created_at DESC, source_id DESC, kind DESC) STORING (currency);

-- The tail of a balance: what an account's bookings of a commit time or later come to, read from the index alone.
CREATE INDEX ledger_transactions_tail ON ledger_transactions (account_id, seal_shard, committed_at) STORING (currency, available_on, payable_minor);

-- Checkpoints of balances: the sums of an account's bookings that were committed up to `read_at`, one row for each currency,
-- all of one moment in one commit. A balance is the newest one and the bookings after it. Rows are added and, once there
-- are newer ones, deleted; no payment ever writes here.
CREATE TABLE balance_checkpoints (
  account_id STRING(64) NOT NULL,
  currency STRING(3) NOT NULL,
  read_at TIMESTAMP NOT NULL,         -- the read timestamp, to the last digit
  sums JSON NOT NULL,                 -- minor units as text by the UTC day from which they are available: {"2026-01-17":"1912"}
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (account_id, currency, read_at DESC);

-- Lines of a booking, stored beside it; debits equal credits, which the application asserts on every write and read.
CREATE TABLE ledger_entries (
  kind STRING(32) NOT NULL,
  source_id STRING(64) NOT NULL,
  entry_number INT64 NOT NULL,        -- 1, 2, … in the order booked; it orders lines of one booking only
  ledger_account STRING(64) NOT NULL,
  direction STRING(8) NOT NULL,       -- gives the amount its sign
  amount_minor INT64 NOT NULL,
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT ledger_entries_account CHECK (ledger_account IN ('acquirer_receivable', 'merchant_payable', 'platform_fees')),
  CONSTRAINT ledger_entries_direction CHECK (direction IN ('debit', 'credit')),
  CONSTRAINT ledger_entries_amount CHECK (amount_minor > 0),
) PRIMARY KEY (kind, source_id, entry_number), INTERLEAVE IN PARENT ledger_transactions ON DELETE NO ACTION;

-- The chain over the books: each row seals all bookings of a shard that were committed in an interval, and the row before
-- it. The key cannot fork: of two jobs that seal at once, one finds its number taken. Rows are only ever added.
CREATE TABLE ledger_seals (
  seal_shard INT64 NOT NULL,          -- 0 to 7
  seal_number INT64 NOT NULL,         -- 1, 2, … without a gap
  encoding INT64 NOT NULL,            -- which rules made the hashed bytes; see functions/domain/seal.ts
  previous_root STRING(64),           -- NULL for number 1
  root STRING(64) NOT NULL,           -- SHA-256 in hex; it is also written to the log
  booking_count INT64 NOT NULL,
  committed_after TIMESTAMP NOT NULL, -- the interval begins behind this time, to the nanosecond
  committed_until TIMESTAMP NOT NULL, -- and ends with this one, to which no later commit can come
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT ledger_seals_shard CHECK (seal_shard BETWEEN 0 AND 7),
  CONSTRAINT ledger_seals_number CHECK (seal_number >= 1),
  CONSTRAINT ledger_seals_previous CHECK ((seal_number = 1) = (previous_root IS NULL)),
  CONSTRAINT ledger_seals_count CHECK (booking_count >= 1),
  CONSTRAINT ledger_seals_interval CHECK (committed_after < committed_until),
) PRIMARY KEY (seal_shard, seal_number);

-- Breaks: where the acquirer, the attempts and the books do not tell the same story. The key is what differs about whose
-- order, so a break that is found again adds nothing; one that is gone is closed, and opened again if it comes back.
-- Nothing but the daily match reads it, and it has few rows, so it needs no index.
CREATE TABLE breaks (
  subject STRING(255) NOT NULL,       -- the order's key at the acquirer: an attempt's id, unless the order is not ours
  kind STRING(32) NOT NULL,
  account_id STRING(64),              -- NULL together with the intent for an order that is no attempt of ours
  intent_id STRING(64),
  detail STRING(MAX) NOT NULL,        -- amounts and states, for people
  opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,                -- NULL while it stands
  accepted_by STRING(255),            -- who said that it is dealt with, though it does not go away
  accepted_reason STRING(MAX),
  acceptance_confirmed_by STRING(255), -- somebody else who agreed; from then on it is not open any more
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT breaks_kind CHECK (kind IN ('effect_without_attempt', 'attempt_without_effect', 'booked_without_effect', 'effect_of_closed_attempt', 'kind_differs', 'amount_differs', 'currency_differs', 'not_booked', 'booked_differently', 'open_too_long')),
  CONSTRAINT breaks_accepted CHECK ((accepted_by IS NULL) = (accepted_reason IS NULL)),
  CONSTRAINT breaks_two CHECK (acceptance_confirmed_by IS NULL OR LOWER(TRIM(acceptance_confirmed_by)) != LOWER(TRIM(accepted_by))),
  CONSTRAINT breaks_confirmed CHECK (acceptance_confirmed_by IS NULL OR accepted_by IS NOT NULL),
  CONSTRAINT breaks_subject CHECK ((account_id IS NULL) = (intent_id IS NULL)),
) PRIMARY KEY (subject, kind);

-- What persons said of attempts that no machine could end: the order to act, and the record of who gave it and why. One
-- proposes, another one confirms, the sweep carries it out. Rows are never deleted; they are few, so they need no index.
CREATE TABLE operator_actions (
  action_id STRING(64) NOT NULL,      -- `op_…`
  attempt_id STRING(64) NOT NULL,
  verdict STRING(32) NOT NULL,        -- did the attempt's order take effect at the acquirer?
  reference STRING(255),              -- the acquirer's name for it; NULL when it did not
  reason STRING(MAX) NOT NULL,        -- how the proposer knows
  state STRING(32) NOT NULL,
  proposed_by STRING(255) NOT NULL,
  proposed_at TIMESTAMP NOT NULL,
  confirmed_by STRING(255),           -- somebody else
  confirmed_at TIMESTAMP,
  result STRING(MAX),                 -- what came of it
  ended_at TIMESTAMP,
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  CONSTRAINT operator_actions_verdict CHECK (verdict IN ('happened', 'not_happened')),
  CONSTRAINT operator_actions_reference CHECK ((verdict = 'happened') = (reference IS NOT NULL)),
  CONSTRAINT operator_actions_state CHECK (state IN ('proposed', 'confirmed', 'done', 'refused')),
  CONSTRAINT operator_actions_confirmed CHECK ((state = 'proposed') = (confirmed_by IS NULL) AND (confirmed_by IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT operator_actions_two CHECK (confirmed_by IS NULL OR LOWER(TRIM(confirmed_by)) != LOWER(TRIM(proposed_by))),
  CONSTRAINT operator_actions_ended CHECK ((state IN ('done', 'refused')) = (ended_at IS NOT NULL) AND (ended_at IS NULL) = (result IS NULL)),
) PRIMARY KEY (action_id);

-- Events: what happened, with the frozen bytes that tell it. Rows are only ever added.
CREATE TABLE events (
  event_id STRING(64) NOT NULL,
  account_id STRING(64) NOT NULL,
  type STRING(64) NOT NULL,
  object_id STRING(64) NOT NULL,
  object_version INT64 NOT NULL,      -- version of the object inside `data`
  created_at TIMESTAMP NOT NULL,
  request_id STRING(64) NOT NULL,     -- the request that caused it
  idempotency_key STRING(255),        -- the client's key of that request; NULL when it sent none
  data BYTES(MAX) NOT NULL,           -- JSON bytes of the event's `data` member
  traceparent STRING(55),             -- the trace that committed it (W3C Trace Context); NULL where nothing is traced
  list_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(event_id), 8))) STORED, -- 0 to 7, see the index below
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (event_id);

-- An account's events, newest first, in eight shards like its intents. `type` rides along, because lists filter by it.
CREATE INDEX events_newest ON events (account_id, list_shard, created_at DESC, event_id DESC) STORING (type);

-- The events of one object, for the story of its payment; spread by the object's random id.
CREATE INDEX events_by_object ON events (object_id, created_at, event_id);

-- The outbox: events that still have to be published; the row is deleted once they are.
CREATE TABLE outbox (
  event_id STRING(64) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  lease_until TIMESTAMP,              -- until then one relay publishes it; NULL while none does
  outbox_shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(event_id), 8))) STORED, -- 0 to 7
  committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (event_id);

-- The outbox by age, for the relay. Eight shards, because by time alone every insert would fall on one spot. The lease
-- rides along, because a relay skips what another one holds.
CREATE INDEX outbox_oldest ON outbox (outbox_shard, created_at) STORING (lease_until);
