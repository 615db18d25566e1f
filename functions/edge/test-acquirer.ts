/**
 * The test acquirer over HTTP: authorizes, looks up by key, lists its journal; a card network for laptops and tests.
 * It must never answer anything but its health to a caller without the shared secret, and never show that secret.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { hasCode, refuse } from "../domain/errors.ts";
import { readCurrency } from "../domain/money.ts";
import type { AcquirerJournal, JournalLine, JournalOrder } from "../flows/acquirer-ports.ts";
import { answerOrder } from "../flows/answer-order.ts";
import type { Clock, Log } from "../flows/ports.ts";
import {
  headerValues,
  jsonResponse,
  pathOf,
  queryOf,
  type WireHandler,
  type WireRequest,
  type WireResponse,
} from "./wire.ts";

/**
 * The handler. Its routes: `POST /authorizations`, `/captures`, `/voids`, `/refunds`, `GET /authorizations/:key`, `GET /journal?limit=`, `GET /health`.
 * @throws Error at once when the secret is empty, because then everybody would know it
 */
export function testAcquirer(ports: TestAcquirerPorts): WireHandler {
  if (ports.secret === "") throw new Error("The test acquirer needs a secret.");
  const secretDigest = digestOf(ports.secret);
  return async (request) => {
    const path = pathOf(request.target);
    if (path === "/health") return only("GET", request, async () => jsonResponse(200, { status: "ok" }));
    if (!isAuthorized(request, secretDigest))
      return failure(401, "unauthorized", "The shared secret is missing or wrong.");
    try {
      return await route(ports, request, path);
    } catch (error) {
      return failureOf(ports, error);
    }
  };
}

/** What the test acquirer runs on. */
export interface TestAcquirerPorts {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
  readonly log: Log;
  /** Shared with the callers, who send it as `Authorization: Bearer`. */
  readonly secret: string;
}

async function route(ports: TestAcquirerPorts, request: WireRequest, path: string): Promise<WireResponse> {
  const kind = orderPaths.get(path);
  if (kind !== undefined) {
    return only("POST", request, async () =>
      jsonResponse(200, lineView(await answerOrder(ports, orderIn(request, kind)))),
    );
  }
  if (path === "/journal") {
    return only("GET", request, async () =>
      jsonResponse(200, { data: (await ports.journal.list(limitIn(request))).map(lineView) }),
    );
  }
  const key = /^\/authorizations\/([\w-]{1,255})$/.exec(path)?.[1];
  if (key === undefined) return failure(404, "route_unknown", "There is nothing at this path.");
  return only("GET", request, async () => {
    const line = await ports.journal.read(key);
    if (line === undefined) return failure(404, "resource_missing", "No authorization has this key.");
    return jsonResponse(200, lineView(line));
  });
}

async function only(method: string, request: WireRequest, answer: () => Promise<WireResponse>): Promise<WireResponse> {
  if (request.method === method) return await answer();
  return failure(405, "method_not_allowed", `Only ${method} is allowed here.`, { headers: { Allow: method } });
}

/** Compares digests, which have one length, in constant time: the answer's delay tells nothing about the secret. */
function isAuthorized(request: WireRequest, secretDigest: Buffer): boolean {
  const [value, ...more] = headerValues(request, "authorization");
  const given = /^Bearer (.+)$/i.exec(value ?? "")?.[1];
  return given !== undefined && more.length === 0 && timingSafeEqual(digestOf(given), secretDigest);
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** Where each kind of order is sent. */
const orderPaths: ReadonlyMap<string, JournalOrder["kind"]> = new Map([
  ["/authorizations", "authorize"],
  ["/captures", "capture"],
  ["/voids", "void"],
  ["/refunds", "refund"],
]);

/** Text members, all required: the amount is text so that no JSON reader can round it. */
function orderIn(request: WireRequest, kind: JournalOrder["kind"]): JournalOrder {
  const body = objectIn(request.body);
  const isAuthorization = kind === "authorize";
  const known = isAuthorization ? authorizationMembers : followUpMembers;
  const surplus = Object.keys(body).find((name) => !known.includes(name));
  if (surplus !== undefined) throw refuse("parameter_unknown", "The order has a member that is not known.");
  return {
    kind,
    key: member(body, "key", /^[\w-]{1,255}$/),
    amountMinor: BigInt(member(body, "amount_minor", /^[1-9]\d{0,14}$/)),
    currency: readCurrency(member(body, "currency", /^[a-z]{3}$/)),
    paymentMethodToken: isAuthorization ? member(body, "payment_method", /^\w{1,255}$/) : null,
    reference: isAuthorization ? null : member(body, "reference", /^[\w-]{1,255}$/),
    captureLater:
      isAuthorization &&
      Object.hasOwn(body, "capture_later") &&
      member(body, "capture_later", /^(?:true|false)$/) === "true",
  };
}

const authorizationMembers: readonly string[] = ["key", "amount_minor", "currency", "payment_method", "capture_later"];
const followUpMembers: readonly string[] = ["key", "amount_minor", "currency", "reference"];

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw refuse("body_invalid", "The body is not JSON.", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("body_invalid", "The body is not a JSON object.");
  return value as Record<string, unknown>;
}

function member(body: Readonly<Record<string, unknown>>, name: string, form: RegExp): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) throw refuse("parameter_missing", `Member ${name} is missing.`, { param: name });
  if (typeof value !== "string" || !form.test(value))
    throw refuse("parameter_invalid", `Member ${name} has a wrong form.`, { param: name });
  return value;
}

/** A page that a person can read, unless asked for more. */
const limitDefault = 100;
/** A thousand lines are about 300 KB, and ten times what any proof here needs. */
const limitMax = 1000;

function limitIn(request: WireRequest): number {
  const text = new URLSearchParams(queryOf(request.target)).get("limit");
  if (text === null) return limitDefault;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax)
    throw refuse("parameter_invalid", `limit must be 1 to ${limitMax}.`, { param: "limit" });
  return limit;
}

function lineView(line: JournalLine): unknown {
  const { result } = line;
  return {
    kind: line.kind,
    key: line.key,
    amount_minor: String(line.amountMinor),
    currency: line.currency,
    payment_method: line.paymentMethodToken,
    reference: line.reference,
    capture_later: line.captureLater,
    result:
      result.kind === "approved"
        ? { kind: result.kind, reference: result.reference }
        : {
            kind: result.kind,
            code: result.failure.code,
            decline_code: result.failure.declineCode,
            message: result.failure.message,
          },
    created_at_ms: line.createdAtMs,
  };
}

/** Refusals are the caller's bug; a failing journal is 503, so that the caller asks again with the same key. */
function failureOf(ports: TestAcquirerPorts, error: unknown): WireResponse {
  if (hasCode(error, "store_unavailable", "permission_denied")) {
    ports.log("ERROR", "journal failed", { code: error.code, reason: error.message });
    return failure(503, error.code, "The journal did not answer. Send the same order again.");
  }
  if (hasCode(error, ...refusals)) return failure(400, error.code, error.message, { param: error.param });
  throw error;
}

const refusals = [
  "body_invalid",
  "parameter_missing",
  "parameter_unknown",
  "parameter_invalid",
  "idempotency_mismatch",
] as const;

function failure(
  status: number,
  code: string,
  message: string,
  details: { readonly param?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
): WireResponse {
  const { param, headers } = details;
  return jsonResponse(status, { error: { code, message, ...(param === undefined ? {} : { param }) } }, headers);
}
