// How scripts reach the stores of the project: through the laptop that runs on this machine, or in a deployed stage.
// It must never load a cloud client for the laptop, nor fall back from one place to the other.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenSpanner } from "../functions/adapters/spanner-client.ts";
import { isPlaceholder, readSettings, storeNames } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";

/**
 * A way to ask the laptop that `npm start` runs; it says in a file of this user where it listens.
 * @throws Error for people when none is running
 */
export function laptopCall(environment: NodeJS.ProcessEnv): <Answer>(path: string, request: object) => Promise<Answer> {
  const folder = environment["LAPTOP_FOLDER"] ?? join(import.meta.dirname, "..", ".laptop");
  const control = readControl(join(folder, "control.json"));
  return async <Answer>(path: string, request: object) => {
    const response = await fetch(`${control.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${control.token}` },
      body: JSON.stringify(request),
    }).catch(() => {
      throw new Error(NOT_RUNNING);
    });
    if (!response.ok) throw new Error(`the laptop answered with status ${response.status}`);
    return (await response.json()) as Answer;
  };
}

/**
 * The ledger's database of a deployed stage, with the application-default credentials of this user.
 * @throws Error for people when no project is named
 */
export async function openStageLedger(environment: NodeJS.ProcessEnv): Promise<OpenSpanner> {
  const settings = readSettings(withStageFile(environment), null);
  if (isPlaceholder(settings)) {
    throw new Error("--stage needs PROJECT_ID, the project of the stage, or the file that npm run bootstrap writes");
  }
  const { openSpanner } = await import("../functions/adapters/spanner-client.ts");
  const { spannerInstance: instance, spannerDatabase: database } = storeNames(settings);
  return openSpanner({ projectId: settings.projectId, instance, database }, () => {});
}

const NOT_RUNNING = "no laptop is running here: `npm start` first, or --stage for a deployed stage";

function readControl(file: string): { url: string; token: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { url: string; token: string };
  } catch {
    throw new Error(NOT_RUNNING);
  }
}
