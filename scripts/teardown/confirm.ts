// Asks a person to type the project's id again.
// It must never take silence for a yes.

import { createInterface } from "node:readline/promises";
import type { Settings } from "../../infra/settings.ts";

/** What was typed, trimmed; empty when the input ends instead. */
export async function askForProject({ stage, projectId }: Settings): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = `This destroys ${stage} in ${projectId} with all its data. Type the project's id to go on: `;
    const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    return (await Promise.race([terminal.question(question), ended])).trim();
  } finally {
    terminal.close();
  }
}
