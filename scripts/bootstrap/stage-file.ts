// Writes stage.local.json, the last step: a file is there only when everything that it names is there too.
// It must never hold a secret.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { StageFile } from "../../infra/stage-file.ts";
import type { Place, Step } from "./steps.ts";

/** The step. */
export function saveStageFile({ file, path }: Place): Step[] {
  return [
    {
      title: path,
      ensure: async () => {
        if (isWritten(path, file)) return null;
        writeStageFile(path, file);
        return "written";
      },
    },
  ];
}

/** Replaces the file in one move, so that a crash leaves the old one or the new one. */
export function writeStageFile(path: string, file: StageFile): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, textOf(file));
  renameSync(draft, path);
}

function isWritten(path: string, file: StageFile): boolean {
  try {
    return readFileSync(path, "utf8") === textOf(file);
  } catch {
    return false;
  }
}

function textOf(file: StageFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
