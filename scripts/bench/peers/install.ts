// Brings the peers' libraries onto this machine, outside the project's own tree, and loads them.
// It must never install anything but what the lockfile beside this file names, and never run a package's scripts.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

const folder = path.join(import.meta.dirname, "..", "..", "..", ".laptop", "bench-peers");
const files = ["package.json", "package-lock.json"] as const;
/** A slow registry must not hold the benchmark up. */
const installMsMax = 60_000;

/** A way to load them; undefined, with the reason said, where they cannot be installed. */
export async function installPeers(say: (line: string) => void): Promise<NodeJS.Require | undefined> {
  if (!isInstalled()) {
    say("installing the peers' libraries (npm ci, once) ...");
    mkdirSync(folder, { recursive: true });
    for (const file of files) copyFileSync(path.join(import.meta.dirname, file), path.join(folder, file));
    try {
      const how = { cwd: folder, timeout: installMsMax };
      await promisify(execFile)(
        "npm",
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"],
        how,
      );
    } catch (error) {
      const { stderr = "", message } = error as Error & { stderr?: string };
      say(`NOT COMPARED: the peers cannot be installed: ${(stderr || message).trim().split("\n").at(-1)}`);
      return undefined;
    }
  }
  return createRequire(path.join(folder, "package.json"));
}

/** True when what lies there was installed from these very files. */
function isInstalled(): boolean {
  if (!existsSync(path.join(folder, "node_modules"))) return false;
  return files.every((file) => {
    const there = path.join(folder, file);
    return existsSync(there) && readFileSync(there).equals(readFileSync(path.join(import.meta.dirname, file)));
  });
}
