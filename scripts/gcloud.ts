// Runs gcloud, the official command line of Google Cloud, and reads what it answers.
// It must never put a secret into an argument (other users of a machine can read those), nor show what it gave to stdin.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** How a command ended. */
export type Answer = { code: number; output: string; complaint: string };

/** Runs one gcloud command; `input` goes to its stdin. Resolves for a command that fails too. */
export type Gcloud = (args: readonly string[], input?: string) => Promise<Answer>;

/**
 * Gcloud for one project, asking no questions: neither whether to go on nor whether to switch an API on.
 * @throws Error when there is no gcloud on PATH.
 */
export function gcloudFor(projectId: string, environment: NodeJS.ProcessEnv): Gcloud {
  return async (args, input = "") =>
    await run("gcloud", [...args, `--project=${projectId}`, "--quiet"], input, {
      ...environment,
      CLOUDSDK_CORE_SHOULD_PROMPT_TO_ENABLE_API: "false",
    });
}

/**
 * Runs any command to its end and collects what it wrote.
 * @throws Error when the command does not exist.
 */
export async function run(
  command: string,
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<Answer> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env, timeout: TIMEOUT_MS });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${command} cannot be started: is it installed?`, { cause })));
    child.once("close", (code) => resolve(code ?? 1));
  });
  // A command that ends without reading its stdin closes the pipe; its exit code says what went wrong.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: output.trim(), complaint: complaint.trim() };
}

/** The command's output. @throws Error with gcloud's own words when it fails. */
export async function must(gcloud: Gcloud, args: readonly string[], input?: string): Promise<string> {
  const { code, output, complaint } = await gcloud(args, input);
  if (code !== 0) throw new Error(`gcloud ${args.join(" ")}: ${complaint || `ended with ${code}`}`);
  return output;
}

/** Lines of the output, without empty ones. @throws Error as `must` does. */
export async function lines(gcloud: Gcloud, args: readonly string[]): Promise<string[]> {
  return (await must(gcloud, args)).split("\n").filter((line) => line !== "");
}

/** Undefined when the thing does not exist. @throws Error when that could not be found out, or the answer is not JSON. */
export async function describe(gcloud: Gcloud, args: readonly string[]): Promise<Record<string, unknown> | undefined> {
  const { code, output, complaint } = await gcloud([...args, "--format=json"]);
  if (code === 0) return JSON.parse(output) as Record<string, unknown>;
  if (isMissing(complaint)) return undefined;
  throw new Error(`gcloud ${args.join(" ")}: ${complaint || `ended with ${code}`}`);
}

/** The ways in which gcloud's commands say that something is not there. */
function isMissing(complaint: string): boolean {
  return (
    /NOT_FOUND|\bnot found\b|does not exist|\b404\b/i.test(complaint) &&
    !/has not been used|SERVICE_DISABLED/i.test(complaint)
  );
}

/** Switching APIs on is the slowest of the commands: a minute, rarely two. */
const TIMEOUT_MS = 300_000;
