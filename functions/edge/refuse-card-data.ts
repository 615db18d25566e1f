/**
 * Keeps card data out: looks at everything of a request that could be stored, logged or repeated, before anything else does.
 * It must never put a number into an error, not even as the name of a parameter.
 */
import { Buffer } from "node:buffer";
import { holdsCardNumber, isCardParameter } from "../domain/card-data.ts";
import { type DomainError, refuse } from "../domain/errors.ts";
import { bracketName, type Parameter, type ParameterMap, shownName } from "./parameter-tree.ts";
import { requestParameters } from "./parameters.ts";
import { pathOf, queryOf, type WireRequest } from "./wire.ts";

/**
 * The parameters of a request without card data in any name or value: only tokens of payment methods enter the system.
 * Raises `card_data_refused` that names the parameter, also in place of any other error of a text that holds a card's
 * number, because such an error may repeat the text; and otherwise what `requestParameters` raises.
 */
export function parametersWithoutCardData(request: WireRequest): ParameterMap {
  const parameters = readParameters(request);
  checkMap(parameters, []);
  return parameters;
}

/** Refuses a path with a card's number in it. Raises `card_data_refused`. */
export function refuseCardDataInPath(request: WireRequest): void {
  if (holdsCardNumber(unescaped(pathOf(request.target)))) throw refused(undefined);
}

/** The path as a log may show it. */
export function pathWithoutCardData(request: WireRequest): string {
  const path = pathOf(request.target);
  return holdsCardNumber(unescaped(path)) ? "(card data)" : path;
}

/** The idempotency key, which is stored and repeated. Raises `card_data_refused`. */
export function keyWithoutCardData(key: string | undefined): string | undefined {
  if (key !== undefined && holdsCardNumber(key)) throw refused("Idempotency-Key");
  return key;
}

function readParameters(request: WireRequest): ParameterMap {
  try {
    return requestParameters(request);
  } catch (error) {
    const texts = [queryOf(request.target), request.body.toString("utf8")];
    throw texts.some((text) => holdsCardNumber(unescaped(text))) ? refused(undefined) : error;
  }
}

function checkMap(parameters: ParameterMap, outer: readonly string[]): void {
  for (const [name, parameter] of parameters) {
    // A name that is a number itself is left out of the error.
    if (holdsCardNumber(name)) throw refused(outer.length === 0 ? undefined : bracketName(outer));
    const path = [...outer, name];
    if (isCardParameter(path) || isCardNumber(parameter)) throw refused(bracketName(path));
    if (typeof parameter !== "string") checkMap(parameter, path);
  }
}

function isCardNumber(parameter: Parameter): boolean {
  return typeof parameter === "string" && holdsCardNumber(parameter);
}

/** A text with the escapes of URLs and of JSON undone, as far as they are ones. */
function unescaped(text: string): string {
  return text
    .replaceAll("+", " ")
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"))
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function refused(name: string | undefined): DomainError {
  const details = name === undefined ? {} : { param: shownName(name) };
  return refuse(
    "card_data_refused",
    "Card data is not accepted in any parameter, header or path. Send the id of a payment method instead.",
    details,
  );
}
