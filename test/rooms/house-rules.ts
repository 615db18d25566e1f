// The house rules that a machine can check: sizes, barrel files, comments, pinned versions.
// It must never loosen a number to let a file pass; the file is split instead.
import type { Source } from "./source.ts";

/** Longest file in lines: a file that needs more answers more than one question. */
const codeLinesMax = 250;
/** Tests may be longer, because tables of cases are read from top to bottom. */
const testLinesMax = 300;
/** An entry only reads settings, wires and registers. */
const entryLinesMax = 60;
/** A function fits on one screen. */
const functionLinesMax = 70;

/** Files over their limit. */
export function longFiles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    const limit = isEntry(path) ? entryLinesMax : path.startsWith("test/") ? testLinesMax : codeLinesMax;
    return lines > limit ? [`${path} has ${lines} lines, at most ${limit}`] : [];
  });
}

/**
 * Top-level functions over the limit; the formatter puts their closing brace at the start of a line. A function in test/
 * holds a table of tests, and its file's limit is enough.
 */
export function longFunctions(sources: readonly Source[]): string[] {
  return sources.filter(isNotTest).flatMap(({ path, code }) => {
    const lines = code.split("\n");
    return lines.flatMap((line, start) => {
      const name = /^(?:export )?(?:async )?function\*? ?(\w+)/.exec(line)?.[1];
      const length = name === undefined ? 0 : lines.slice(start).findIndex((candidate) => /^\}/.test(candidate)) + 1;
      return length > functionLinesMax ? [`${path}: ${name} has ${length} lines, at most ${functionLinesMax}`] : [];
    });
  });
}

/** Files that define nothing and only pass on what others export. */
export function barrelFiles(sources: readonly Source[]): string[] {
  const reExport = /\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*(?:from\s*["'] *["'])?\s*;?/g;
  const plainImport = /\bimport\s+(?:type\s+)?[\w$*{}\s,]+?\s+from\s+["'] *["']\s*;?/g;
  const barrels = sources.filter(({ code }) => {
    const rest = code.replace(reExport, "").replace(plainImport, "").trim();
    return rest === "" && code.trim() !== "";
  });
  return barrels.map(({ path }) => path);
}

/** Exports of `functions/` without a docstring directly above; of a function's overloads the first one carries it. */
export function undocumentedExports(sources: readonly Source[]): string[] {
  const declaration = /^export (?:default )?(?:async )?(?:function\*?|const|let|type|interface|class) ?(\w*)/;
  return sources
    .filter(({ path }) => path.startsWith("functions/"))
    .flatMap(({ path, text, code }) => {
      const lines = text.split("\n");
      const declared = code
        .split("\n")
        .map((line, index) => ({ name: declaration.exec(line)?.[1], above: lines[index - 1] ?? "" }))
        .filter(({ name }) => name !== undefined);
      const firsts = declared.filter(({ name }, index) => declared.findIndex((other) => other.name === name) === index);
      const undocumented = firsts.filter(({ above }) => !above.trimEnd().endsWith("*/"));
      return undocumented.map(({ name }) => `${path}: ${name}`);
    });
}

/** Files that do not open with a comment on what they are for and, outside test/, what they must never do. */
export function filesWithoutOpening(sources: readonly Source[]): string[] {
  const silent = sources.filter((source) => {
    if (!/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(source.text)) return true;
    return isNotTest(source) && !/\b(?:never|not|no|none|nothing|only)\b/i.test(opening(source.text));
  });
  return silent.map(({ path }) => path);
}

/** Dependencies of a package.json whose version is a range; `npm:other@1.2.3` is exact too. */
export function unpinnedVersions(manifest: Record<string, unknown>): string[] {
  const groups = ["dependencies", "devDependencies", "optionalDependencies", "overrides"];
  return groups.flatMap((group) =>
    Object.entries((manifest[group] ?? {}) as Record<string, string>)
      .filter(([, version]) => !/^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${group}: ${name} ${version}`),
  );
}

/** Lines of a package-lock.json that record where a package was downloaded: those only work on one network. */
export function registryAddresses(lockfile: string): string[] {
  return lockfile.split("\n").filter((line) => /"resolved"\s*:\s*"(?!file:)|\bregistry\b/.test(line));
}

function isEntry(path: string): boolean {
  return /^functions\/[^/]+\.ts$/.test(path) && !/^functions\/config(-readers)?\.ts$/.test(path);
}

function isNotTest({ path }: Source): boolean {
  return !path.startsWith("test/");
}

function opening(text: string): string {
  return text.split("\n").slice(0, 6).join("\n");
}
