/**
 * What ledger-writer asks the dispatcher to carry out, from bytes to domain words: a key's use, and the intention of its row.
 * It must never take a member that it does not know, nor repeat a value in a refusal.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import type { IntendedUse, Intention } from "../domain/intention.ts";
import { enabledEventWords } from "../domain/webhook-endpoint.ts";

/**
 * The body of `POST /carry-out`: `{ keyHash, accountId, createdAtMs, intention: { verb, input } }`.
 * @throws DomainError `body_invalid`, or `parameter_missing`, `parameter_unknown` or `parameter_invalid` with the member's name
 */
export function readIntended(bytes: Buffer): { readonly use: IntendedUse; readonly intention: Intention } {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    // Not kept as a cause: JSON.parse quotes the text.
  }
  if (!isObject(body)) throw refuse("body_invalid", "The body is not a JSON object.");
  const { keyHash, accountId, createdAtMs, intention } = read<IntendedUse & { intention: Intention }>(
    body,
    {
      keyHash: matching(/^[0-9a-f]{64}$/),
      accountId: matching(/^acct_\w{1,59}$/),
      createdAtMs: isTime,
      intention: isObject,
    },
    "",
  );
  const inputs = Object.hasOwn(inputForms, intention.verb) ? inputForms[intention.verb] : undefined;
  if (inputs === undefined) throw invalid("intention.verb");
  read(intention, { verb: isText, input: isObject }, "intention.");
  read(intention.input, inputs, "intention.input.");
  if (intention.verb === "change_endpoint") read(intention.input.changes, changes, "intention.input.changes.");
  return { use: { keyHash, accountId, createdAtMs }, intention };
}

/** True for a value of the right form; a member that may be absent takes undefined too. */
type Form = (value: unknown) => boolean;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === "string";
const isTime = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const matching =
  (form: RegExp): Form =>
  (value) =>
    typeof value === "string" && form.test(value);
const orNull =
  (form: Form): Form =>
  (value) =>
    value === null || form(value);
const optional =
  (form: Form): Form =>
  (value) =>
    value === undefined || form(value);
const textsByName =
  (form: Form): Form =>
  (value) =>
    isObject(value) && Object.values(value).every(form);

/** As long as the API takes a URL (contract section 2). */
const url = matching(/^https?:\/\/.{1,5000}$/s);
const enabledEvents: Form = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((word) => enabledEventWords.includes(word));
const endpointId = matching(/^[\w-]{1,255}$/);
const deliveryId = endpointId;

const changes: Readonly<Record<string, Form>> = {
  url: optional(url),
  enabledEvents: optional(enabledEvents),
  description: optional(orNull(isText)),
  metadata: optional(orNull(textsByName(orNull(isText)))),
  disabled: optional((value) => typeof value === "boolean"),
};

/** Members of each verb's input. */
const inputForms: { readonly [Verb in Intention["verb"]]: Readonly<Record<string, Form>> } = {
  create_endpoint: {
    ...{ url, enabledEvents, description: orNull(isText), metadata: textsByName(isText), apiVersion: orNull(isText) },
  },
  change_endpoint: { endpointId, changes: isObject },
  delete_endpoint: { endpointId },
  rotate_secret: { endpointId, overlapMs: isTime, param: isText },
  send_test_event: { endpointId },
  resend_delivery: { deliveryId },
  redrive_delivery: { deliveryId },
};

/** The object, once all of its members have their forms and there is none beside them. */
function read<Value>(
  value: Readonly<Record<string, unknown>> | object,
  forms: Readonly<Record<string, Form>>,
  prefix: string,
): Value {
  const members = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(members).find((name) => !Object.hasOwn(forms, name));
  if (unknown !== undefined) throw refuse("parameter_unknown", "The body has a member that is not known.");
  for (const [name, isRight] of Object.entries(forms)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (isRight(member)) continue;
    if (member === undefined)
      throw refuse("parameter_missing", `Member ${prefix}${name} is missing.`, { param: `${prefix}${name}` });
    throw invalid(`${prefix}${name}`);
  }
  return value as Value;
}

function invalid(name: string): DomainError {
  return refuse("parameter_invalid", `Member ${name} has a wrong form.`, { param: name });
}
