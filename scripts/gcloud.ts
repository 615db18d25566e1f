// Runs gcloud, the official command line of Google Cloud, and reads what it answers.
// It must never put a secret into an argument (other users of a machine can read those), nor show what it gave to stdin.

import { type Answer, runCommand } from "./run-command.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one gcloud command; `input` goes to its stdin. Resolves for a command that fails too. */
export type Gcloud = (args: readonly string[], input?: string) => Promise<Answer>;

/**
 * Gcloud for one project, asking no questions: neither whether to go on nor whether to switch an API on.
 * @throws Error when there is no gcloud on PATH.
 */
export function gcloudFor(
  projectId: string,
  { environment, run = runCommand }: Pick<Terminal, "environment" | "run">,
): Gcloud {
  return async (args, input = "") =>
    await run("gcloud", [...args, `--project=${projectId}`, "--quiet"], input, {
      ...environment,
      CLOUDSDK_CORE_SHOULD_PROMPT_TO_ENABLE_API: "false",
    });
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
