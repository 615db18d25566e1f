// Cuts the part of package-lock.json that one deployed package needs, so that the cloud installs what the tests ran with.
// It must never resolve a version anew: every entry is copied from the project's own lockfile.

/** One entry of a version 3 lockfile, as far as this file reads it. */
export type LockEntry = {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
};

/** A version 3 lockfile: its entries by folder, `""` being the project itself. */
export type Lockfile = { lockfileVersion: number; packages: Record<string, LockEntry> };

/** The lockfile of a package that depends on `dependencies` alone; an error names a dependency that is not locked. */
export function lockfileFor(
  deployed: { name: string; version: string; engines?: Record<string, string>; dependencies: Record<string, string> },
  whole: Lockfile,
): Lockfile & { name: string; version: string; requires: true } {
  const { name, version } = deployed;
  const found = new Map<string, LockEntry>();
  const follow = (from: string, names: readonly string[], optional: boolean): void => {
    for (const wanted of names) {
      const folder = foldersToTry(from, wanted).find((candidate) => candidate in whole.packages);
      const entry = folder === undefined ? undefined : whole.packages[folder];
      if (folder === undefined || entry === undefined) {
        if (optional) continue;
        throw new Error(`package-lock.json has no ${wanted} for ${from === "" ? name : from}`);
      }
      if (found.has(folder)) continue;
      found.set(folder, entry);
      follow(folder, Object.keys(entry.dependencies ?? {}), false);
      follow(folder, Object.keys(entry.optionalDependencies ?? {}), true);
    }
  };
  follow("", Object.keys(deployed.dependencies), false);
  const entries = [...found].sort(([left], [right]) => (left < right ? -1 : 1));
  const packages: Record<string, LockEntry> = { "": { ...deployed }, ...Object.fromEntries(entries) };
  return { name, version, lockfileVersion: whole.lockfileVersion, requires: true, packages };
}

/** Where Node looks for `wanted` from the package in `folder`: beside it, then one level up, and so on. */
function foldersToTry(folder: string, wanted: string): string[] {
  const levels = folder === "" ? [] : folder.split("/node_modules/");
  const nested = levels.map(
    (_level, index) => `${levels.slice(0, levels.length - index).join("/node_modules/")}/node_modules/`,
  );
  return [...nested, "node_modules/"].map((prefix) => `${prefix}${wanted}`);
}
