// The table "room, may import" as data, and the checks that read it: directions and cycles.
// It must never name a single file as an exception without saying why.
import type { Import, Source } from "./source.ts";

type Room = { name: string; files: RegExp; may: (imported: Import, file: Source) => boolean };

const builtin = (imported: Import) => imported.target.startsWith("node:");
const within = (imported: Import, folder: string) => imported.own && imported.target.startsWith(`${folder}/`);
const isFile = (imported: Import, ...files: string[]) => imported.own && files.includes(imported.target);
const isPackage = (imported: Import, names: readonly string[]) =>
  !imported.own && names.some((name) => imported.target === name || imported.target.startsWith(`${name}/`));

const infrastructurePackages = ["cdktf", "constructs", "@cdktf"];
/** None: the contract's errors name parameters in ways that no library does. A fork that wants one lists it here. */
const validationPackages: readonly string[] = [];
/** The SDK of each family of adapters (first word of the file name); a family that is not listed gets none. */
const sdkOf: Record<string, readonly string[]> = {
  spanner: ["@google-cloud/spanner", "google-gax"],
  firestore: ["@google-cloud/firestore", "google-gax"],
  pubsub: ["@google-cloud/pubsub", "google-gax"],
  cloud: ["@google-cloud/tasks", "google-gax"],
  smtp: ["nodemailer"],
  bigquery: ["@google-cloud/bigquery"],
  redis: ["@redis/client"],
  // The interface alone: the clients of Spanner and Firestore carry it anyway.
  trace: ["@opentelemetry/api"],
};

/** The ports, by what they are about: ports.ts for the write path, `…-ports.ts` for all else; types only. */
const isPorts = (imported: Import) => imported.own && /^functions\/flows\/(?:[\w-]+-)?ports\.ts$/.test(imported.target);

/** Rooms in the order in which a path is tried; the first match holds. */
const rooms: readonly Room[] = [
  {
    name: "domain",
    files: /^functions\/domain\//,
    may: (imported) => within(imported, "functions/domain") || imported.target === "node:crypto",
  },
  {
    name: "flows",
    files: /^functions\/flows\//,
    may: (imported) =>
      within(imported, "functions/domain") ||
      isPorts(imported) ||
      (imported.own && /^functions\/flows\/(?:idempotently|classify)[\w-]*\.ts$/.test(imported.target)),
  },
  {
    name: "adapters",
    files: /^functions\/adapters\//,
    may: (imported, file) =>
      within(imported, "functions/domain") ||
      (isPorts(imported) && imported.typeOnly) ||
      (within(imported, "functions/adapters") && familyOf(imported.target) === familyOf(file.path)) ||
      isPackage(imported, sdkOf[familyOf(file.path)] ?? []) ||
      builtin(imported),
  },
  {
    name: "edge",
    files: /^functions\/edge\//,
    may: (imported) =>
      ["functions/domain", "functions/flows", "functions/edge"].some((room) => within(imported, room)) ||
      isPackage(imported, validationPackages) ||
      // Answers are typed as the official client's types; its code stays out of the bundle.
      (isPackage(imported, ["stripe"]) && imported.typeOnly) ||
      builtin(imported),
  },
  {
    name: "config",
    files: /^functions\/config(-readers)?\.ts$/,
    // Infrastructure imports this file, so whatever it pulls in lands there too.
    may: (imported) => within(imported, "functions/domain") || isFile(imported, "functions/config.ts"),
  },
  {
    name: "entry",
    files: /^functions\/[^/]+\.ts$/,
    may: (imported) =>
      ["functions/edge", "functions/flows", "functions/adapters"].some((room) => within(imported, room)) ||
      isFile(imported, "functions/config.ts", "functions/config-readers.ts") ||
      // An entry whose clients take long to load has its wiring in a second file, which it loads behind its door.
      isFile(imported, "functions/payments-service.ts") ||
      isPackage(imported, ["@google-cloud/functions-framework"]),
  },
  {
    name: "infra",
    files: /^infra\//,
    may: (imported) =>
      within(imported, "infra") ||
      isFile(imported, "functions/config.ts", "functions/config-readers.ts") ||
      isPackage(imported, infrastructurePackages) ||
      builtin(imported),
  },
  {
    name: "local",
    files: /^local\//,
    may: (imported) => !within(imported, "scripts") && !within(imported, "test") && !isInfrastructure(imported),
  },
  {
    name: "scripts",
    files: /^scripts\//,
    may: (imported) => !within(imported, "local") && !within(imported, "test") && !isInfrastructure(imported),
  },
  { name: "test of local", files: /^test\/local\//, may: (imported) => !within(imported, "scripts") },
  { name: "test of scripts", files: /^test\/scripts\//, may: (imported) => !within(imported, "local") },
  { name: "test", files: /^test\//, may: (imported) => !within(imported, "local") && !within(imported, "scripts") },
];

/** Imports that the table forbids, one readable line each; a file in no room is a failure too. */
export function forbiddenImports(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const room = rooms.find((candidate) => candidate.files.test(source.path));
    if (room === undefined) return [`${source.path} is in no room`];
    const forbidden = source.imports.filter((imported) => !room.may(imported, source));
    return forbidden.map(
      ({ target, typeOnly }) => `${source.path} (${room.name}) imports ${typeOnly ? "type " : ""}${target}`,
    );
  });
}

/** Files that import CDKTF from outside `infra/`; tests of the synthesized plan are the only exception. */
export function infrastructureImports(sources: readonly Source[]): string[] {
  const outside = sources.filter(({ path }) => !/^(?:infra|test)\//.test(path));
  return outside.flatMap(({ path, imports }) =>
    imports.filter(isInfrastructure).map(({ target }) => `${path} imports ${target}`),
  );
}

/** Import cycles, type imports included, each as `a.ts -> b.ts -> a.ts`. */
export function importCycles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map((source) => [source.path, source.imports.filter(({ own }) => own).map(({ target }) => target)]),
  );
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
      return;
    }
    if (finished.has(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...trail, file]);
    finished.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}

/** `spanner` of adapters/spanner-ledger.ts, `memory` of everything in adapters/memory/. */
function familyOf(file: string): string {
  return /^functions\/adapters\/([^/.-]+)/.exec(file)?.[1] ?? "";
}

function isInfrastructure(imported: Import): boolean {
  return isPackage(imported, infrastructurePackages);
}
