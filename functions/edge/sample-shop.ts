/**
 * The sample shop: a merchant's server with pages for a buyer, which pays through the payments API like any other.
 * It must never answer a form with a page: a redirect does, so that reloading the page sends nothing again.
 */
import { readCard, readPurchase } from "../domain/catalogue.ts";
import { DomainError, hasCode, refuse } from "../domain/errors.ts";
import { type Order, phaseOf } from "../domain/order.ts";
import type { Random } from "../flows/ports.ts";
import { ensureEndpoint } from "../flows/shop-hear.ts";
import { lookAtOrder, placeOrder, type ShopDependencies, tryAgain } from "../flows/shop-pay.ts";
import { baseUrlOf } from "./base-url.ts";
import { errorFields } from "./error-line.ts";
import { parseForm } from "./form-parameters.ts";
import { shopScript, shopStyle } from "./sample-shop-assets.ts";
import { asset, messagePage, orderForm, orderPage, seeOther } from "./sample-shop-pages.ts";
import { takeWebhook, type WebhookPorts } from "./sample-shop-webhooks.ts";
import {
  headerValues,
  jsonResponse,
  pathOf,
  queryOf,
  type WireHandler,
  type WireRequest,
  type WireResponse,
} from "./wire.ts";

/** What the shop runs on. */
export interface SampleShopPorts extends ShopDependencies, WebhookPorts {
  readonly random: Random;
}

/**
 * The handler. Its routes: `GET /`, `POST /orders`, `GET /orders/:id`, `POST /orders/:id/payments`, `POST /webhooks`,
 * `GET /shop.css`, `GET /shop.js`, `GET /health`.
 */
export function sampleShop(ports: SampleShopPorts): WireHandler {
  return async (request) => {
    try {
      return await route(ports, request);
    } catch (error) {
      return failureOf(ports, error);
    }
  };
}

async function route(ports: SampleShopPorts, request: WireRequest): Promise<WireResponse> {
  const path = pathOf(request.target);
  if (path === "/") return await only("GET", request, async () => orderForm(ports.random.token()));
  if (path === "/orders") return await only("POST", request, () => takeOrder(ports, request));
  if (path === "/webhooks") return await only("POST", request, () => takeWebhook(ports, request));
  if (path === "/shop.css") return await only("GET", request, async () => asset("text/css; charset=utf-8", shopStyle));
  if (path === "/shop.js")
    return await only("GET", request, async () => asset("text/javascript; charset=utf-8", shopScript));
  if (path === "/health") return await only("GET", request, async () => jsonResponse(200, { status: "ok" }));
  const [, orderId, isPayment] = /^\/orders\/(order_[0-9a-f]{32})(\/payments)?$/.exec(path) ?? [];
  if (orderId === undefined) return messagePage(404, "Nothing here", "There is nothing at this address.");
  if (isPayment === undefined) return await only("GET", request, () => showOrder(ports, request, orderId));
  return await only("POST", request, () => takePayment(ports, request, orderId));
}

/** A HEAD is a GET whose body the server leaves out. */
async function only(
  method: "GET" | "POST",
  request: WireRequest,
  answer: () => Promise<WireResponse>,
): Promise<WireResponse> {
  if (request.method === method || (method === "GET" && request.method === "HEAD")) return await answer();
  const allowed = method === "GET" ? "GET, HEAD" : "POST";
  return messagePage(405, "Not allowed", "This address is for something else.", { Allow: allowed });
}

async function takeOrder(ports: SampleShopPorts, request: WireRequest): Promise<WireResponse> {
  const form = formOf(request);
  const token = form("token");
  const given = { item: form("item"), quantity: form("quantity"), card: form("card") };
  if (token === undefined || !/^[\w-]{24}$/.test(token)) {
    throw refuse("parameter_invalid", "The form was not complete: its token is missing. Please start again.", {
      param: "token",
    });
  }
  let purchase: ReturnType<typeof readPurchase>;
  try {
    purchase = readPurchase(given);
  } catch (error) {
    // Nothing was ordered under the token, so the corrected form may go on with it.
    if (error instanceof DomainError) return orderForm(token, { ...given, message: error.message });
    throw error;
  }
  await ensureEndpoint(ports, `${baseUrlOf(request)}/webhooks`);
  const { order, isChangedForm } = await placeOrder(ports, { token, purchase, returnUrlOf: addressIn(request) });
  return seeOther(after(order, isChangedForm));
}

async function takePayment(ports: SampleShopPorts, request: WireRequest, orderId: string): Promise<WireResponse> {
  const form = formOf(request);
  const attempt = form("attempt");
  if (attempt === undefined || !/^[1-9]$/.test(attempt)) {
    throw refuse("parameter_invalid", "The form was not complete: its attempt is missing.", { param: "attempt" });
  }
  // Without a card it asks about the payment that there is.
  const card = form("card");
  const retry = { orderId, attempt: Number(attempt), cardToken: card === undefined ? null : readCard(card) };
  return seeOther(after(await tryAgain(ports, { ...retry, returnUrlOf: addressIn(request) }), false));
}

async function showOrder(ports: SampleShopPorts, request: WireRequest, orderId: string): Promise<WireResponse> {
  const query = parseForm(queryOf(request.target));
  // Back from a bank's page. What its address says may be anybody's word, so only the API is asked; and the address,
  // which holds the payment's secret, does not stay in the browser's history.
  if (query.has("payment_intent")) return seeOther(`/orders/${orderId}`);
  const order = await lookAtOrder(ports, orderId);
  return orderPage(order, { goesOn: query.has("goes_on"), isChangedForm: query.has("changed") });
}

/** Where a buyer goes after a form. */
function after(order: Order, isChangedForm: boolean): string {
  const query = [phaseOf(order) === "action" && "goes_on=1", isChangedForm && "changed=1"].filter(Boolean).join("&");
  return `/orders/${order.id}${query === "" ? "" : `?${query}`}`;
}

const addressIn = (request: WireRequest) => (orderId: string) => `${baseUrlOf(request)}/orders/${orderId}`;

/** A form's fields by name, each a text; what has no field of ours is left alone. */
function formOf(request: WireRequest): (name: string) => string | undefined {
  const [type = ""] = headerValues(request, "content-type");
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw refuse("media_type_unsupported", "The shop reads forms only.");
  const fields = parseForm(request.body.toString("utf8"));
  return (name) => {
    const value = fields.get(name);
    if (typeof value === "object") throw refuse("parameter_invalid", `${name} must be one value.`, { param: name });
    return value;
  };
}

function failureOf({ log }: SampleShopPorts, error: unknown): WireResponse {
  if (hasCode(error, "resource_missing")) return messagePage(404, "No such order", error.message);
  if (hasCode(error, "media_type_unsupported")) return messagePage(415, "Not understood", error.message);
  if (hasCode(error, "parameter_missing", "parameter_invalid", "body_invalid"))
    return messagePage(400, "Not understood", error.message);
  // A reason names what a buyer asked for; the code says enough.
  const { reason: _reason, ...told } = errorFields(error);
  log("ERROR", "shop failed", told);
  const sentence =
    "Something went wrong on our side. Going back and sending the form again is safe: it is the same order.";
  return messagePage(told["code"] === "store_unavailable" ? 503 : 500, "Please try again", sentence);
}
