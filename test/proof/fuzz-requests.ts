// Requests that nobody would write by hand: seeded, made from the descriptions of all calls and from what breaks parsers.
// It must never depend on anything but its seed: a failing one has to come again.
import type { WireRequest } from "../../functions/edge/wire.ts";
import { balanceEndpoints } from "../edge/balance-endpoints.ts";
import type { EndpointDescription, ObjectIds } from "../edge/endpoint-description.ts";
import { paymentEndpoints } from "../edge/payment-endpoints.ts";
import { refundEndpoints } from "../edge/refund-endpoints.ts";
import { webhookEndpoints } from "../edge/webhook-endpoints.ts";
import { apiKeys } from "../support/world.ts";

const endpoints = [...paymentEndpoints, ...refundEndpoints, ...webhookEndpoints, ...balanceEndpoints];

/** First parts of all parameters' names that any call declares. */
export const declaredRoots: ReadonlySet<string> = new Set(
  endpoints.flatMap(({ fields }) => fields.map(({ name }) => rootOf(name))),
);

/** `shipping` of `shipping[address][city]`. */
export function rootOf(name: string): string {
  return name.split("[")[0] ?? "";
}

/** Numbers from 0 up to but not including 1 (mulberry32); the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The next request; `known` are ids of objects that exist. */
export function fuzzedRequest(random: () => number, known: readonly ObjectIds[]): WireRequest {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const chance = (share: number) => random() < share;
  const ids =
    chance(0.8) && known.length > 0
      ? pick(known)
      : { intent: "pi_no", charge: "ch_no", refund: "re_no", endpoint: "we_no" };
  const endpoint = pick(endpoints);
  const pieces = piecesFor(endpoint, ids, { pick, chance });
  const path = chance(0.95) ? endpoint.path(ids) : spoiledPath(endpoint.path(ids), pick);
  const method = chance(0.93) ? endpoint.method : pick(["GET", "POST", "DELETE", "PUT", "get", "HEAD"]);
  const isJson = chance(0.25);
  const isQuery = endpoint.method === "GET" || chance(0.03);
  const query = isQuery ? `?${escapedAll(pieces).join("&")}` : "";
  const body = isQuery ? "" : isJson ? jsonOf(pieces, { pick, chance, random }) : formOf(pieces, { pick, chance });
  const types = isJson
    ? ["application/json", "application/json; charset=utf-8"]
    : ["application/x-www-form-urlencoded"];
  const headers = new Map<string, readonly string[]>([
    [
      "content-type",
      [chance(0.95) ? pick(types) : pick(["", "text/plain", "multipart/form-data; boundary=x", "application/json"])],
    ],
    [
      "authorization",
      [chance(0.97) ? `Bearer ${apiKeys.first}` : pick(["", "Bearer", "Bearer x y", `Basic ${apiKeys.first}`])],
    ],
  ]);
  if (chance(0.5)) headers.set("idempotency-key", pick(keys(pick)));
  if (chance(0.05)) headers.set("stripe-version", [pick(["2026-10-28.endive", "1", "", "2026-13-01"])]);
  if (chance(0.05)) headers.set("prefer", [pick(["wait=0", "wait=99", "wait=-1", "respond-async"])]);
  return { method, target: `${path}${query}`, headers, body: Buffer.from(body, "utf8") };
}

interface Choices {
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly chance: (share: number) => boolean;
}

/** `name=value` pieces: most of what the call needs, some of what it takes, now and then what nobody takes. */
function piecesFor(endpoint: EndpointDescription, ids: ObjectIds, { pick, chance }: Choices): string[] {
  const base = endpoint.base(ids).filter(() => chance(0.93));
  const extra = endpoint.fields
    .filter(() => chance(0.08))
    .map(({ name }) => `${name}${pick(suffixes)}=${pick(values)}`);
  const foreign = chance(0.1) ? [`${pick(names)}=${pick(values)}`] : [];
  return [...base, ...extra, ...foreign];
}

const suffixes = ["", "", "", "", "", "[]", "[0]", "[1000000]", "[a]", "[a][b][c]", "[", "]", "[]["];
const names = [
  "zzz",
  "__proto__",
  "constructor[prototype]",
  "toString",
  "a[__proto__][b]",
  "é",
  "",
  "[x]",
  "amount[currency]",
  "metadata[]",
];
const values = [
  ...["0", "-1", "1", "2000", "99999999", "1e3", "0x10", "1.5", " 7 ", "+5", "9".repeat(400), "-0", "NaN", "Infinity"],
  ...[
    "",
    " ",
    "true",
    "false",
    "null",
    "undefined",
    "usd",
    "USD",
    "jpy",
    "kwd",
    "automatic",
    "manual",
    "never",
    "if_required",
  ],
  ...[
    "pm_card_visa",
    "pm_card_chargeDeclined",
    "pm_card_authenticationRequired",
    "pm_usBankAccount_success",
    "pm_nope",
  ],
  ...["https://shop.example/x", "http://169.254.169.254/", "javascript:alert(1)", "//x", "a@b.example", "@"],
  ...[
    "é😀漢",
    "\u202e",
    "a%00b",
    "%ff%fe",
    "%",
    "%zz",
    "%0d%0aSet-Cookie:x",
    "<script>",
    "'; DROP TABLE x; --",
    "../../etc",
  ],
  ...[
    "[object Object]",
    '{"a":1}',
    "a".repeat(6_000),
    "latest_charge",
    "latest_charge.balance_transaction",
    "card",
    "us_bank_account",
  ],
];

function spoiledPath(path: string, pick: Choices["pick"]): string {
  return pick([
    `${path}/`,
    `/${path}`,
    path.replace("/v1", "/v2"),
    `${path}/../x`,
    `${path}%2f`,
    `${path}%00`,
    path.toUpperCase(),
    "*",
    "/v1",
  ]);
}

/** Few, so that keys meet. */
function keys(pick: Choices["pick"]): readonly (readonly string[])[] {
  const few = `key ${pick(["1", "2", "3", "4", "5", "6", "7", "8"])}`;
  return [[few], [few], [few], [few], [""], ["k".repeat(255)], ["k".repeat(256)], ["a", "b"], ["__proto__"], ["é"]];
}

/** As a URL may hold them: the front door lets no other target through, so the API never meets one. */
function escapedAll(pieces: readonly string[]): string[] {
  const escaped = pieces.map((piece) =>
    piece.replaceAll(/[^ -~]|\s|#/g, (text) => encodeURIComponent(text.toWellFormed())),
  );
  return escaped.map((piece) => (piece.split(/[&=]/).every(decodes) ? piece : encodeURIComponent(piece)));
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function formOf(pieces: readonly string[], { pick, chance }: Choices): string {
  if (chance(0.02)) return pick(["=", "&", "&&=&", "a[b=c", "%", `${"a[b]".repeat(3_000)}=1`, "a=1&".repeat(3_000)]);
  return pieces.join("&");
}

/** The pieces as members, some of their values of another type; or what is no JSON at all. */
function jsonOf(pieces: readonly string[], choices: Choices & { random: () => number }): string {
  const { pick, chance } = choices;
  if (chance(0.05))
    return pick([
      "",
      "{",
      "[]",
      "7",
      "null",
      '"x"',
      '{"a":1,"a":2}',
      "[".repeat(5_000),
      '{"a":'.repeat(200),
      "\u0000",
      "{'a':1}",
    ]);
  const members = pieces.map((piece) => {
    const [name = "", ...rest] = piece.split("=");
    return [name.replace(/\[.*/, ""), chance(0.6) ? rest.join("=") : anyJson(choices, 3)] as const;
  });
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

function anyJson({ pick, chance, random }: Choices & { random: () => number }, depth: number): unknown {
  if (depth > 0 && chance(0.3)) {
    const inner = () => anyJson({ pick, chance, random }, depth - 1);
    return chance(0.5) ? [inner(), inner()] : { [pick(names)]: inner(), k: inner() };
  }
  return pick<unknown>([
    null,
    true,
    false,
    0,
    -1,
    2000,
    1.5,
    1e21,
    2 ** 53,
    "",
    "usd",
    pick(values),
    Math.floor(random() * 1e6),
  ]);
}
