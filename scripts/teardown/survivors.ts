// Finds what is left of a stage: what bootstrap made, what Google made by itself, and what Terraform still has in its state.
// It must never remove anything: each survivor comes with the command, and a person decides.

import { generatedSecrets, named, type Settings, storeNames } from "../../infra/settings.ts";
import { federationNames } from "../bootstrap/github.ts";
import { describe, type Gcloud, lines } from "../gcloud.ts";
import { knownResources } from "../terraform-state.ts";

/** One thing that is still there. */
export type Survivor = {
  what: string;
  why: string;
  /** The command that removes it, or that says until when it stays. */
  remove: string;
  /** True for what is left on purpose, or cannot be removed; it fails no teardown. */
  isKept: boolean;
};

/** Everything that is left, what costs something first. @throws Error when that could not be found out. */
export async function survivors(searched: Searched): Promise<Survivor[]> {
  const { gcloud } = searched;
  const enabled = new Set(await lines(gcloud, ["services", "list", "--enabled", "--format=value(config.name)"]));
  const found: Survivor[] = [];
  for (const { api, find } of searches) {
    if (enabled.has(`${api}.googleapis.com`)) found.push(...(await find(searched)));
  }
  return found;
}

/** Where to look; `stacks` are the names of the stage's stacks. */
export type Searched = { gcloud: Gcloud; settings: Settings; stacks: readonly string[] };

type Search = { api: string; find(searched: Searched): Promise<Survivor[]> };

/** Each needs its API; where that is off, nothing of its kind exists. */
const searches: readonly Search[] = [
  { api: "storage", find: stillInState },
  { api: "spanner", find: ledger },
  { api: "firestore", find: documents },
  { api: "secretmanager", find: secrets },
  { api: "artifactregistry", find: images },
  { api: "storage", find: buckets },
  { api: "iam", find: deletedRole },
  { api: "iam", find: federation },
];

async function stillInState({ gcloud, settings, stacks }: Searched): Promise<Survivor[]> {
  const known = await knownResources(gcloud, settings, stacks);
  // Waits and the like live in the state alone.
  const real = known.filter(({ type }) => type.startsWith("google_"));
  return stacks.flatMap((stack) => {
    const count = real.filter((resource) => resource.stack === stack).length;
    const why = "Terraform still has them in its state";
    return count === 0 ? [] : [survivor(`${count} resources of stack ${stack}`, why, "npm run teardown")];
  });
}

async function ledger({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const { spannerInstance } = storeNames(settings);
  const found = await describe(gcloud, ["spanner", "instances", "describe", spannerInstance]);
  if (found === undefined) return [];
  const remove = `gcloud spanner instances delete ${spannerInstance} ${place(settings)}`;
  return [survivor(`Spanner instance ${spannerInstance}`, "it costs money every hour", remove)];
}

async function documents({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const { firestoreDatabase, shopDatabase } = storeNames(settings);
  const left: Survivor[] = [];
  for (const name of [firestoreDatabase, ...(settings.hasSampleShop ? [shopDatabase] : [])]) {
    const found = await describe(gcloud, ["firestore", "databases", "describe", `--database=${name}`]);
    const remove = `gcloud firestore databases delete --database=${name} ${place(settings)}`;
    const why = "Terraform gave it up or never knew it";
    if (found !== undefined) left.push(survivor(`Firestore database ${name}`, why, remove));
  }
  return left;
}

async function secrets({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const present = await lines(gcloud, ["secrets", "list", "--format=value(name)"]);
  const ours = generatedSecrets.map((name) => named(settings, name));
  return present
    .map((name) => name.split("/").at(-1) ?? "")
    .filter((name) => ours.includes(name))
    .map((name) => survivor(`secret ${name}`, "bootstrap made it", `gcloud secrets delete ${name} ${place(settings)}`));
}

async function images({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const at = `--location=${settings.region}`;
  const present = await lines(gcloud, ["artifacts", "repositories", "list", at, "--format=value(name)"]);
  const isMade = present.some((name) => name.split("/").at(-1) === GOOGLE_REPOSITORY);
  if (!isMade) return [];
  const remove = `gcloud artifacts repositories delete ${GOOGLE_REPOSITORY} ${at} ${place(settings)}`;
  return [survivor(`repository ${GOOGLE_REPOSITORY}`, BEHIND, remove)];
}

async function buckets({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const present = await lines(gcloud, ["storage", "buckets", "list", "--format=value(name)"]);
  return present.flatMap((name) => {
    const remove = `gcloud storage rm --recursive gs://${name} ${place(settings)}`;
    if (GOOGLE_BUCKET.test(name)) return [survivor(`bucket gs://${name}`, BEHIND, remove)];
    const why = "bootstrap made it; remove it last, it holds Terraform's state";
    return name === settings.stateBucket ? [survivor(`bucket gs://${name}`, why, remove)] : [];
  });
}

async function deletedRole({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const { ledgerRole } = storeNames(settings);
  const found = await describe(gcloud, ["iam", "roles", "describe", ledgerRole]);
  if (found === undefined) return [];
  const show = `gcloud iam roles describe ${ledgerRole} ${place(settings)}`;
  const gone = "deleted; goes by itself, and its id is free after up to 37 days";
  if (found["deleted"] === true) return [{ ...survivor(`role ${ledgerRole}`, gone, show), isKept: true }];
  const remove = `gcloud iam roles delete ${ledgerRole} ${place(settings)}`;
  return [survivor(`role ${ledgerRole}`, "Terraform gave it up or never knew it", remove)];
}

/** Kept, because a pool's name is blocked for 30 days after it was deleted, and federation costs nothing. */
async function federation({ gcloud, settings }: Searched): Promise<Survivor[]> {
  const { pool, email } = federationNames({ settings });
  const pools = ["iam", "workload-identity-pools"];
  const found = await describe(gcloud, [...pools, "describe", pool, "--location=global"]);
  const account = await describe(gcloud, ["iam", "service-accounts", "describe", email]);
  const kept: Survivor[] = [];
  if (found !== undefined && found["state"] !== "DELETED") {
    const remove = `gcloud ${pools.join(" ")} delete ${pool} --location=global ${place(settings)}`;
    kept.push({
      ...survivor(`identity pool ${pool}`, "deleting it blocks its name for 30 days", remove),
      isKept: true,
    });
  }
  if (account !== undefined) {
    const remove = `gcloud iam service-accounts delete ${email} ${place(settings)}`;
    kept.push({ ...survivor(`service account ${email}`, "it deploys from GitHub", remove), isKept: true });
  }
  return kept;
}

function survivor(what: string, why: string, remove: string): Survivor {
  return { what, why, remove, isKept: false };
}

/** The end of every command: in which project, and without a question. */
function place({ projectId }: Settings): string {
  return `--project=${projectId} --quiet`;
}

const BEHIND = "Google made it for builds; other functions of the project use it too";

/** Where builds of functions leave their sources and, without a repository of one's own, their images. */
const GOOGLE_BUCKET = /^gcf-v2-(?:sources|uploads)-/;
const GOOGLE_REPOSITORY = "gcf-artifacts";
