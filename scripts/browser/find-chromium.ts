// Looks for Chromium, or a browser built from it, where machines usually have it.
// It must never start one: whether a file is there and may be executed is all that is asked.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** What the search came to. */
export type ChromiumSearch =
  | { readonly kind: "found"; readonly path: string }
  /** `why` is a sentence for people: what is missing, and the command that installs it. */
  | { readonly kind: "missing"; readonly why: string }
  /** CHROMIUM names something that cannot be started; a typing error must not pass for a machine without a browser. */
  | { readonly kind: "wrong"; readonly why: string };

/** CHROMIUM first (`none` hides every browser), then the usual names on PATH, then the usual places. */
export function findChromium(environment: NodeJS.ProcessEnv, places: readonly string[] = PLACES): ChromiumSearch {
  const named = environment["CHROMIUM"];
  if (named === "none") return { kind: "missing", why: "CHROMIUM=none hides it; unset it to use the installed one" };
  if (named !== undefined && named !== "") {
    if (isAbsolute(named) && isExecutable(named)) return { kind: "found", path: named };
    return { kind: "wrong", why: `CHROMIUM must be the absolute path of a program, not ${named}` };
  }
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const path = [...onPath, ...places].find(isExecutable);
  if (path !== undefined) return { kind: "found", path };
  return {
    kind: "missing",
    why: "to install: `sudo apt-get install chromium` (Debian), `brew install --cask chromium` (Mac)",
  };
}

/** Chromium's own names before those of what is built from it. */
const NAMES: readonly string[] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** Where installers put it without a word on PATH. */
const PLACES: readonly string[] = [
  "/usr/bin/chromium",
  "/usr/lib/chromium/chromium",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
