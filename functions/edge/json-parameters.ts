/**
 * Reads a JSON body into the tree that a form with the same meaning gives.
 * It must never drop or replace anything in silence: duplicate names, half surrogates and trailing text are refused.
 */
import { refuse } from "../domain/errors.ts";
import {
  checkCount,
  checkDepth,
  checkName,
  checkText,
  type GrowingMap,
  invalid,
  type ParameterMap,
} from "./parameter-tree.ts";

/**
 * Reads JSON text whose top is an object. Numbers keep their source text, true and false become words, null the empty text,
 * empty objects and lists vanish, as in the form of the same request. A byte order mark is refused (RFC 8259 section 8.1).
 * Depth is bounded before anything recurses, so a body of 10 000 brackets costs no stack.
 * Raises `body_invalid` for bad syntax, `parameter_invalid` for a name or text that is refused.
 */
export function parseJson(text: string): ParameterMap {
  const source: Source = { text, at: 0, count: 0 };
  skipSpace(source);
  if (text[source.at] !== "{") throw bad(source, "an object was expected");
  const root = readObject(source, []);
  skipSpace(source);
  if (source.at < text.length) throw bad(source, "nothing may follow the object");
  return root;
}

/** Where the reading stands, and how many texts it has met. */
interface Source {
  readonly text: string;
  at: number;
  count: number;
}

function readObject(source: Source, path: readonly string[]): GrowingMap {
  const map: GrowingMap = new Map();
  const names = new Set<string>();
  source.at += 1;
  if (closes(source, "}")) return map;
  do {
    skipSpace(source);
    const name = readText(source);
    const inner = [...path, name];
    checkName(name, inner);
    checkDepth(inner);
    // Also the names of what vanishes count: `{"a":{},"a":1}` is as ambiguous as any other duplicate.
    if (names.has(name)) throw invalid(inner, "was sent more than once");
    names.add(name);
    skipSpace(source);
    expect(source, ":");
    keep(map, name, readValue(source, inner));
  } while (goesOn(source, "}"));
  return map;
}

function readList(source: Source, path: readonly string[]): GrowingMap {
  const map: GrowingMap = new Map();
  source.at += 1;
  if (closes(source, "]")) return map;
  let index = 0;
  do {
    const inner = [...path, String(index)];
    checkDepth(inner);
    keep(map, String(index), readValue(source, inner));
    index += 1;
  } while (goesOn(source, "]"));
  return map;
}

function readValue(source: Source, path: readonly string[]): string | GrowingMap {
  skipSpace(source);
  const first = source.text[source.at];
  if (first === "{") return readObject(source, path);
  if (first === "[") return readList(source, path);
  source.count += 1;
  checkCount(source.count);
  if (first !== '"') return readWord(source);
  const text = readText(source);
  checkText(text, path);
  return text;
}

/** Empty objects and lists vanish, so that `{"metadata":{}}` is the request without metadata (contract section 2, F19). */
function keep(map: GrowingMap, name: string, value: string | GrowingMap): void {
  if (typeof value === "string" || value.size > 0) map.set(name, value);
}

function readText(source: Source): string {
  const start = source.at;
  expect(source, '"');
  while (source.at < source.text.length && source.text[source.at] !== '"') {
    source.at += source.text[source.at] === "\\" ? 2 : 1;
  }
  expect(source, '"');
  try {
    return String(JSON.parse(source.text.slice(start, source.at)));
  } catch (cause) {
    source.at = start;
    throw refuse("body_invalid", `${at(source)}: a string is malformed.`, { cause });
  }
}

/** A number as it was written, or one of the three words. */
const wordPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

function readWord(source: Source): string {
  wordPattern.lastIndex = source.at;
  const word = wordPattern.exec(source.text)?.[0];
  if (word === undefined) throw bad(source, "a value was expected");
  source.at += word.length;
  return word === "null" ? "" : word;
}

function closes(source: Source, mark: string): boolean {
  skipSpace(source);
  if (source.text[source.at] !== mark) return false;
  source.at += 1;
  return true;
}

function goesOn(source: Source, end: string): boolean {
  if (closes(source, end)) return false;
  expect(source, ",");
  return true;
}

function expect(source: Source, mark: string): void {
  if (source.text[source.at] !== mark) throw bad(source, `${mark} was expected`);
  source.at += 1;
}

/** JSON knows four kinds of white space; the other ones of JavaScript are errors. */
const spacePattern = /[ \t\n\r]*/y;

function skipSpace(source: Source): void {
  spacePattern.lastIndex = source.at;
  spacePattern.exec(source.text);
  source.at = spacePattern.lastIndex;
}

function bad(source: Source, what: string) {
  return refuse("body_invalid", `${at(source)}: ${what}.`);
}

function at(source: Source): string {
  return `The request body is not the JSON that is expected, at character ${source.at + 1}`;
}
