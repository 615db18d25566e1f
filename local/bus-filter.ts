// The filters of Pub/Sub's subscriptions: conditions on a message's attributes, and nothing else of it.
// It must never guess: what Pub/Sub would refuse when the subscription is made is refused here.

/** True for a message that the subscription gets. */
export type MessageFilter = (attributes: Readonly<Record<string, string>>) => boolean;

/**
 * Reads a filter; an empty one takes everything. Its conditions are `attributes:key` (is there), `attributes.key = "value"`,
 * `!=` and `hasPrefix(attributes.key, "value")`, joined by AND or OR (both of them only with parentheses), NOT or `-` before.
 */
export function parseFilter(text: string): MessageFilter {
  if (Buffer.byteLength(text, "utf8") > BYTES_MAX) throw new Error(`the filter has more than ${BYTES_MAX} bytes`);
  if (text.trim() === "") return () => true;
  const reader = tokensOf(text);
  const filter = readJoined(reader);
  if (reader.peek() !== undefined) throw unexpected(reader.peek());
  return filter;
}

/** Pub/Sub's own limit. */
const BYTES_MAX = 256;

type Tokens = { peek(): string | undefined; next(): string; expect(token: string): void };

function tokensOf(text: string): Tokens {
  const tokens: string[] = [];
  let rest = text;
  while (rest.trim() !== "") {
    const [whole, token] = /^\s*("(?:[^"\\]|\\.)*"|[A-Za-z_][\w-]*|!=|[=:.,()-])/.exec(rest) ?? [];
    if (whole === undefined || token === undefined) throw unexpected(rest.trim());
    tokens.push(token);
    rest = rest.slice(whole.length);
  }
  const next = () => {
    const token = tokens.shift();
    if (token === undefined) throw unexpected(undefined);
    return token;
  };
  return {
    peek: () => tokens[0],
    next,
    expect: (token) => {
      const found = next();
      if (found !== token) throw unexpected(found);
    },
  };
}

function readJoined(reader: Tokens): MessageFilter {
  const parts = [readOne(reader)];
  const word = reader.peek();
  if (word !== "AND" && word !== "OR") return parts[0] as MessageFilter;
  while (reader.peek() === word) {
    reader.next();
    parts.push(readOne(reader));
  }
  if (reader.peek() === "AND" || reader.peek() === "OR")
    throw new Error("the filter mixes AND and OR without parentheses");
  return (attributes) =>
    word === "AND" ? parts.every((part) => part(attributes)) : parts.some((part) => part(attributes));
}

function readOne(reader: Tokens): MessageFilter {
  const first = reader.next();
  if (first === "NOT" || first === "-") {
    const inner = readOne(reader);
    return (attributes) => !inner(attributes);
  }
  if (first === "(") {
    const inner = readJoined(reader);
    reader.expect(")");
    return inner;
  }
  if (first === "hasPrefix") return readPrefix(reader);
  if (first !== "attributes") throw unexpected(first);
  return readComparison(reader);
}

function readPrefix(reader: Tokens): MessageFilter {
  reader.expect("(");
  reader.expect("attributes");
  reader.expect(".");
  const key = nameOf(reader.next());
  reader.expect(",");
  const prefix = textOf(reader.next());
  reader.expect(")");
  return (attributes) => attributes[key]?.startsWith(prefix) === true;
}

function readComparison(reader: Tokens): MessageFilter {
  const sign = reader.next();
  if (sign === ":") {
    const key = nameOf(reader.next());
    return (attributes) => Object.hasOwn(attributes, key);
  }
  if (sign !== ".") throw unexpected(sign);
  const key = nameOf(reader.next());
  const operator = reader.next();
  if (operator !== "=" && operator !== "!=") throw unexpected(operator);
  const value = textOf(reader.next());
  // An attribute that is not there equals nothing, and so differs.
  return (attributes) => (attributes[key] === value) === (operator === "=");
}

function nameOf(token: string): string {
  return token.startsWith('"') ? textOf(token) : token;
}

function textOf(token: string): string {
  if (!token.startsWith('"')) throw unexpected(token);
  return token.slice(1, -1).replace(/\\(.)/g, "$1");
}

function unexpected(token: string | undefined): Error {
  return new Error(`the filter has ${token === undefined ? "no end" : `${token}, where it is not understood`}`);
}
