/**
 * The routes of the payments API: which path does what, and what each needs (contract section 5.2).
 * It never runs a write: it hands the work to the idempotent path.
 */
import { refuse } from "../domain/errors.ts";
import { changePaymentIntent, noSuchIntent } from "../flows/change-payment-intent.ts";
import { createPaymentIntent } from "../flows/create-payment-intent.ts";
import type { IdempotentRequest, Work } from "../flows/idempotently-types.ts";
import type { Call, EndpointDependencies } from "./endpoint.ts";
import { readExpansions } from "./expand.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import {
  cancelParameters,
  confirmParameters,
  createParameters,
  type Parsed,
  updateParameters,
} from "./payment-intent-parameters.ts";
import { listIntents, showCharge, showIntent } from "./payments-reads.ts";
import { isId } from "./scalar-readers.ts";

/**
 * The endpoint for a method and a path, with the id that the path names.
 * @throws DomainError `route_unknown`, `method_not_allowed`, `url_invalid`, `resource_missing` for an id that no object can have
 */
export function findEndpoint(method: string, path: string): Endpoint {
  const matches = routes.flatMap((route) => {
    const match = route.path.exec(path);
    return match === null ? [] : [{ route, id: match[1] ?? "" }];
  });
  if (matches.length === 0) throw refuse("route_unknown", `Unrecognized request URL (${method}: ${shown(path)}).`);
  const match = matches.find(({ route }) => route.method === method);
  if (match === undefined) {
    const allowed = matches.map(({ route }) => route.method).join(", ");
    throw refuse(
      "method_not_allowed",
      `Method ${shown(method)} is not allowed for ${shown(path)}. Allowed: ${allowed}.`,
    );
  }
  return { ...match.route.serve, id: objectId(match.id, match.route.object) };
}

/** An endpoint that was found. */
export type Endpoint = Serve & { readonly id: string };

/** What serving a route takes: a read, or a write as work for the idempotent path. */
export type Serve =
  | { readonly kind: "read"; readonly read: (deps: EndpointDependencies, call: Call) => Promise<object> }
  | { readonly kind: "write"; readonly write: (call: Call) => Write };

/** A validated write. */
export interface Write {
  readonly expand: readonly string[];
  readonly work: (deps: EndpointDependencies, request: IdempotentRequest) => Work;
}

interface Route {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly object: "payment_intent" | "charge";
  readonly serve: Serve;
}

const changes = (
  parse: (parameters: ParameterMap) => Parsed<Parameters<typeof changePaymentIntent>[2]["change"]>,
): Serve => ({
  kind: "write",
  write: ({ id, parameters }) => {
    const { expand, input: change } = parse(parameters);
    return {
      expand: readExpansions(expand, "payment_intent", "one"),
      work: (deps, request) => changePaymentIntent(deps, request, { intentId: id, change }),
    };
  },
});

const creates: Serve = {
  kind: "write",
  write: ({ parameters }) => {
    const { expand, input } = createParameters(parameters);
    return {
      expand: readExpansions(expand, "payment_intent", "one"),
      work: (deps, request) => createPaymentIntent(deps, request, input),
    };
  },
};

const routes: readonly Route[] = [
  { method: "POST", path: /^\/v1\/payment_intents$/, object: "payment_intent", serve: creates },
  {
    method: "GET",
    path: /^\/v1\/payment_intents$/,
    object: "payment_intent",
    serve: { kind: "read", read: listIntents },
  },
  {
    method: "GET",
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    object: "payment_intent",
    serve: { kind: "read", read: showIntent },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    object: "payment_intent",
    serve: changes(updateParameters),
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/([^/]+)\/confirm$/,
    object: "payment_intent",
    serve: changes(confirmParameters),
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/([^/]+)\/cancel$/,
    object: "payment_intent",
    serve: changes(cancelParameters),
  },
  { method: "GET", path: /^\/v1\/charges\/([^/]+)$/, object: "charge", serve: { kind: "read", read: showCharge } },
];

/** Decoded after routing, then checked: an id that no object can have is as good as one that no object has. */
function objectId(segment: string, object: Route["object"]): string {
  if (segment === "") return "";
  const id = decodeURIComponent(segment);
  if (isId(id, object === "charge" ? "ch_" : "pi_")) return id;
  if (object === "payment_intent") throw noSuchIntent(shown(id));
  throw refuse("resource_missing", `No such charge: '${shown(id)}'`, { param: "charge" });
}

/** What of a client's text is repeated in an error. */
function shown(text: string): string {
  return text.slice(0, 200).toWellFormed();
}
