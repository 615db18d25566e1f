/**
 * A claim as the fields of one Firestore document, and back.
 * It must never leave a field out: a replace overwrites exactly the fields it names.
 */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Timestamp } from "@google-cloud/firestore";
import { bodyBytesMax, packBody } from "../domain/claim-storage.ts";
import type { ClaimState } from "../domain/idempotency.ts";
import type { CacheRecord } from "../flows/ports.ts";

/** The document's fields; `deleteAfterField` names the one that the TTL policy watches. */
export async function fieldsOf(record: CacheRecord, deleteAfterField: string): Promise<Record<string, unknown>> {
  return {
    state: record.state,
    fingerprint: record.fingerprint,
    requestId: record.requestId,
    owner: record.owner,
    generation: record.generation,
    leaseUntilMs: record.leaseUntilMs,
    createdAtMs: record.createdAtMs,
    expiresAtMs: record.expiresAtMs,
    ...(await outcomeFields(record.outcome)),
    [deleteAfterField]: Timestamp.fromMillis(deleteAfterMs(record)),
  };
}

/**
 * The claim in a document's fields.
 * @throws Error when a field is missing or of another type: somebody else wrote into the collection
 */
export async function recordOf(fields: Readonly<Record<string, unknown>>): Promise<CacheRecord> {
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
    outcome: await outcomeOf(fields),
  };
}

/** Where a body is: nowhere yet, in the document (two ways), in the ledger's row only, or kept nowhere at all. */
const bodyForms = ["none", "raw", "gzip", "in_ledger", "not_kept"] as const;

const claimStates: readonly ClaimState[] = ["in_progress", "completed", "released"];

/**
 * Seven days after its lease a claim without an outcome is garbage: the client that made it has given up for good, and
 * whoever comes back finds the truth in the ledger's row, which has no such end (design section 4.6).
 */
const abandonedAfterMs = 7 * 24 * 60 * 60 * 1000;

function deleteAfterMs(record: CacheRecord): number {
  return record.expiresAtMs ?? record.leaseUntilMs + abandonedAfterMs;
}

type OutcomeFields = { bodyForm: (typeof bodyForms)[number]; status: number | null; body: Uint8Array | null };

async function outcomeFields(outcome: CacheRecord["outcome"]): Promise<OutcomeFields> {
  if (outcome === null) return { bodyForm: "none", status: null, body: null };
  if (outcome === "in_ledger") return { bodyForm: "in_ledger", status: null, body: null };
  const { status, body } = outcome;
  if (body === null) return { bodyForm: "not_kept", status, body };
  const packed = await packBody(body, promisify(gzip));
  if (packed.form === "in_ledger") return { bodyForm: "in_ledger", status: null, body: null };
  return { bodyForm: packed.form, status, body: packed.bytes };
}

async function outcomeOf(fields: Readonly<Record<string, unknown>>): Promise<CacheRecord["outcome"]> {
  const form = oneOf(bodyForms, fields["bodyForm"], "bodyForm");
  if (form === "none") return null;
  if (form === "in_ledger") return form;
  const status = integer(fields["status"], "status");
  if (form === "not_kept") return { status, body: null };
  const { body } = fields;
  if (!(body instanceof Uint8Array)) throw unreadable("body");
  return { status, body: form === "raw" ? body : await promisify(gunzip)(body, { maxOutputLength: bodyBytesMax }) };
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
  return new Error(`Field ${field} of a claim document is missing or of another type.`);
}
