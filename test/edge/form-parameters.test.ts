// What a form or a query string becomes, and which ones are refused.
// It must never check a form only by its size: each case names the tree or the parameter at fault.
import { parseForm } from "../../functions/edge/form-parameters.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { plain, refusal } from "./parameter-matchers.ts";

describe("a form is read into a tree", () => {
  test.each([
    ["nothing", "", {}],
    ["a scalar", "amount=100", { amount: "100" }],
    ["a name without =", "description", { description: "" }],
    ["an empty value", "description=", { description: "" }],
    ["an = in the value", "a=b=c", { a: "b=c" }],
    ["empty pieces", "&&a=1&&b=2&", { a: "1", b: "2" }],
    ["+ and %20 as spaces, %2B as plus", "a=x+y%20z%2B", { a: "x y z+" }],
    ["raw brackets", "shipping[address][line1]=Main", { shipping: { address: { line1: "Main" } } }],
    ["encoded brackets", "shipping%5Baddress%5D%5Bline1%5D=Main", { shipping: { address: { line1: "Main" } } }],
    ["an indexed list", "expand[1]=b&expand[0]=a", { expand: { 0: "a", 1: "b" } }],
    ["an appended list, equal to the indexed one", "expand[]=a&expand[]=b", { expand: { 0: "a", 1: "b" } }],
    ["an appended list after an index", "a[4]=x&a[]=y", { a: { 4: "x", 5: "y" } }],
    ["a list of objects", "a[0][k]=1&a[0][l]=2&a[1][k]=3", { a: { 0: { k: "1", l: "2" }, 1: { k: "3" } } }],
    ["an appended list of objects", "a[][k]=1&a[][l]=2&a[][k]=3", { a: { 0: { k: "1", l: "2" }, 1: { k: "3" } } }],
    [
      "a list of lists of objects",
      "a[][b][]=1&a[][b][]=2&a[][c]=3&a[][c]=4",
      { a: { 0: { b: { 0: "1", 1: "2" }, c: "3" }, 1: { c: "4" } } },
    ],
    ["metadata with numbers for keys", "metadata[0]=x&metadata[k]=y", { metadata: { 0: "x", k: "y" } }],
    ["numbers as the client prints them", "a=10.5&b=1e%2B21&c=NaN", { a: "10.5", b: "1e+21", c: "NaN" }],
    ["eight levels", "a[b][c][d][e][f][g][h]=1", { a: { b: { c: { d: { e: { f: { g: { h: "1" } } } } } } } }],
  ])("%s", (_title, form, tree) => {
    expect(plain(parseForm(form))).toEqual(tree);
  });

  test("F03 composed and decomposed letters stay two texts, an emoji stays whole", () => {
    expect(parseForm("a=%C3%A9").get("a")).toBe("\u00e9");
    expect(parseForm("a=e%CC%81").get("a")).toBe("e\u0301");
    expect(parseForm("a=%F0%9F%98%80").get("a")).toBe(parseForm("a=😀").get("a"));
  });

  test("F20 a parameter named __proto__ is a name like any other", () => {
    const tree = parseForm("__proto__[amount]=1&metadata[__proto__]=2&constructor=3");
    expect([...tree.keys()]).toEqual(["__proto__", "metadata", "constructor"]);
    expect(plain(tree.get("metadata"))).toEqual({ ["__proto__"]: "2" });
    expect(({} as Record<string, unknown>)["amount"]).toBeUndefined();
  });
});

describe("a form is refused, with the parameter named", () => {
  test.each([
    ["a repeated scalar", "amount=1&amount=100", "amount"],
    ["a repeated scalar with the same value", "amount=1&amount=1", "amount"],
    ["a repeated nested scalar", "metadata[k]=1&metadata%5Bk%5D=2", "metadata[k]"],
    ["a repeated index", "a[0]=1&a[0]=2", "a[0]"],
    ["a value, then an object", "a=1&a[b]=2", "a"],
    ["an object, then a value", "a[b]=2&a=1", "a"],
    ["a nested value, then an object", "a[b]=1&a[b][c]=2", "a[b]"],
    ["a bad escape in a value", "a[b]=%zz", "a[b]"],
    ["a cut escape", "a=%4", "a"],
    ["an escape that is no UTF-8", "a=%ff", "a"],
    ["an encoded surrogate", "a=%ED%A0%BD", "a"],
    ["a bad escape in a name", "a%zz=1", "a%zz"],
    ["NUL in a value (F03)", "a=x%00", "a"],
    ["NUL in a name", "metadata[x%00]=1", "metadata[x\ufffd]"],
    ["an empty name", "=1", ""],
    ["brackets without a name", "[a]=1", "[a]"],
    ["an open bracket", "a[b=1", "a[b"],
    ["a closed bracket too many", "a[b]]=1", "a[b]]"],
    ["brackets inside brackets", "metadata[a[b]]=1", "metadata[a[b]]"],
    ["text between brackets", "a[b]c[d]=1", "a[b]c[d]"],
    ["nine levels", "a[b][c][d][e][f][g][h][i]=1", "a[b][c][d][e][f][g][h]"],
  ])("%s", (_title, form, param) => {
    expect(refusal(() => parseForm(form))).toEqual({ code: "parameter_invalid", param });
  });

  test("F20 the 1001st parameter, wherever it stands", () => {
    const form = Array.from({ length: 1_001 }, (_, index) => `a[${index}]=1`).join("&");
    expect(refusal(() => parseForm(form))).toEqual({ code: "body_invalid", param: undefined });
    expect(parseForm(form.slice(0, form.lastIndexOf("&"))).get("a")).toHaveProperty("size", 1_000);
  });

  test("F20 a name of a megabyte of brackets is refused in well under a second and not repeated", () => {
    const startedAt = cpuTimeMs();
    const { code, param } = refusal(() => parseForm(`a${"[b]".repeat(350_000)}=1`));
    expect(code).toBe("parameter_invalid");
    expect(param?.length).toBeLessThan(150);
    expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
  });
});
