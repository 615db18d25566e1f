// Holds the whole tree to the rooms and house rules: who may import whom, sizes, comments, pins.
// It must never contain an exception list for single files; the rules are in test/rooms/.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  barrelFiles,
  filesWithoutOpening,
  longFiles,
  longFunctions,
  registryAddresses,
  undocumentedExports,
  unpinnedVersions,
} from "./rooms/house-rules.ts";
import { forbiddenImports, importCycles, infrastructureImports } from "./rooms/import-rules.ts";
import { outboundCalls } from "./rooms/outbound-rules.ts";
import { readSources } from "./rooms/source.ts";

const root = path.join(import.meta.dirname, "..");
const sources = readSources(root, ["functions", "infra", "local", "scripts", "test"]);

describe("rooms", () => {
  test("every file imports only what its room may import", () => {
    expect(forbiddenImports(sources)).toEqual([]);
  });

  test("nothing outside infra imports CDKTF", () => {
    expect(infrastructureImports(sources)).toEqual([]);
  });

  test("no import cycle exists, type imports included", () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test("no file only passes on what others export", () => {
    expect(barrelFiles(sources)).toEqual([]);
  });
});

describe("house rules", () => {
  test("no file is over its limit of lines", () => {
    expect(longFiles(sources)).toEqual([]);
  });

  test("no function is over its limit of lines", () => {
    expect(longFunctions(sources)).toEqual([]);
  });

  test("every file opens with what it is for and what it must never do", () => {
    expect(filesWithoutOpening(sources)).toEqual([]);
  });

  test("everything that functions export has a docstring", () => {
    expect(undocumentedExports(sources)).toEqual([]);
  });

  test("only the allow-listed adapters could open a connection of their own", () => {
    expect(outboundCalls(sources)).toEqual([]);
  });

  test("every dependency is pinned to one exact version", () => {
    expect(unpinnedVersions(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")))).toEqual([]);
  });

  test("the lockfile holds no download address", () => {
    expect(registryAddresses(readFileSync(path.join(root, "package-lock.json"), "utf8"))).toEqual([]);
  });
});
