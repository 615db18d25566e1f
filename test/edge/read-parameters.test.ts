// What declared parameters become, and which error names which parameter when they are not what was declared.
// It must never test an endpoint's own fields; those have their table beside the endpoint.

import { createdRange, list, metadata } from "../../functions/edge/collection-readers.ts";
import { parseForm } from "../../functions/edge/form-parameters.ts";
import {
  clearable,
  object,
  optional,
  readParameters,
  required,
  withDefault,
} from "../../functions/edge/read-parameters.ts";
import { amountMinor, boolean, id, integer, oneOf, text, url } from "../../functions/edge/scalar-readers.ts";
import { refusal } from "./parameter-matchers.ts";

const declared = {
  amount: optional(amountMinor()),
  count: optional(integer({ min: 1, max: 100 })),
  limit: withDefault(integer({ min: 1, max: 100 }), 10),
  name: optional(text({ charactersMax: 5 })),
  description: optional(clearable(text({ charactersMax: 5 }))),
  confirm: optional(boolean()),
  capture_method: optional(oneOf(["automatic", "manual"])),
  payment_intent: optional(id({ noun: "payment_intent", prefix: "pi_" })),
  return_url: optional(url()),
  expand: optional(list(text({ charactersMax: 20 }), { entriesMax: 2 })),
  metadata: optional(metadata()),
  created: optional(createdRange()),
  shipping: optional(
    clearable(
      object({
        name: required(text({ charactersMax: 10 })),
        address: optional(object({ line1: optional(clearable(text({ charactersMax: 10 }))) })),
      }),
    ),
  ),
};

const read = (form: string) => readParameters(parseForm(form), declared);

describe("declared parameters become typed values", () => {
  test("each absent one is undefined, or its default", () => {
    const values = read("");
    expect(Object.keys(values)).toEqual(Object.keys(declared));
    expect(values).toEqual({ limit: 10 });
  });

  test("the types are inferred from the declaration", () => {
    const values = read("amount=100&limit=3&description=&capture_method=manual");
    const amount: bigint | undefined = values.amount;
    const limit: number = values.limit;
    const description: string | null | undefined = values.description;
    const method: "automatic" | "manual" | undefined = values.capture_method;
    expect([amount, limit, description, method]).toEqual([100n, 3, null, "manual"]);
  });

  test.each([
    ["amount=99999999", { amount: 99_999_999n }],
    ["count=1", { count: 1 }],
    ["count=0100", { count: 100 }],
    ["name=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80", { name: "😀😀😀😀😀" }],
    ["description=", { description: null }],
    ["confirm=true", { confirm: true }],
    ["confirm=false", { confirm: false }],
    ["payment_intent=pi_3abc", { payment_intent: "pi_3abc" }],
    ["return_url=https://shop.example/back?x=1", { return_url: "https://shop.example/back?x=1" }],
    ["return_url=http://localhost:3000/", { return_url: "http://localhost:3000/" }],
    ["expand[]=a&expand[]=b", { expand: ["a", "b"] }],
    ["expand[7]=b&expand[3]=a", { expand: ["a", "b"] }],
    ["shipping[name]=A&shipping[address][line1]=", { shipping: { name: "A", address: { line1: null } } }],
    ["shipping=", { shipping: null }],
    ["created=5", { created: { createdFromMs: 5_000, createdBeforeMs: 6_000 } }],
    ["created[gte]=5&created[lt]=9", { created: { createdFromMs: 5_000, createdBeforeMs: 9_000 } }],
    ["created[gt]=5&created[lte]=9", { created: { createdFromMs: 6_000, createdBeforeMs: 10_000 } }],
    [
      "created[gt]=5&created[gte]=7&created[lt]=9&created[lte]=9",
      { created: { createdFromMs: 7_000, createdBeforeMs: 9_000 } },
    ],
    ["created[lt]=9", { created: { createdFromMs: null, createdBeforeMs: 9_000 } }],
  ])("%s", (form, values) => {
    expect(read(form)).toEqual({ limit: 10, ...values });
  });

  test.each([
    ["metadata=", null],
    ["metadata[a]=1&metadata[b]=", { a: "1", b: null }],
    ["metadata[0]=x", { 0: "x" }],
    ["metadata[__proto__]=x", { ["__proto__"]: "x" }],
    [`metadata[${"k".repeat(40)}]=${"v".repeat(500)}`, { ["k".repeat(40)]: "v".repeat(500) }],
  ])("%.40s changes metadata", (form, changes) => {
    const changed = read(form).metadata;
    expect(changed && Object.entries(changed)).toEqual(changes && Object.entries(changes));
  });
});

describe("anything else is an error that names the parameter", () => {
  test.each(
    (
      [
        ["nope=1", "parameter_unknown", "nope"],
        ["nope[x]=1", "parameter_unknown", "nope"],
        ["__proto__=1", "parameter_unknown", "__proto__"],
        ["constructor=1", "parameter_unknown", "constructor"],
        ["toString=1", "parameter_unknown", "toString"],
        ["shipping[name]=A&shipping[nope]=1", "parameter_unknown", "shipping[nope]"],
        ["shipping[name]=A&shipping[address][nope]=1", "parameter_unknown", "shipping[address][nope]"],
        ["created[eq]=1", "parameter_unknown", "created[eq]"],
        ["shipping[address][line1]=x", "parameter_missing", "shipping[name]"],
        ["amount=", "parameter_invalid_empty", "amount"],
        ["amount=0", "amount_too_small", "amount"],
        ["amount=100000000", "amount_too_large", "amount"],
        [`amount=${"9".repeat(100_000)}`, "amount_too_large", "amount"],
        ["amount[0]=1", "parameter_invalid_integer", "amount"],
        ...["10.5", "1e3", "1e%2B21", "0x10", "%20100%20", "-1", "+1", "NaN", "true", "%D9%A3", "1_0", "1,0"].map(
          (value) => [`amount=${value}`, "parameter_invalid_integer", "amount"] as const,
        ),
        ["count=0", "parameter_invalid_integer", "count"],
        ["count=101", "parameter_invalid_integer", "count"],
        ["count=", "parameter_invalid_empty", "count"],
        ["name=", "parameter_invalid_empty", "name"],
        ["name=123456", "parameter_invalid", "name"],
        ["name=%F0%9F%98%8012345", "parameter_invalid", "name"],
        ["name[a]=1", "parameter_invalid", "name"],
        ["description=123456", "parameter_invalid", "description"],
        ["confirm=", "parameter_invalid_empty", "confirm"],
        ["confirm=TRUE", "parameter_invalid", "confirm"],
        ["confirm=1", "parameter_invalid", "confirm"],
        ["capture_method=never", "parameter_invalid", "capture_method"],
        ["capture_method[]=manual", "parameter_invalid", "capture_method"],
        ["payment_intent=", "parameter_invalid_empty", "payment_intent"],
        ["payment_intent=ch_1", "resource_missing", "payment_intent"],
        ["payment_intent=pi_", "resource_missing", "payment_intent"],
        ["payment_intent=pi_..%2F1", "resource_missing", "payment_intent"],
        [`payment_intent=pi_${"1".repeat(201)}`, "resource_missing", "payment_intent"],
        ["payment_intent[a]=1", "parameter_invalid", "payment_intent"],
        ["return_url=", "parameter_invalid_empty", "return_url"],
        ["return_url=/back", "url_invalid", "return_url"],
        ["return_url=javascript:alert(1)", "url_invalid", "return_url"],
        [`return_url=https://a.example/${"x".repeat(2_048)}`, "url_invalid", "return_url"],
        ["return_url[]=https://a.example", "parameter_invalid", "return_url"],
        ["expand=a", "parameter_invalid", "expand"],
        ["expand=", "parameter_invalid_empty", "expand"],
        ["expand[x]=a", "parameter_invalid", "expand"],
        ["expand[]=a&expand[]=b&expand[]=c", "parameter_invalid", "expand"],
        ["expand[]=a&expand[]=", "parameter_invalid_empty", "expand[1]"],
        ["expand[][a]=a", "parameter_invalid", "expand[0]"],
        ["metadata=x", "parameter_invalid", "metadata"],
        ["metadata[a][b]=c", "parameter_invalid", "metadata[a]"],
        [`metadata[${"k".repeat(41)}]=v`, "parameter_invalid", `metadata[${"k".repeat(41)}]`],
        [`metadata[k]=${"v".repeat(501)}`, "parameter_invalid", "metadata[k]"],
        [Array.from({ length: 51 }, (_, n) => `metadata[k${n}]=v`).join("&"), "parameter_invalid", "metadata"],
        ["shipping=x", "parameter_invalid", "shipping"],
        ["shipping[name]=A&shipping[address]=", "parameter_invalid_empty", "shipping[address]"],
        ["shipping[name]=A&shipping[address]=x", "parameter_invalid", "shipping[address]"],
        ["created=", "parameter_invalid_empty", "created"],
        ["created=yesterday", "parameter_invalid_integer", "created"],
        ["created[gt]=-1", "parameter_invalid_integer", "created[gt]"],
        ["created[gt]=999999999999999", "parameter_invalid_integer", "created[gt]"],
      ] as const
    ).map(([form, code, param]) => [form.slice(0, 60), form, code, param] as const),
  )("%s", (_title, form, code, param) => {
    expect(refusal(() => read(form))).toEqual({ code, param });
  });

  test("a missing one is named", () => {
    const refused = refusal(() => readParameters(new Map(), { amount: required(amountMinor()) }));
    expect(refused).toEqual({ code: "parameter_missing", param: "amount" });
  });

  test("the unknown one is named before the bad one, and the bad ones in declared order", () => {
    expect(refusal(() => read("name=&amount=&nope=1")).param).toBe("nope");
    expect(refusal(() => read("name=&amount=")).param).toBe("amount");
  });

  test("the text of an unknown parameter is the one clients know", () => {
    expect(() => read("shipping[nope]=1")).toThrow("Received unknown parameter: shipping[nope]");
  });
});
