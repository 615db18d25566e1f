// Which body is read how, what query and body make together, and when two requests mean the same.
// It must never depend on how the bytes came in: requests here are plain values.
import { Buffer } from "node:buffer";
import { canonicalParameters } from "../../functions/edge/canonical.ts";
import { parseForm } from "../../functions/edge/form-parameters.ts";
import { parseJson } from "../../functions/edge/json-parameters.ts";
import { requestParameters } from "../../functions/edge/parameters.ts";
import type { WireRequest } from "../../functions/edge/wire.ts";
import { plain, refusal } from "./parameter-matchers.ts";

function request(target: string, contentType: string | undefined, body: string | Buffer): WireRequest {
  const headers = new Map(contentType === undefined ? [] : [["content-type", [contentType]]]);
  return { method: "POST", target, headers, body: Buffer.from(body) };
}

describe("the parameters of a request", () => {
  test.each([
    ["a form by its type", "/v1/x", "application/x-www-form-urlencoded", "a[b]=1", { a: { b: "1" } }],
    ["a form when no type is said", "/v1/x", undefined, "a=1", { a: "1" }],
    ["JSON by its type", "/v1/x", "application/json", '{"a":1}', { a: "1" }],
    ["JSON with a charset, in any case", "/v1/x", 'Application/JSON ; Charset="UTF-8"', '{"a":1}', { a: "1" }],
    ["nothing for an empty body of any type", "/v1/x", "text/plain", "", {}],
    [
      "a query",
      "/v1/x?created[gte]=1&expand%5B%5D=data",
      undefined,
      "",
      { created: { gte: "1" }, expand: { 0: "data" } },
    ],
    ["query and body together", "/v1/x?b=2", "application/json", '{"a":1}', { a: "1", b: "2" }],
    ["a second question mark is part of a value", "/v1/x?a=1?2", undefined, "", { a: "1?2" }],
  ])("%s", (_title, target, contentType, body, tree) => {
    expect(plain(requestParameters(request(target, contentType, body)))).toEqual(tree);
  });

  test.each([
    ["F20 text/plain", "text/plain", "a=1"],
    ["multipart", "multipart/form-data; boundary=x", "--x"],
    ["JSON of another kind", "application/cloudevents+json", "{}"],
    ["a nonsense type", ";", "a=1"],
    ["another charset", "application/json; charset=utf-16", "{}"],
    ["an unknown charset", "application/x-www-form-urlencoded; charset=none", "a=1"],
  ])("%s is an unsupported media type", (_title, contentType, body) => {
    expect(refusal(() => requestParameters(request("/v1/x", contentType, body))).code).toBe("media_type_unsupported");
  });

  test("two Content-Types are unsupported, whatever they say", () => {
    const both = new Map([["content-type", ["application/json", "application/json"]]]);
    const twice: WireRequest = { ...request("/v1/x", undefined, "{}"), headers: both };
    expect(refusal(() => requestParameters(twice)).code).toBe("media_type_unsupported");
  });

  test("a parameter in the query and in the body is refused by name", () => {
    expect(refusal(() => requestParameters(request("/v1/x?a=1", "application/json", '{"a":1}')))).toEqual({
      code: "parameter_invalid",
      param: "a",
    });
  });

  test("F20 a body that is not UTF-8 is refused, and so is a byte order mark in JSON", () => {
    const latin1 = request("/v1/x", "application/json", Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]));
    expect(refusal(() => requestParameters(latin1)).code).toBe("body_invalid");
    const marked = request("/v1/x", "application/json", '\ufeff{"a":1}');
    expect(refusal(() => requestParameters(marked)).code).toBe("body_invalid");
  });
});

describe("the canonical text", () => {
  test("F01 is the same for names in another order at every level, and for a form and its JSON", () => {
    const first = canonicalParameters(parseJson('{"amount":100,"currency":"usd","metadata":{"a":"1","b":"2"}}'));
    const reversed = canonicalParameters(parseJson('{"metadata":{"b":"2","a":"1"},"currency":"usd","amount":100}'));
    const form = canonicalParameters(parseForm("metadata[b]=2&amount=100&metadata[a]=1&currency=usd"));
    expect(reversed).toBe(first);
    expect(form).toBe(first);
    expect(first).toBe('[["amount","100"],["currency","usd"],["metadata",[["a","1"],["b","2"]]]]');
  });

  test.each([
    ["F01 a list in another order", '{"a":["x","y"]}', '{"a":["y","x"]}'],
    ["F03 a composed and a decomposed letter", '{"a":"\u00e9"}', '{"a":"e\u0301"}'],
    ["F19 false and absent", '{"capture":false}', "{}"],
    ["F19 null and absent", '{"metadata":null}', "{}"],
    ["a text and an object of the same letters", '{"a":"[[\\"b\\",\\"1\\"]]"}', '{"a":{"b":"1"}}'],
    ["a quote that could end a name", '{"a\\",\\"b":"1"}', '{"a":"b\\",\\"1"}'],
    ["another spelling of a number", '{"a":100}', '{"a":100.0}'],
  ])("%s differ", (_title, left, right) => {
    expect(canonicalParameters(parseJson(left))).not.toBe(canonicalParameters(parseJson(right)));
  });

  test.each([
    ["F19 an empty object and absent", '{"metadata":{}}', "{}"],
    ["F19 null and the empty text", '{"description":null}', '{"description":""}'],
    ["F03 an emoji raw and escaped", '{"a":"😀"}', '{"a":"\\ud83d\\ude00"}'],
  ])("%s are the same", (_title, left, right) => {
    expect(canonicalParameters(parseJson(left))).toBe(canonicalParameters(parseJson(right)));
  });

  test("names are sorted by code point, not by UTF-16 unit", () => {
    expect(canonicalParameters(parseJson('{"😀":"1","\uffee":"2","ab":"3","a":"4"}'))).toBe(
      '[["a","4"],["ab","3"],["\uffee","2"],["😀","1"]]',
    );
  });

  test.each([1, 2, 16, 17, 100])("%i names are sorted, in whatever order they came", (count) => {
    const names = Array.from({ length: count }, (_, index) => `name ${index}`);
    const mixed = names.map((_, index) => [names[(index * 37 + 5) % count] ?? "", "1"] as const);
    const sorted = JSON.stringify(names.toSorted().map((name) => [name, "1"]));
    expect([mixed, mixed.toReversed()].map((order) => canonicalParameters(new Map(order)))).toEqual([sorted, sorted]);
  });
});
