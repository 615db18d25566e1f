/**
 * A webhook endpoint, and the outcome of a change, as the fields of Firestore documents and back.
 * It must never leave a field out: an update overwrites exactly the fields it names.
 */
import type { StoredOutcome } from "../domain/idempotency.ts";
import { enabledEventWords, type WebhookEndpoint } from "../domain/webhook-endpoint.ts";

/** The document's fields; the id is the document's name. */
export function fieldsOfEndpoint({ id: _name, ...fields }: WebhookEndpoint): Record<string, unknown> {
  // As text, because metadata's keys are the client's and Firestore refuses some names of fields (`__x__`).
  return { ...fields, enabledEvents: [...fields.enabledEvents], metadata: JSON.stringify(fields.metadata) };
}

/**
 * The endpoint in a document's fields.
 * @throws Error when a field is missing or of another type: somebody else wrote into the collection
 */
export function endpointOf(id: string, fields: Readonly<Record<string, unknown>>): WebhookEndpoint {
  const { disabledBecause, enabledEvents } = fields;
  const reason = (["by_request", "gone", "failing"] as const).find((word) => word === disabledBecause) ?? null;
  if (!Array.isArray(enabledEvents)) throw unreadable("enabledEvents");
  return {
    id,
    accountId: text(fields, "accountId"),
    url: text(fields, "url"),
    // A type that a later release took away is no event any more, so nothing is lost with it.
    enabledEvents: enabledEvents.filter((word) => enabledEventWords.includes(word)),
    status: text(fields, "status") === "enabled" ? "enabled" : "disabled",
    disabledBecause: reason,
    description: textOrNull(fields, "description"),
    metadata: JSON.parse(text(fields, "metadata")),
    apiVersion: textOrNull(fields, "apiVersion"),
    createdAtMs: integer(fields, "createdAtMs"),
    enabledAtMs: integer(fields, "enabledAtMs"),
    sealedSecrets: text(fields, "sealedSecrets"),
  };
}

/** The fields of an outcome. */
export function fieldsOfOutcome({ status, body }: StoredOutcome): Record<string, unknown> {
  return { status, body: body && Buffer.from(body) };
}

/**
 * The outcome in a document's fields.
 * @throws Error when a field is missing or of another type
 */
export function outcomeOf(fields: Readonly<Record<string, unknown>>): StoredOutcome {
  const { body } = fields;
  if (body !== null && !(body instanceof Uint8Array)) throw unreadable("body");
  return { status: integer(fields, "status"), body };
}

function text(fields: Readonly<Record<string, unknown>>, field: string): string {
  const value = fields[field];
  if (typeof value !== "string") throw unreadable(field);
  return value;
}

function textOrNull(fields: Readonly<Record<string, unknown>>, field: string): string | null {
  return fields[field] === null ? null : text(fields, field);
}

function integer(fields: Readonly<Record<string, unknown>>, field: string): number {
  const value = fields[field];
  if (!Number.isSafeInteger(value)) throw unreadable(field);
  return value as number;
}

function unreadable(field: string): Error {
  return new Error(`Field ${field} of a webhook document is missing or of another type.`);
}
