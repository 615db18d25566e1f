// The README tells only what is true: its commands exist, its files are there, its numbers are the code's.
// It must never run a command: test/local/documents.process.test.ts does, on a laptop.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testPaymentMethod } from "../../functions/domain/payment-methods.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;

/** Fenced blocks of a language. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map((match) => match[1] ?? "");

describe("the README", () => {
  test("begins with the two commands that a fresh machine needs", () => {
    expect(blocks("sh").slice(0, 2)).toEqual(["npm ci && npm start\n", "npm ci && npm test\n"]);
  });

  test("names no npm script that does not exist", () => {
    const named = [...readme.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map((match) => match[1] ?? "");
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("names no file that is not there", () => {
    const named = [...readme.matchAll(/`((?:functions|infra|test|docs|scripts|local)\/[\w./-]+\.\w+)`/g)].map(
      (match) => match[1] ?? "",
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  test("proves each accident by a test that exists, with the case it names", () => {
    const rows = [...readme.matchAll(/^\|.*\| `(test\/[\w./-]+)`(?: (F\d+))? \|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const [, file = "", fieldCase] of rows) {
      const text = readFileSync(join(root, file), "utf8");
      expect([file, text.includes("test(") || text.includes("test.each(")]).toEqual([file, true]);
      if (fieldCase !== undefined) expect([file, text.includes(`${fieldCase}:`)]).toEqual([file, true]);
    }
  });

  test("names test cards that exist", () => {
    const named = [...readme.matchAll(/`(pm_card_\w+)`/g)].map((match) => match[1] ?? "");
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((token) => testPaymentMethod(token) === undefined)).toEqual([]);
  });
});

describe("the README in Traditional Chinese", () => {
  const mirror = readFileSync(join(root, "README.zh-TW.md"), "utf8");
  const fenced = (text: string) => text.match(/^```.*?^```$/gms) ?? [];
  const headings = (text: string) =>
    (text.replace(/^```.*?^```$/gms, "").match(/^#+ /gm) ?? []).map((heading) => heading.trim());
  const named = (text: string, pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

  test("has the same headings, commands and outputs, in the same order", () => {
    expect(headings(mirror)).toEqual(headings(readme));
    expect(fenced(mirror)).toEqual(fenced(readme));
    expect(fenced(mirror).length).toBeGreaterThan(20);
  });

  test("names the same files and the same scripts", () => {
    const files = /`((?:functions|infra|test|docs|scripts|local)\/[\w./-]+)`/g;
    const commands = /npm run (?:-s )?([a-z:-]+)/g;
    expect(named(mirror, files)).toEqual(named(readme, files));
    expect(named(mirror, commands)).toEqual(named(readme, commands));
  });
});
