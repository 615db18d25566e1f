// Scripted `gcloud`, `terraform` and `cdktf` in a folder that is the whole PATH, with a log of every call.
// It must never let a real one be reached: what has no answer fails, and says so.
import { execFile } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunCommand } from "../../../scripts/run-command.ts";
import type { Terminal } from "../../../scripts/terminal.ts";

/** The programs that can be scripted. */
export type Tool = "gcloud" | "terraform" | "cdktf";

/** What a call answers. `after` makes it the answer only once a call that matches that pattern was made. */
export type Scripted = { code?: number; output?: string; complaint?: string; after?: string };

/** One call as it was made. */
export type Call = { tool: string; command: string; input: string };

/** How a script of the project ended. */
export type Ended = { code: number; output: string; complaint: string };

/** The folder, its programs and their log. */
export type FakeCloud = {
  folder: string;
  /** Where the scripts keep stage.local.json. */
  stageFile: string;
  /** Environment for code that runs in this process or in a child. */
  environment: Record<string, string>;
  /** Patterns are the shell's: `secrets describe *`. The newest answer that matches wins. */
  answer(tool: Tool, pattern: string, scripted: Scripted): void;
  /** Takes a program off the PATH. */
  remove(tool: Tool): void;
  /** A terminal in front of which the programs answer. */
  terminal: Pick<Terminal, "environment" | "run">;
  calls(): Call[];
  forgetCalls(): void;
  /** Runs a script's main function in this process, as the terminal would; the programs answer without a shell. */
  run(main: (terminal: Terminal) => Promise<number>, variables?: Record<string, string>): Promise<Ended>;
  /** Runs `scripts/<name>.ts` in a child. */
  runChild(name: string, args: readonly string[], options?: ChildOptions): Promise<Ended>;
  close(): void;
};

/** What a child is given beside the environment of the fake. */
export type ChildOptions = { input?: string; variables?: Record<string, string> };

/** An empty one: every call fails until it has an answer. */
export function openFakeCloud(): FakeCloud {
  const folder = mkdtempSync(path.join(tmpdir(), "fake-cloud-"));
  const bin = path.join(folder, "bin");
  const log = path.join(folder, "calls");
  const stageFile = path.join(folder, "stage.local.json");
  const compiled = process.env["NODE_COMPILE_CACHE"];
  const environment = {
    ...{ PATH: bin, HOME: folder, STAGE_FILE: stageFile },
    ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
  };
  const answers: Record<Tool, Clause[]> = { gcloud: [], terraform: [], cdktf: [] };
  mkdirSync(bin);
  // The programs are shell scripts, which need these two.
  for (const name of ["cat", "grep"]) symlinkSync(whereIs(name), path.join(bin, name));
  const run = answering(bin, log, answers);
  const write = (tool: Tool) =>
    writeFileSync(path.join(bin, tool), scriptOf(tool, log, answers[tool].map(shellClause(log))), { mode: 0o755 });
  for (const tool of Object.keys(answers) as Tool[]) write(tool);
  return {
    folder,
    stageFile,
    environment,
    answer: (tool, pattern, scripted) => {
      answers[tool].unshift({ pattern, ...scripted });
      write(tool);
    },
    remove: (tool) => rmSync(path.join(bin, tool)),
    terminal: { environment, run },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").split(END_OF_CALL).slice(0, -1).map(callOf) : []),
    forgetCalls: () => rmSync(log, { force: true }),
    run: async (main, variables = {}) => await runHere(main, { environment: { ...environment, ...variables }, run }),
    runChild: async (name, args, { input = "", variables = {} } = {}) =>
      await runScript(name, args, input, { ...environment, ...variables }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const END_OF_CALL = "\u001e\n";

function scriptOf(tool: Tool, log: string, clauses: readonly string[]): string {
  return [
    "#!/bin/sh",
    "input=",
    // Only a command that says so reads its stdin.
    'case " $* " in *" --data-file=- "*) input=$(cat);; esac',
    `printf '%s\\037%s\\037%s\\036\\n' ${tool} "$*" "$input" >> ${quoted(log)}`,
    ...clauses,
    `echo "no answer is scripted for: ${tool} $*" >&2`,
    "exit 99",
    "",
  ].join("\n");
}

/** An answer, and the command line that it is for. */
type Clause = Scripted & { pattern: string };

function shellClause(log: string): (clause: Clause) => string {
  return ({ pattern, code = 0, output = "", complaint = "", after }) => {
    const condition = after === undefined ? "true" : `grep -q -e ${quoted(after)} ${quoted(log)}`;
    const glob = pattern.split("*").map(quoted).join("*");
    const answer = `printf '%s\\n' ${quoted(output)}; printf '%s' ${quoted(complaint)} >&2; exit ${code}`;
    return `case "$*" in ${glob}*) if ${condition}; then ${answer}; fi;; esac`;
  };
}

/** The programs as their shell scripts are, without starting one: a run of a script makes up to forty calls. */
function answering(bin: string, log: string, answers: Record<Tool, Clause[]>): RunCommand {
  return async (tool, args, input) => {
    if (!existsSync(path.join(bin, tool))) throw new Error(`${tool} cannot be started: is it installed?`);
    const command = args.join(" ");
    const told = args.includes("--data-file=-") ? input.trimEnd() : "";
    appendFileSync(log, `${[tool, command, told].join("\u001f")}${END_OF_CALL}`);
    const made = readFileSync(log, "utf8");
    const found = answers[tool as Tool].find(
      ({ pattern, after }) => globOf(pattern).test(command) && (after === undefined || new RegExp(after).test(made)),
    );
    const { code = 0, output = "", complaint = "" } = found ?? nothingScripted(tool, command);
    return { code, output: output.trim(), complaint: complaint.trim() };
  };
}

function nothingScripted(tool: string, command: string): Scripted {
  return { code: 99, complaint: `no answer is scripted for: ${tool} ${command}` };
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

function globOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(literal).join(".*")}`, "s");
}

function callOf(line: string): Call {
  const [tool = "", command = "", input = ""] = line.split("\u001f");
  return { tool, command, input };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function whereIs(name: string): string {
  const found = ["/bin", "/usr/bin"].map((place) => path.join(place, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is neither in /bin nor in /usr/bin`);
  return found;
}

async function runHere(
  main: (terminal: Terminal) => Promise<number>,
  world: Pick<Terminal, "environment" | "run">,
): Promise<Ended> {
  const output: string[] = [];
  const complaint: string[] = [];
  const code = await main({
    ...world,
    say: (line) => void output.push(`${line}\n`),
    complain: (line) => void complaint.push(`${line}\n`),
  });
  return { code, output: output.join(""), complaint: complaint.join("") };
}

async function runScript(name: string, args: readonly string[], input: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const script = path.join(import.meta.dirname, "../../../scripts", `${name}.ts`);
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [script, ...args],
      { env, timeout: 60_000 },
      (error, output, complaint) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, output, complaint });
      },
    );
    child.stdin?.end(input);
  });
}
