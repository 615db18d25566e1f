// Raises the generation in the names of queues after a teardown, because the names that were deleted stay blocked for a week.
// It must never lower it.

import type { Settings } from "../../infra/settings.ts";
import { readStageFile, stageFilePath } from "../../infra/stage-file.ts";
import { writeStageFile } from "../bootstrap/stage-file.ts";

/** Lines that say what was raised, and what a person has to raise. */
export function raiseGeneration(environment: NodeJS.ProcessEnv, settings: Settings): string[] {
  const next = settings.queueGeneration + 1;
  const path = stageFilePath(environment);
  const file = readStageFile(path);
  const isOurs = file !== undefined && file.projectId === settings.projectId && file.stage === settings.stage;
  if (path === undefined || !isOurs)
    return [`Deploy with QUEUE_GENERATION=${next}: deleted queues' names are blocked for 7 days.`];
  writeStageFile(path, { ...file, queueGeneration: next });
  const raised = `The next deploy names its queues with generation ${next} (${path}).`;
  if (file.githubRepository === undefined) return [raised];
  return [raised, `gh variable set QUEUE_GENERATION --repo ${file.githubRepository} --body ${next}`];
}
