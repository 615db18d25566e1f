/**
 * The parameters of a request as one tree, the same for a form and for the JSON that means the same; and how it is read.
 * It must never normalise what a customer wrote: U+00E9 and `e` + U+0301 are two texts (field case F03).
 */
import type { Buffer } from "node:buffer";
import { type DomainError, refuse } from "../domain/errors.ts";
import { parseForm } from "./form-parameters.ts";
import { parseJson } from "./json-parameters.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import { headerValues, queryOf, type WireRequest } from "./wire.ts";

/**
 * Reads query and body into one tree (contract section 2). A form is the default, JSON goes by its Content-Type, and
 * query and body may both carry parameters but never the same one.
 * Raises `body_invalid`, `parameter_invalid` or `media_type_unsupported`.
 */
export function requestParameters(request: WireRequest): ParameterMap {
  const fromQuery = parseForm(queryOf(request.target));
  const fromBody = bodyParameters(request);
  if (fromQuery.size === 0) return fromBody;
  const merged = new Map(fromQuery);
  for (const [key, parameter] of fromBody) {
    if (merged.has(key)) {
      throw refuse("parameter_invalid", `Parameter ${key} was sent in the query and in the body.`, { param: key });
    }
    merged.set(key, parameter);
  }
  return merged;
}

function bodyParameters(request: WireRequest): ParameterMap {
  if (request.body.length === 0) return new Map();
  const contentTypes = headerValues(request, "content-type");
  if (contentTypes.length > 1) throw unsupported("more than one Content-Type");
  const { mediaType, charset } = mediaTypeOf(contentTypes[0] ?? formType);
  if (!charsets.has(charset)) throw unsupported("that charset");
  if (mediaType === formType) return parseForm(bodyText(request.body));
  if (mediaType === "application/json") return parseJson(bodyText(request.body));
  throw unsupported("that Content-Type");
}

const formType = "application/x-www-form-urlencoded";

/** The one encoding the API speaks, by the names clients use for it; ASCII is part of it. */
const charsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

function mediaTypeOf(contentType: string): { mediaType: string; charset: string } {
  const [type = "", ...attributes] = contentType.toLowerCase().split(";");
  const charset = attributes.map((attribute) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(attribute)?.[1]);
  return { mediaType: type.trim(), charset: charset.find((name) => name !== undefined) ?? "utf-8" };
}

/** Refuses bytes that are not UTF-8 rather than storing replacement characters for what a customer sent. */
function bodyText(body: Buffer): string {
  try {
    // The byte order mark is kept, so that the parsers can refuse it: it would become part of the first name.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw refuse("body_invalid", "The request body is not valid UTF-8.", { cause });
  }
}

function unsupported(what: string): DomainError {
  return refuse(
    "media_type_unsupported",
    `A request body with ${what} is not supported: send application/x-www-form-urlencoded or application/json in UTF-8.`,
  );
}
