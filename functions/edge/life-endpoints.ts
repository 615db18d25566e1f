/**
 * The life of a key, the timeline of a payment and the health of the books: extensions of ours that only read.
 * They never answer for another account, and never repeat in an error what was asked for.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import { keyLengthMax } from "../domain/idempotency.ts";
import { readBalance } from "../flows/read-balances.ts";
import { readAccountBooks, readKeyLife, readPaymentLife, type WhichKey } from "../flows/read-life.ts";
import type { Serve } from "./endpoint.ts";
import { optional, type Reader, readParameters } from "./read-parameters.ts";
import { scalar } from "./scalar-readers.ts";
import { serializeLedgerHealth } from "./serialize-ledger-health.ts";
import { serializeKeyLife, serializePaymentLife } from "./serialize-life.ts";

/** `GET /v1/idempotency_keys/life?key=…`, or `key_id=…` as logs name it. */
export const showKeyLife: Serve = {
  kind: "read",
  read: async (deps, { accountId, parameters }) => {
    const values = readParameters(parameters, { key: optional(sentKey), key_id: optional(keyId) });
    const which = whichOf(values.key, values.key_id);
    return serializeKeyLife(await readKeyLife(deps, { accountId, which }), deps.leaseMs);
  },
};

/** `GET /v1/payment_intents/:id/timeline`. */
export const showTimeline: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: intentId, parameters }) => {
    readParameters(parameters, {});
    return serializePaymentLife(await readPaymentLife(deps, { accountId, intentId }));
  },
};

/** `GET /v1/ledger_health`. */
export const showLedgerHealth: Serve = {
  kind: "read",
  read: async (deps, { accountId, parameters }) => {
    readParameters(parameters, {});
    const [books, balances] = await Promise.all([
      readAccountBooks(deps, { accountId }),
      readBalance(deps, { accountId }),
    ]);
    return serializeLedgerHealth(books, balances);
  },
};

function whichOf(key: string | undefined, id: string | undefined): WhichKey {
  if (key !== undefined && id !== undefined)
    throw refuse("parameter_invalid", "Pass either key or key_id, not both.", { param: "key_id" });
  if (key !== undefined) return { key };
  if (id !== undefined) return { keyId: id };
  throw refuse("parameter_missing", "Missing required param: key.", { param: "key" });
}

/** By the rules of the header (`readIdempotencyKey`): opaque, 1 to 255 characters, which a header counts in bytes. */
const sentKey: Reader<string> = (parameter, path) => {
  if (typeof parameter !== "string") throw badKey("must be one text");
  if (parameter === "") throw badKey("is empty");
  // A client may have written each byte as one character, so the shorter spelling decides.
  if (parameter.length > keyLengthMax) throw badKey(`is longer than ${keyLengthMax} characters`);
  return scalar(parameter, path, "a string");
};

function badKey(reason: string): DomainError {
  return refuse("idempotency_key_invalid", `The parameter key ${reason}.`, { param: "key" });
}

/** SHA-256 in hex: anything else is nobody's. */
const keyId: Reader<string> = (parameter, path) => {
  const value = scalar(parameter, path, "a string");
  if (/^[0-9a-f]{64}$/.test(value)) return value;
  throw refuse("resource_missing", "No such idempotency key: key_id must be 64 hexadecimal digits.", {
    param: "key_id",
  });
};
