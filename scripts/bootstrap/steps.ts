// The shape of a bootstrap step: look first, then make only what is missing, then say which of the two it was.
// It must never go on after a step that failed: the next one builds on it.

import type { Settings } from "../../infra/settings.ts";
import type { StageFile } from "../../infra/stage-file.ts";
import type { Gcloud } from "../gcloud.ts";

/** Where a stage goes: what will be written to the file, the settings that follow from it, and where the file is. */
export type Place = { file: StageFile; settings: Settings; path: string };

/** One thing that must be there. */
export type Step = {
  title: string;
  /** Makes what is missing and returns what it did in a word (`made`, `repaired`), or null when nothing was missing. */
  ensure(gcloud: Gcloud): Promise<string | null>;
  /** Lines to show under it, whether it was there or not. */
  notes?(gcloud: Gcloud): Promise<string[]>;
};

/** Runs the steps one after another. @throws Error of the first step that fails. */
export async function execSteps(gcloud: Gcloud, steps: readonly Step[], say: (line: string) => void): Promise<void> {
  for (const { title, ensure, notes } of steps) {
    say(`${title}: ${(await ensure(gcloud)) ?? "was there already"}`);
    for (const note of (await notes?.(gcloud)) ?? []) say(`  ${note}`);
  }
}
