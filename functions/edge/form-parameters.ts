/**
 * Reads a form or a query string with brackets (`shipping[address][line1]=..`, `expand[0]=..`, `expand[]=..`) into a tree.
 * It must never let a later value replace an earlier one: what is fingerprinted is what is executed (field case F20).
 */
import {
  checkCount,
  checkDepth,
  checkName,
  checkText,
  type GrowingMap,
  invalid,
  listIndex,
  type ParameterMap,
} from "./parameter-tree.ts";

/**
 * Reads percent-encoded text; `+` is a space, brackets may be encoded (contract section 2).
 * Raises `parameter_invalid` that names the parameter, or `body_invalid` when there are too many.
 */
export function parseForm(text: string): ParameterMap {
  const root: GrowingMap = new Map();
  let count = 0;
  for (const pair of eachPair(text)) {
    count += 1;
    checkCount(count);
    const equals = pair.indexOf("=");
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const path = pathOfName(decode(rawName, rawName));
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1), rawName);
    checkText(value, path);
    insert(root, path, value);
  }
  return root;
}

/** The non-empty pieces between `&`, one at a time: a body of a million `&` makes no list of a million texts. */
function* eachPair(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("&", start);
    const end = next === -1 ? text.length : next;
    if (end > start) yield text.slice(start, end);
    start = end + 1;
  }
}

function decode(encoded: string, rawName: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    throw invalid([rawName], "must be percent-encoded UTF-8");
  }
}

/** `a[b][]` as `["a", "b", ""]`, where the empty last name means the next free index. */
function pathOfName(name: string): readonly string[] {
  const bracket = name.indexOf("[");
  const first = bracket === -1 ? name : name.slice(0, bracket);
  checkName(first, [name]);
  const rest = bracket === -1 ? "" : name.slice(bracket);
  if (!/^(?:\[[^[\]]*\])*$/.test(rest)) throw invalid([name], "must have balanced brackets");
  const path = [first, ...(rest === "" ? [] : rest.slice(1, -1).split("]["))];
  checkDepth(path);
  for (const part of path) if (part !== "") checkName(part, [name]);
  return path;
}

function insert(root: GrowingMap, path: readonly string[], value: string): void {
  let map = root;
  for (const [depth, part] of path.entries()) {
    const rest = path.slice(depth + 1);
    const name = part === "" ? nextIndex(map, rest) : part;
    const found = map.get(name);
    if (rest.length === 0) {
      if (found !== undefined) throw invalid(path, "was sent more than once");
      map.set(name, value);
    } else if (found === undefined) {
      const inner: GrowingMap = new Map();
      map.set(name, inner);
      map = inner;
    } else if (typeof found === "string") {
      throw invalid(path.slice(0, depth + 1), "was sent as a value and as an object");
    } else map = found;
  }
}

/**
 * The index that `[]` stands for: `a[][k]` goes on with the last entry as long as that has no `k` yet, as other servers
 * of this encoding read lists of objects; anything else starts a new entry.
 */
function nextIndex(map: GrowingMap, rest: readonly string[]): string {
  let last = -1;
  for (const key of map.keys()) if (listIndex.test(key)) last = Math.max(last, Number(key));
  const current = map.get(String(last));
  const goesOn = rest.length > 0 && current instanceof Map && !holds(current, rest);
  return String(goesOn ? last : last + 1);
}

function holds(map: GrowingMap, path: readonly string[]): boolean {
  let found: string | GrowingMap | undefined = map;
  for (const part of path) {
    if (!(found instanceof Map)) return found !== undefined;
    // A list inside the entry can always take one more.
    if (part === "") return false;
    found = found.get(part);
  }
  return found !== undefined;
}
