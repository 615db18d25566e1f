// How the table of bad input describes a call, and a way to ask the code for its own list of fields.
// It must never list a field itself: the lists stand beside the calls.

import type { Call, EndpointDependencies, Serve } from "../../functions/edge/endpoint.ts";
import { parseForm } from "../../functions/edge/form-parameters.ts";
import type { Parameter, ParameterMap } from "../../functions/edge/parameter-tree.ts";
import type { FieldDescription } from "./bad-values.ts";

/** One call. */
export interface EndpointDescription {
  readonly title: string;
  readonly method: "GET" | "POST";
  /** What a call needs to find: each call finds its own, so that none is in the way of another. */
  readonly needs: Need;
  /** Path of the call on objects that exist. */
  readonly path: (ids: ObjectIds) => string;
  /** The smallest good form. */
  readonly base: (ids: ObjectIds) => readonly string[];
  readonly fields: readonly FieldDescription[];
  /** A form in which every object is present, so that the code says which fields it looks for inside. */
  readonly whole: string;
  /** The code's own reader of the call's parameters; what it answers or throws does not matter here. */
  readonly read: (parameters: ParameterMap, deps: EndpointDependencies) => unknown;
  /** True for a call that no object here allows: a good form is then refused by the object's state. */
  readonly neverAllowed?: true;
}

/** Nothing; an intent before its confirm; one whose money is held; a paid one; one with a refund; a webhook endpoint. */
export type Need = "nothing" | "open" | "held" | "paid" | "refunded" | "endpoint";

/** Ids of the objects that a call may name; empty where the need has none. */
export interface ObjectIds {
  readonly intent: string;
  readonly charge: string;
  readonly refund: string;
  readonly endpoint: string;
}

/** The one parameter that every call has. */
export const expanding: readonly FieldDescription[] = [
  { name: "expand", kind: "list" },
  { name: "expand[0]", kind: "choice", entry: true },
];

/** Metadata, whole and by key. */
export const metadataFields: readonly FieldDescription[] = [
  { name: "metadata", kind: "metadata" },
  { name: "metadata[k]", kind: "text", clearable: true, entry: true },
];

/** Parameters of every list. */
export const listing: readonly FieldDescription[] = [
  { name: "limit", kind: "integer" },
  { name: "starting_after", kind: "id" },
  { name: "ending_before", kind: "id" },
  { name: "created", kind: "range" },
  ...["gt", "gte", "lt", "lte"].map((bound): FieldDescription => {
    return { name: `created[${bound}]`, kind: "integer" };
  }),
  ...expanding,
];

/** Reads parameters as an endpoint does. */
export function readerOf(serve: Serve): EndpointDescription["read"] {
  return (parameters, deps) =>
    serve.kind === "read" ? serve.read(deps, callWith(parameters)) : serve.write(callWith(parameters));
}

function callWith(parameters: ParameterMap): Call {
  return { accountId: "acct_first", id: "pi_none", parameters, baseUrl: "https://api.example.test" };
}

/** Names of the parameters that the code looks for in a call, in brackets, sorted. */
export async function declaredFields(endpoint: EndpointDescription, deps: EndpointDependencies): Promise<string[]> {
  const seen = new Set<string>();
  try {
    await endpoint.read(watched(parseForm(endpoint.whole), [], seen), deps);
  } catch {
    // All fields are looked at before anything can go wrong with a good form.
  }
  return [...seen].sort();
}

/** The same parameters, but each name that is asked for is noted. */
function watched(map: ParameterMap, path: readonly string[], seen: Set<string>): ParameterMap {
  const inner = (name: string, value: Parameter) =>
    typeof value === "string" ? value : watched(value, [...path, name], seen);
  return new WatchedMap(
    [...map].map(([name, value]) => [name, inner(name, value)] as const),
    (name) => {
      const [first = "", ...rest] = [...path, name];
      seen.add(`${first}${rest.map((part) => `[${part}]`).join("")}`);
    },
  );
}

/** A subclass, because `instanceof Map` and iteration must go on working. */
class WatchedMap extends Map<string, Parameter> {
  private readonly note: (name: string) => void;
  constructor(entries: readonly (readonly [string, Parameter])[], note: (name: string) => void) {
    super(entries);
    this.note = note;
  }
  override get(name: string): Parameter | undefined {
    this.note(name);
    return super.get(name);
  }
}
