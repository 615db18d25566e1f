// What a JSON body becomes, that it equals the form with the same meaning, and which ones are refused.
// It must never accept what a form could not say.
import { parseForm } from "../../functions/edge/form-parameters.ts";
import { parseJson } from "../../functions/edge/json-parameters.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { plain, refusal } from "./parameter-matchers.ts";

describe("a JSON body gives the tree of the form that means the same", () => {
  test.each([
    ["an empty object", "{}", ""],
    ["white space", ' \n{ "a" :\t"1" }\r\n', "a=1"],
    ["a number as its source text", '{"a":100,"b":"100"}', "a=100&b=100"],
    ["numbers that are no integers", '{"a":1e3,"b":10.5,"c":-1,"d":1E+2}', "a=1e3&b=10.5&c=-1&d=1E%2B2"],
    ["a number beyond what JavaScript can hold", '{"a":123456789012345678901}', "a=123456789012345678901"],
    ["F19 false and true as words", '{"capture":false,"confirm":true}', "capture=false&confirm=true"],
    ["F19 null as empty", '{"description":null,"metadata":null}', "description=&metadata="],
    ["F19 empty objects and lists as absent", '{"a":{},"b":[],"c":[{}],"d":{"e":{}}}', ""],
    ["a list", '{"expand":["a","b"]}', "expand[]=a&expand[1]=b"],
    ["a list with an empty object", '{"a":[{},"x"]}', "a[1]=x"],
    ["a list of objects", '{"a":[{"k":1},{"k":null}]}', "a[0][k]=1&a[1][k]="],
    ["nesting", '{"shipping":{"address":{"line1":"Main"}}}', "shipping[address][line1]=Main"],
    ["escapes", '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"}', "a=%22%5C%2F%08%0C%0A%0D%09%C3%A9"],
    ["F03 an emoji, escaped and raw", '{"a":"\\ud83d\\ude00","b":"😀"}', "a=😀&b=%F0%9F%98%80"],
    [
      "F20 __proto__ as a name",
      '{"__proto__":{"x":"1"},"metadata":{"__proto__":"2"}}',
      "__proto__[x]=1&metadata[__proto__]=2",
    ],
    ["eight levels", '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}', "a[b][c][d][e][f][g][h]=1"],
  ])("%s", (_title, json, form) => {
    expect(plain(parseJson(json))).toEqual(plain(parseForm(form)));
  });

  test("F03 composed and decomposed letters stay two texts", () => {
    expect(parseJson('{"a":"\u00e9"}')).not.toEqual(parseJson('{"a":"e\u0301"}'));
  });
});

describe("a JSON body is refused", () => {
  test.each([
    ["truncated (F20)", '{"amount":1'],
    ["truncated in a string", '{"amount":"1'],
    ["truncated after a backslash", '{"amount":"1\\'],
    ["empty text", " "],
    ["a list at the top", "[1]"],
    ["a text at the top", '"a"'],
    ["null at the top", "null"],
    ["text after the object", '{"a":1} x'],
    ["two objects", "{}{}"],
    ["a byte order mark (F20)", '\ufeff{"a":1}'],
    ["a comma at the end", '{"a":1,}'],
    ["a comma at the end of a list", '{"a":[1,]}'],
    ["a missing comma", '{"a":1 "b":2}'],
    ["a missing colon", '{"a" 1}'],
    ["a name without quotes", "{a:1}"],
    ["single quotes", "{'a':1}"],
    ["a leading zero", '{"a":01}'],
    ["a plus sign", '{"a":+1}'],
    ["a hexadecimal number", '{"a":0x10}'],
    ["NaN", '{"a":NaN}'],
    ["a bare point", '{"a":1.}'],
    ["a raw newline in a string", '{"a":"x\ny"}'],
    ["a bad escape", '{"a":"\\x41"}'],
    ["a cut escape", '{"a":"\\u00"}'],
    ["a comment", '{"a":1/*x*/}'],
    ["a no-break space between tokens", '{"a":\u00a01}'],
  ])("%s", (_title, json) => {
    expect(refusal(() => parseJson(json))).toEqual({ code: "body_invalid", param: undefined });
  });

  test.each([
    ["F20 a duplicate name", '{"amount":1,"amount":100}', "amount"],
    ["F20 a duplicate name with the same value", '{"amount":1,"amount":1}', "amount"],
    ["F20 a duplicate name by an escape", '{"amount":1,"amoun\\u0074":1}', "amount"],
    ["F20 a duplicate name deep inside", '{"a":[{"b":{"c":1,"c":2}}]}', "a[0][b][c]"],
    ["a duplicate name of which one vanishes", '{"a":{},"a":1}', "a"],
    ["F03 a lone surrogate", '{"a":"\\ud83d"}', "a"],
    ["F03 a lone low surrogate", '{"a":"x\\ude00y"}', "a"],
    ["F03 a lone surrogate in a name", '{"metadata":{"\\ud83d":"1"}}', "metadata[\ufffd]"],
    ["F03 NUL", '{"metadata":{"n":"\\u0000"}}', "metadata[n]"],
    ["a name with brackets", '{"metadata[k]":"1"}', "metadata[k]"],
    ["an empty name", '{"metadata":{"":"1"}}', "metadata[]"],
    ["nine levels", '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":1}}}}}}}}}', "a[b][c][d][e][f][g][h]"],
  ])("%s", (_title, json, param) => {
    expect(refusal(() => parseJson(json))).toEqual({ code: "parameter_invalid", param });
  });

  test.each([
    ["objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["lists", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["open lists", `{"a":${"[".repeat(1_000_000)}`],
  ])("F20 ten thousand levels of %s, at once and without using up the stack", (_title, json) => {
    const startedAt = cpuTimeMs();
    expect(refusal(() => parseJson(json)).code).toBe("parameter_invalid");
    expect(cpuTimeMs() - startedAt).toBeLessThan(500);
  });

  test("more than a thousand values", () => {
    expect(refusal(() => parseJson(`{"a":[${"1,".repeat(1_000)}1]}`))).toEqual({
      code: "body_invalid",
      param: undefined,
    });
  });

  test("a megabyte of escapes in one string is read in well under a second", () => {
    const startedAt = cpuTimeMs();
    expect(String(parseJson(`{"a":"${"\\n".repeat(500_000)}"}`).get("a")).length).toBe(500_000);
    expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
  });
});
