/**
 * The dashboard's forms: their fields, and the proof that a page of the dashboard sent them.
 * It must never let a form of another site change anything, whatever cookies came with it.
 */
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { Session } from "../domain/dashboard-session.ts";
import { refuse } from "../domain/errors.ts";
import { baseUrlOf } from "./base-url.ts";
import { parseForm } from "./form-parameters.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import { headerValues, queryOf, type WireRequest } from "./wire.ts";

/** One field by its name; undefined when it is not there or empty. @throws DomainError `parameter_invalid` for a list */
export type ReadField = (name: string) => string | undefined;

/**
 * The fields of a form that this origin sent.
 * @throws DomainError `caller_refused` for another origin's, `media_type_unsupported`, and what `parseForm` throws
 */
export function formOf(request: WireRequest): ReadField {
  if (!isFromHere(request)) throw refuse("caller_refused", "This form was not sent by a page of the dashboard.");
  const [type = ""] = headerValues(request, "content-type");
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw refuse("media_type_unsupported", "The dashboard reads forms only.");
  if (request.body.length > formBytesMax) throw refuse("body_too_large", "The form is too large.");
  return fieldsIn(parseForm(request.body.toString("utf8")));
}

/** The fields of a form of this session. @throws DomainError as `formOf`, and `caller_refused` for a wrong token */
export function sessionForm(request: WireRequest, session: Session): ReadField {
  const form = formOf(request);
  if (!isSame(form(tokenField) ?? "", session.formToken)) {
    throw refuse("caller_refused", "This page is from an earlier session. Open it anew and try again.");
  }
  return form;
}

/** The fields of the address. @throws what `parseForm` throws */
export function queryFields(request: WireRequest): ReadField {
  return fieldsIn(parseForm(queryOf(request.target)));
}

/** Name of the hidden field that proves the session. */
export const tokenField = "form_token";

/** 64 KiB: the largest form is a plan of fifty deliveries, below 8 KiB. */
const formBytesMax = 64 * 1024;

function fieldsIn(fields: ParameterMap): ReadField {
  return (name) => {
    const value = fields.get(name);
    if (typeof value === "object") throw refuse("parameter_invalid", `${name} must be one value.`, { param: name });
    return value === "" ? undefined : value?.trim();
  };
}

/**
 * Browsers say where a form comes from, and no page can change it. Behind a proxy on the reader's machine the origin is
 * another one than the address that the request came to, so the newer header goes first.
 */
function isFromHere(request: WireRequest): boolean {
  const [site] = headerValues(request, "sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const [origin] = headerValues(request, "origin");
  return origin === undefined || origin === baseUrlOf(request);
}

function isSame(given: string, known: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(known)];
  return one.length === other.length && timingSafeEqual(one, other);
}
