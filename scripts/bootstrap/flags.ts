// The command line of `npm run bootstrap`, laid over what stage.local.json already says.
// It must never take half of another stage's file: that file is moved away by a person first.

import { parseArgs } from "node:util";
import { idempotencyCacheIn } from "../../infra/setting-readers.ts";
import { readSettings } from "../../infra/settings.ts";
import { readStageFile, type StageFile, stageFilePath, variablesOf } from "../../infra/stage-file.ts";
import { type StageName, stageNames } from "../../infra/stages.ts";
import type { Place } from "./steps.ts";

/** The text of `--help`. */
export const USAGE = `npm run bootstrap -- --project P --region R --stage ${stageNames.join("|")} [options]

  --project P          id of the Google Cloud project that pays
  --region R           region of the functions and stores, for example us-central1
  --stage S            how big and how protected: see infra/settings.ts
  --prefix X           put before every name, so that two people can share a project
  --alert-email E      who is told when an alert fires
  --cache C            which store holds the idempotency cache: firestore (the default) or memorystore
  --public             lets anybody reach the functions, which then ask for an API key; --no-public closes them again
  --github OWNER/REPO  lets that repository's workflows deploy, by workload identity federation (no key file)

A second run changes nothing that is right already; --project, --region and --stage may then be left out.`;

/**
 * The place that the flags and the file name together; a flag wins over the file.
 * @throws Error that names the flag that is missing or not understood.
 */
export function placeFrom(args: readonly string[], environment: NodeJS.ProcessEnv): Place {
  const given = parse(args);
  const path = stageFilePath(environment);
  if (path === undefined) throw new Error("STAGE_FILE=none leaves nowhere to write to");
  const known = readStageFile(path);
  const stage = required("--stage", given.stage ?? known?.stage, isStage, `one of ${stageNames.join(", ")}`);
  const projectId = required("--project", given.project ?? known?.projectId, matches(PROJECT), "a project id");
  const region = required("--region", given.region ?? known?.region, matches(REGION), "a region like us-central1");
  if (known !== undefined && (known.stage !== stage || known.projectId !== projectId)) {
    throw new Error(
      `--project or --stage differ from ${path}, which is for ${known.stage} in ${known.projectId}: move it away first`,
    );
  }
  const prefix = given.prefix ?? known?.prefix;
  const alertEmail = optional("--alert-email", given["alert-email"] ?? known?.alertEmail, EMAIL, "an e-mail address");
  const repository = optional("--github", given.github ?? known?.githubRepository, REPOSITORY, "OWNER/REPO");
  const cache = optional("--cache", given.cache ?? known?.idempotencyCache, CACHE, "firestore or memorystore");
  const isPublic = given.public ?? known?.isPublic;
  const file: StageFile = {
    stage,
    projectId,
    region,
    ...(prefix === undefined || prefix === "" ? {} : { prefix }),
    ...(alertEmail === undefined ? {} : { alertEmail }),
    ...(isPublic === undefined ? {} : { isPublic }),
    stateBucket: known?.stateBucket ?? bucketName(projectId, prefix),
    ...(repository === undefined ? {} : { githubRepository: repository }),
    queueGeneration: known?.queueGeneration ?? 1,
    ...(cache === undefined ? {} : { idempotencyCache: idempotencyCacheIn(cache) }),
  };
  return { file, path, settings: settingsOf(file) };
}

/** Bucket names are global, so the project's id is part of it. */
function bucketName(projectId: string, prefix: string | undefined): string {
  return [projectId, prefix, "tfstate"].filter((part) => part !== undefined && part !== "").join("-");
}

function settingsOf(file: StageFile) {
  try {
    return readSettings(variablesOf(file), null);
  } catch (error) {
    // The stage and the rest were checked above, so that the prefix is what is left to refuse.
    throw new Error((error as Error).message.replace("PREFIX", "--prefix"), { cause: error });
  }
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    project: text,
    region: text,
    stage: text,
    prefix: text,
    "alert-email": text,
    github: text,
    cache: text,
    public: { type: "boolean" },
  } as const;
  return parseArgs({ args: [...args], options, allowNegative: true }).values;
}

/** As Google makes them: 6 to 30 of lower-case letters, digits and inner hyphens. */
const PROJECT = /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const REGION = /^[a-z]+(?:-[a-z]+)+[0-9]{1,2}$/;
const EMAIL = /^[^\s@'"]+@[^\s@'"]+\.[^\s@'"]+$/;
const CACHE = /^(?:firestore|memorystore)$/;
const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

const matches =
  (pattern: RegExp) =>
  (value: string): value is string =>
    pattern.test(value);

function isStage(value: string): value is StageName {
  return stageNames.some((name) => name === value);
}

function required<Value extends string>(
  flag: string,
  value: string | undefined,
  isRight: (value: string) => value is Value,
  wanted: string,
): Value {
  if (value === undefined) throw new Error(`${flag} is missing: it must be ${wanted}`);
  if (!isRight(value)) throw new Error(`${flag} must be ${wanted}, not ${value}`);
  return value;
}

function optional(flag: string, value: string | undefined, pattern: RegExp, wanted: string): string | undefined {
  return value === undefined ? undefined : required(flag, value, matches(pattern), wanted);
}
