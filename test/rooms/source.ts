// Reads TypeScript files just well enough for the room rules: imports, and code with comments and strings blanked out.
// It must never become a parser: what a regular expression over blanked text cannot tell is not a rule of this project.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** One import or re-export: `target` is a path from the project's root for own files, else the bare specifier. */
export type Import = { target: string; own: boolean; typeOnly: boolean };

/** One source file. `code` has the length and lines of `text`, with comments, strings and regular expressions blanked. */
export type Source = { path: string; text: string; code: string; imports: Import[] };

/** All TypeScript files below the given folders of `root`, sorted by path; a folder that does not exist has none. */
export function readSources(root: string, folders: readonly string[]): Source[] {
  const paths = folders.flatMap((folder) => typescriptFilesIn(root, folder)).sort();
  return paths.map((file) => sourceOf(file, readFileSync(path.join(root, file), "utf8")));
}

/** One file from its path (relative to the project's root, `/` between folders) and its text. */
export function sourceOf(file: string, text: string): Source {
  const code = blank(text);
  return { path: file, text, code, imports: importsOf(file, text, code) };
}

function typescriptFilesIn(root: string, folder: string): string[] {
  let entries: string[];
  try {
    entries = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
  return entries.filter((entry) => entry.endsWith(".ts")).map((entry) => path.posix.join(folder, entry));
}

// The quotes survive blanking, their content does not: so a match is real code, and the text is read at the same place.
const importPattern =
  /\b(?:import|export)\s+(type\s+)?(?:[\w$*{}\s,]+?\s+from\s+)?(["'])( *)\2|\bimport\s*\(\s*(["'])( *)\4\s*[,)]/g;

function importsOf(file: string, text: string, code: string): Import[] {
  return [...code.matchAll(importPattern)].map((match) => {
    const start = match.index + match[0].search(/["']/) + 1;
    const length = (match[3] ?? match[5] ?? "").length;
    const specifier = text.slice(start, start + length);
    const own = specifier.startsWith(".");
    const target = own ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
    return { target, own, typeOnly: match[1] !== undefined };
  });
}

type Step = { end: number; blankFrom: number; blankTo: number };

function blank(text: string): string {
  let result = "";
  let position = 0;
  // Depth of braces inside each open `${`: the code in a template literal is code.
  const templates: number[] = [];
  while (position < text.length) {
    const character = text[position] ?? "";
    if (templates.length > 0 && character === "{") templates[templates.length - 1] = (templates.at(-1) ?? 0) + 1;
    let step: Step | undefined;
    if (templates.length > 0 && character === "}") {
      if (templates.at(-1) === 0) {
        templates.pop();
        step = templateStep(text, position, templates);
      } else templates[templates.length - 1] = (templates.at(-1) ?? 0) - 1;
    } else if (character === "`") step = templateStep(text, position, templates);
    else step = literalStep(text, position, result);
    if (step === undefined) {
      result += character;
      position += 1;
      continue;
    }
    const blanked = text.slice(step.blankFrom, step.blankTo).replace(/[^\n]/g, " ");
    result += text.slice(position, step.blankFrom) + blanked + text.slice(step.blankTo, step.end);
    position = step.end;
  }
  return result;
}

function literalStep(text: string, position: number, before: string): Step | undefined {
  const two = text.slice(position, position + 2);
  if (two === "//") return whole(position, indexOrEnd(text, "\n", position));
  if (two === "/*") return whole(position, indexOrEnd(text, "*/", position + 2) + 2);
  const character = text[position] ?? "";
  if (character === '"' || character === "'") return inner(position, endOfLiteral(text, position, character));
  // A slash starts a regular expression where a value may start, else it divides.
  const valueMayStart = /(?:^|[(,=:[!&|?{};+\n]|\breturn|=>)\s*$/.test(before.slice(-20));
  if (character === "/" && valueMayStart) return inner(position, endOfLiteral(text, position, "/"));
  return undefined;
}

function templateStep(text: string, position: number, templates: number[]): Step {
  for (let index = position + 1; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === "`") return inner(position, index + 1);
    else if (text.startsWith("${", index)) {
      templates.push(0);
      return { end: index + 2, blankFrom: position + 1, blankTo: index };
    }
  }
  return inner(position, text.length);
}

function endOfLiteral(text: string, position: number, quote: string): number {
  let inClass = false;
  for (let index = position + 1; index < text.length && text[index] !== "\n"; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (quote === "/" && character === "[") inClass = true;
    else if (quote === "/" && character === "]") inClass = false;
    else if (character === quote && !inClass) return index + 1;
  }
  return position + 1;
}

function whole(start: number, end: number): Step {
  return { end, blankFrom: start, blankTo: end };
}

function inner(start: number, end: number): Step {
  return { end, blankFrom: start + 1, blankTo: Math.max(start + 1, end - 1) };
}

function indexOrEnd(text: string, needle: string, from: number): number {
  const index = text.indexOf(needle, from);
  return index === -1 ? text.length : index;
}
