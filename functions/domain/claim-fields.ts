/**
 * A claim as flat fields, the way every cache keeps it, and back: which form its answer has, and when it is garbage.
 * It never leaves a field out, and never compresses anything itself: the stores bring their codec.
 */
import { bodyBytesMax, packBody } from "./claim-storage.ts";
import type { ClaimState, Fence, StoredOutcome } from "./idempotency.ts";

/** One claim. */
export interface ClaimRecord extends Fence {
  readonly state: ClaimState;
  readonly fingerprint: string;
  /** Id of the first request, for `Original-Request`. */
  readonly requestId: string;
  readonly createdAtMs: number;
  /** Null until the outcome is known. */
  readonly expiresAtMs: number | null;
  /** Null until the outcome is known; `in_ledger` when the body did not fit and stands in the ledger's row only. */
  readonly outcome: StoredOutcome | "in_ledger" | null;
}

/** The fields of a claim; all of them, because a replace overwrites exactly the fields that it names. */
export type ClaimFields = Omit<ClaimRecord, "outcome"> & {
  readonly bodyForm: (typeof bodyForms)[number];
  readonly status: number | null;
  readonly body: Uint8Array | null;
};

/** The claim as fields; `compress` is called only for a body that does not fit as it is. */
export async function fieldsOfClaim(record: ClaimRecord, compress: Codec["compress"]): Promise<ClaimFields> {
  const { outcome, ...fields } = record;
  return { ...fields, ...(await outcomeFields(outcome, compress)) };
}

/**
 * The claim in fields that a store gave back.
 * @throws Error when a field is missing or of another type: somebody else wrote there
 */
export async function claimOfFields(
  fields: Readonly<Record<string, unknown>>,
  decompress: Codec["decompress"],
): Promise<ClaimRecord> {
  const { state, fingerprint, requestId, owner, generation, leaseUntilMs, createdAtMs, expiresAtMs } = fields;
  return {
    state: oneOf(claimStates, state, "state"),
    fingerprint: text(fingerprint, "fingerprint"),
    requestId: text(requestId, "requestId"),
    owner: text(owner, "owner"),
    generation: integer(generation, "generation"),
    leaseUntilMs: integer(leaseUntilMs, "leaseUntilMs"),
    createdAtMs: integer(createdAtMs, "createdAtMs"),
    expiresAtMs: expiresAtMs === null ? null : integer(expiresAtMs, "expiresAtMs"),
    outcome: await outcomeOf(fields, decompress),
  };
}

/** When a claim is garbage, in milliseconds since the epoch; whether it still counts is asked of the clock at each read. */
export function keptUntilMs({ expiresAtMs, leaseUntilMs }: ClaimRecord): number {
  return expiresAtMs ?? leaseUntilMs + abandonedAfterMs;
}

/** How a store makes a body small, and back; `maxBytes` is where unpacking must stop. */
export interface Codec {
  compress(body: Uint8Array): Promise<Uint8Array>;
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}

/** Where a body is: nowhere yet, in the record (two ways), in the ledger's row only, or kept nowhere at all. */
const bodyForms = ["none", "raw", "gzip", "in_ledger", "not_kept"] as const;

const claimStates: readonly ClaimState[] = ["in_progress", "completed", "released"];

/**
 * Seven days after its lease a claim without an outcome is garbage: the client that made it has given up for good, and
 * whoever comes back finds the truth in the ledger's row, which has no such end (design section 4.6).
 */
const abandonedAfterMs = 7 * 24 * 60 * 60 * 1000;

async function outcomeFields(
  outcome: ClaimRecord["outcome"],
  compress: Codec["compress"],
): Promise<Pick<ClaimFields, "bodyForm" | "status" | "body">> {
  if (outcome === null) return { bodyForm: "none", status: null, body: null };
  if (outcome === "in_ledger") return { bodyForm: "in_ledger", status: null, body: null };
  const { status, body } = outcome;
  if (body === null) return { bodyForm: "not_kept", status, body };
  const packed = await packBody(body, compress);
  if (packed.form === "in_ledger") return { bodyForm: "in_ledger", status: null, body: null };
  return { bodyForm: packed.form, status, body: packed.bytes };
}

async function outcomeOf(
  fields: Readonly<Record<string, unknown>>,
  decompress: Codec["decompress"],
): Promise<ClaimRecord["outcome"]> {
  const form = oneOf(bodyForms, fields["bodyForm"], "bodyForm");
  if (form === "none") return null;
  if (form === "in_ledger") return form;
  const status = integer(fields["status"], "status");
  if (form === "not_kept") return { status, body: null };
  const { body } = fields;
  if (!(body instanceof Uint8Array)) throw unreadable("body");
  return { status, body: form === "raw" ? body : await decompress(body, bodyBytesMax) };
}

function oneOf<Choice extends string>(choices: readonly Choice[], value: unknown, field: string): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw unreadable(field);
  return choice;
}

function text(value: unknown, field: string): string {
  if (typeof value !== "string") throw unreadable(field);
  return value;
}

function integer(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value)) throw unreadable(field);
  return value as number;
}

function unreadable(field: string): Error {
  return new Error(`Field ${field} of a claim is missing or of another type.`);
}
