/**
 * The test acquirer over HTTP: orders, lookups by key, its journal; a card network for laptops and tests.
 * It must never answer anything but its health and a challenge to a caller without the shared secret, and never show that secret.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { hasCode, refuse } from "../domain/errors.ts";
import type { AcquirerJournal, JournalOrder } from "../flows/acquirer-ports.ts";
import { answerOrder } from "../flows/answer-order.ts";
import { lookUpOrder, voidKey } from "../flows/look-up-order.ts";
import type { Clock, Log } from "../flows/ports.ts";
import { listedOrders } from "./acquirer-list.ts";
import { keyedOrderIn, lineView, lookupView, orderIn } from "./acquirer-orders.ts";
import { baseUrlOf } from "./base-url.ts";
import { challengePage } from "./challenge-page.ts";
import { errorFields } from "./error-line.ts";
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
 * The handler. Its routes: `POST /authorizations`, `/captures`, `/voids`, `/refunds`, `POST /key-voids`,
 * `GET /orders/:key`, `GET /orders?from_ms=&before_ms=&limit=&cursor=`, `GET /journal?limit=`, `GET` and `POST /challenges/:key` (for buyers), `GET /health`.
 * @throws Error at once when the secret is empty, because then everybody would know it
 */
export function testAcquirer(ports: TestAcquirerPorts): WireHandler {
  if (ports.secret === "") throw new Error("The test acquirer needs a secret.");
  const secretDigest = digestOf(ports.secret);
  return async (request) => {
    const path = pathOf(request.target);
    if (path === "/health") return only("GET", request, async () => jsonResponse(200, { status: "ok" }));
    // The one thing that a buyer sees; the key in its path is as hard to guess as the secret.
    const page = await challengePage(ports, request);
    if (page !== undefined) return page;
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
  const deps = { ...ports, baseUrl: baseUrlOf(request) };
  const kind = orderPaths.get(path);
  if (kind !== undefined) {
    return only("POST", request, async () =>
      jsonResponse(200, lineView(await answerOrder(deps, orderIn(request, kind)))),
    );
  }
  if (path === "/key-voids") {
    return only("POST", request, async () => {
      const { key, amountMinor, currency } = keyedOrderIn(request);
      await voidKey(deps, { key, amountMinor, currency });
      return jsonResponse(200, { key, amount_minor: String(amountMinor), currency });
    });
  }
  if (path === "/journal") {
    return only("GET", request, async () =>
      jsonResponse(200, { data: (await ports.journal.list(limitIn(request))).map((line) => lineView(line)) }),
    );
  }
  if (path === "/orders") return only("GET", request, () => listedOrders(deps, request));
  const key = /^\/orders\/([\w-]{1,255})$/.exec(path)?.[1];
  if (key === undefined) return failure(404, "route_unknown", "There is nothing at this path.");
  return only("GET", request, async () => jsonResponse(200, lookupView(key, await lookUpOrder(deps, key))));
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

/** Refusals are the caller's bug; a failing journal is 503, so that the caller asks again with the same key. */
function failureOf(ports: TestAcquirerPorts, error: unknown): WireResponse {
  if (hasCode(error, "store_unavailable", "permission_denied")) {
    ports.log("ERROR", "journal failed", errorFields(error));
    return failure(503, error.code, "The journal did not answer. Send the same order again.");
  }
  if (hasCode(error, "acquirer_unknown")) return failure(503, error.code, error.message);
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
