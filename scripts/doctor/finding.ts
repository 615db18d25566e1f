// What a check of the doctor returns, and what it is given to look at.
// It must never be a bad finding without the command that cures it.

import type { Settings } from "../../infra/settings.ts";
import type { Gcloud } from "../gcloud.ts";
import type { SynthesizedResource } from "../synthesized-stacks.ts";

/** One thing that was looked at. */
export type Finding =
  | { level: "fine"; what: string }
  /** `warns` lets a deploy go on, `blocks` would stop it; `cure` is commands or edits, one a line. */
  | { level: "warns" | "blocks"; what: string; cure: readonly string[] };

/** What most checks look at. */
export type Examined = {
  gcloud: Gcloud;
  settings: Settings;
  /** Full names, for example `run.googleapis.com`. */
  enabledApis: ReadonlySet<string>;
  /** What a deploy would make. */
  resources: readonly SynthesizedResource[];
};

/** All is well with this. */
export function fine(what: string): Finding {
  return { level: "fine", what };
}

/** A deploy goes on, but a person should know. */
export function warns(what: string, ...cure: string[]): Finding {
  return { level: "warns", what, cure };
}

/** A deploy would stop, or do something else than what was meant. */
export function blocks(what: string, ...cure: string[]): Finding {
  return { level: "blocks", what, cure };
}

/** The finding as it is printed, its cure below it. */
export function linesOf(finding: Finding): string[] {
  const word = { fine: "ok   ", warns: "note ", blocks: "STOP " }[finding.level];
  return [
    `${word} ${finding.what}`,
    ...(finding.level === "fine" ? [] : finding.cure.map((line) => `        ${line}`)),
  ];
}
