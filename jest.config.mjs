// Jest's settings for three runs: embedded (the default), emulators and browser, told apart by the name of the test file.
// It must never let a default run depend on anything but npm: no emulator, no browser, no network.
import process from "node:process";

/** `SUITE=emulators` runs *.emulator.test.ts, `SUITE=browser` runs *.browser.test.ts; unset runs all the others. */
const suite = process.env["SUITE"] ?? "embedded";
const patterns = {
  embedded: ["<rootDir>/test/**/!(*.emulator|*.browser).test.ts"],
  emulators: ["<rootDir>/test/**/*.emulator.test.ts"],
  browser: ["<rootDir>/test/**/*.browser.test.ts"],
};
if (!(suite in patterns)) throw new Error(`SUITE must be one of ${Object.keys(patterns).join(", ")}, not ${suite}`);

export default {
  testEnvironment: "node",
  testMatch: patterns[suite],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/cdktf.out/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/scripts/strip-transform.mjs" },
  setupFiles: ["<rootDir>/test/setup.ts"],
  reporters: ["default", "<rootDir>/scripts/jest-plain-line.mjs"],
  coverageProvider: "v8",
  collectCoverageFrom: ["functions/**/*.ts", "infra/**/*.ts", "local/**/*.ts"],
  // Google's emulators answer a first call in up to 4 s and a contended one later still; embedded tests are quick.
  testTimeout: suite === "embedded" ? 5_000 : 60_000,
  // One emulator is shared by all emulator suites, and it runs one read-write transaction at a time.
  ...(suite === "emulators" ? { maxWorkers: 1 } : {}),
};
