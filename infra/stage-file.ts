/**
 * `stage.local.json`, the git-ignored file in which `npm run bootstrap` keeps where this clone is deployed.
 * It must never hold a secret, and never decide against the environment, which wins variable by variable.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentNames } from "../functions/config.ts";
import type { IdempotencyCacheKind } from "./setting-readers.ts";
import { type StageName, stageNames } from "./stages.ts";

/** What the file says. */
export interface StageFile {
  readonly stage: StageName;
  readonly projectId: string;
  readonly region: string;
  readonly prefix?: string;
  readonly alertEmail?: string;
  readonly isPublic?: boolean;
  readonly stateBucket: string;
  readonly githubRepository?: string;
  readonly queueGeneration: number;
  readonly idempotencyCache?: IdempotencyCacheKind;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the file's values under it. A file for another stage or another project than the environment
 * names does not count at all: half of each would be a deployment that nobody described.
 * @throws Error that names the file and the field that is not understood.
 */
export function withStageFile(environment: Variables): Variables {
  const file = readStageFile(stageFilePath(environment));
  if (file === undefined) return environment;
  // An empty variable is an unset one: that is how a workflow passes what was not entered.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const isOther = (variable: string, value: string) => (given[variable] ?? value) !== value;
  if (isOther("STAGE", file.stage) || isOther(environmentNames.project, file.projectId)) return environment;
  return { ...variablesOf(file), ...given };
}

/** Where the file is: beside package.json, or where STAGE_FILE says; undefined for `STAGE_FILE=none`. */
export function stageFilePath(environment: Variables): string | undefined {
  const named = environment["STAGE_FILE"];
  return named === "none" ? undefined : (named ?? join(import.meta.dirname, "..", "stage.local.json"));
}

/**
 * Undefined where there is no file.
 * @throws Error that names the file and the field that is not understood.
 */
export function readStageFile(path: string | undefined): StageFile | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`${path} is not JSON; repair it, or delete it and run npm run bootstrap again.`, { cause });
  }
  const fields = Object(content) as Record<string, unknown>;
  for (const [name, isRight] of Object.entries(rules)) {
    if (!isRight(fields[name])) throw new Error(`${path}: ${name} is missing or not understood.`);
  }
  const unknown = Object.keys(fields).find((name) => !(name in rules));
  if (unknown !== undefined) throw new Error(`${path}: ${unknown} is not a field of it.`);
  return content as StageFile;
}

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTextOrAbsent = (value: unknown) => value === undefined || isText(value);

/** What each field must be. */
const rules: Readonly<Record<keyof StageFile, (value: unknown) => boolean>> = {
  stage: (value) => stageNames.some((name) => name === value),
  projectId: isText,
  region: isText,
  prefix: isTextOrAbsent,
  alertEmail: isTextOrAbsent,
  isPublic: (value) => value === undefined || typeof value === "boolean",
  stateBucket: isText,
  githubRepository: isTextOrAbsent,
  queueGeneration: (value) => Number.isInteger(value) && Number(value) >= 1,
  idempotencyCache: (value) => value === undefined || value === "firestore" || value === "memorystore",
};

/**
 * The file as the variables that `readSettings` reads. GITHUB_REPOSITORY is not among them: no stack reads it, and
 * GitHub's own runners set it.
 */
export function variablesOf(file: StageFile): Record<string, string> {
  return {
    STAGE: file.stage,
    [environmentNames.project]: file.projectId,
    REGION: file.region,
    STATE_BUCKET: file.stateBucket,
    QUEUE_GENERATION: String(file.queueGeneration),
    ...(file.prefix === undefined ? {} : { PREFIX: file.prefix }),
    ...(file.alertEmail === undefined ? {} : { ALERT_EMAIL: file.alertEmail }),
    ...(file.isPublic === undefined ? {} : { PUBLIC: String(file.isPublic) }),
    ...(file.idempotencyCache === undefined ? {} : { IDEMPOTENCY_CACHE: file.idempotencyCache }),
  };
}
