// The code blocks of a Markdown file, and what running one prints beside what the page says that it prints.
// It must never run a block whose tag says that it needs a project or minutes.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Root of the checkout, where every command of a page is typed. */
export const root = path.join(import.meta.dirname, "..", "..");

/** What may stand after the three backquotes, and what becomes of such a block. */
export const tags: Readonly<Record<string, string>> = {
  sh: "runs, in order, on a laptop that just started",
  ts: "runs with the packages of this project",
  text: "what the block before it prints; `…` stands for any text of a line, a line of it for any lines",
  "sh cloud": "needs a project; only its shape is looked at",
  "sh minutes": "takes minutes and needs nothing; a run of its own",
  json: "data, parsed",
  sql: "a statement, for people",
  "ts file": "a file of a recipe, which the fork guide's test writes",
  diff: "an edit of a recipe, which the fork guide's test applies",
  "sh recipe": "what the fork guide's test runs after it",
};

/** One fenced block. */
export type Block = { tag: string; code: string; line: number };

/** The fenced blocks of a page, in order; `file` is relative to the root. */
export function blocksOf(file: string): Block[] {
  const lines = readFileSync(path.join(root, file), "utf8").split("\n");
  const blocks: Block[] = [];
  let open: { tag: string; line: number; code: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) open?.code.push(line);
    else if (open === undefined)
      open = { tag: (fence[1] ?? "").trim().replace(/ file=\S+$/, " file"), line: index + 1, code: [] };
    else {
      blocks.push({ tag: open.tag, line: open.line, code: `${open.code.join("\n")}\n` });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line} opens a block that never ends`);
  return blocks;
}

/** Each block that runs, with what the page says that it prints; null where it says nothing. */
export function runnable(file: string): { block: Block; printed: string | null }[] {
  const blocks = blocksOf(file);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const printed = next?.tag === "text" ? next.code : null;
    return block.tag === "sh" || block.tag === "ts" ? [{ block, printed }] : [];
  });
}

/** Runs a block as a reader does who pastes it; what it prints on both streams. */
export async function runBlock({ tag, code }: Block, environment: NodeJS.ProcessEnv): Promise<string> {
  const [program, args] =
    tag === "ts"
      ? [process.execPath, ["--input-type=module-typescript", "--eval", code]]
      : ["bash", ["-e", "-o", "pipefail", "-c", code]];
  return await new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...environment }, timeout: BLOCK_MS, maxBuffer: 1 << 22 };
    const child = execFile(program as string, args as string[], options, (error, out, complaints) =>
      resolve(
        error === null
          ? out + withoutProgress(complaints)
          : `${out}${complaints}\nended with ${error.code ?? error.signal}`,
      ),
    );
    child.stdin?.end();
  });
}

/** A page's command that takes longer than this keeps no reader. */
const BLOCK_MS = 60_000;

/** curl draws its progress on the stream of complaints when it does not print to a terminal. */
function withoutProgress(text: string): string {
  return /^\s*% Total/.test(text) ? "" : text;
}

/** What a page says is printed, as a pattern. */
export function patternOf(printed: string): RegExp {
  const lines = printed.trimEnd().split("\n");
  const parts = lines.map((line) =>
    line.trim() === "…" ? "(?:.*\\n)*?" : `${line.trimEnd().split("…").map(escaped).join(".*")}[ \\r]*\\n`,
  );
  return new RegExp(`^${parts.join("")}$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
