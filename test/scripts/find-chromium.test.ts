// Shows where a browser is looked for, and what people are told when there is none.
// It must never depend on what this machine has: every environment is spelled out.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../../scripts/browser/find-chromium.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chromium-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that may be executed, or may not. */
function program(name: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, "");
  chmodSync(path, mode);
  return path;
}

describe("the search for Chromium", () => {
  test("takes what CHROMIUM names before what is on PATH", () => {
    const [named] = [program("mine"), program("chromium")];

    expect(findChromium({ CHROMIUM: named, PATH: folder }, [])).toEqual({ kind: "found", path: named });
  });

  test("prefers Chromium on PATH to a browser built from it, whatever folder comes first", () => {
    const later = join(folder, "later");
    mkdirSync(later);
    program("google-chrome");
    const chromium = program("later/chromium");

    expect(findChromium({ PATH: `${folder}:${later}` }, [])).toEqual({ kind: "found", path: chromium });
  });

  test("looks in the usual places last, with an empty CHROMIUM as if it were not set", () => {
    const placed = program("Chromium of a Mac");

    expect(findChromium({ CHROMIUM: "", PATH: "" }, ["/not/there", placed])).toEqual({ kind: "found", path: placed });
    expect(findChromium({}, [placed])).toEqual({ kind: "found", path: placed });
  });

  test("passes over what may not be executed, and over a folder of that name", () => {
    program("chromium", 0o644);
    mkdirSync(join(folder, "google-chrome"));

    expect(findChromium({ PATH: folder }, [])).toMatchObject({ kind: "missing" });
  });

  test("says how to install one where there is none, and how to see it where it was hidden", () => {
    const placed = program("chromium");

    expect(findChromium({ PATH: "" }, [])).toMatchObject({ why: expect.stringContaining("apt-get install chromium") });
    expect(findChromium({ CHROMIUM: "none", PATH: folder }, [placed])).toEqual({
      kind: "missing",
      why: "CHROMIUM=none hides it; unset it to use the installed one",
    });
  });

  test.each(["relative/chromium", "/not/there"])("calls a CHROMIUM that cannot be started wrong: %s", (named) => {
    expect(findChromium({ CHROMIUM: named, PATH: folder }, [program("chromium")])).toEqual({
      kind: "wrong",
      why: `CHROMIUM must be the absolute path of a program, not ${named}`,
    });
  });
});
