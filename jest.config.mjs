// Jest's settings for five runs: embedded (the default), plans, processes, emulators, browser, told apart by the test file's name.
// It must never let a default run depend on anything but npm: no emulator, no browser, no network.
import process from "node:process";

/**
 * `SUITE=plans` runs *.plan.test.ts, which synthesize the stacks, alone or to play them; `SUITE=processes` runs *.process.test.ts, which start whole programs and take seconds each; `SUITE=emulators` runs
 * *.emulator.test.ts, `SUITE=browser` *.browser.test.ts; unset runs all the others.
 */
const suite = process.env["SUITE"] ?? "embedded";
const patterns = {
  embedded: ["<rootDir>/test/**/!(*.emulator|*.browser|*.process|*.plan).test.ts"],
  plans: ["<rootDir>/test/**/*.plan.test.ts"],
  processes: ["<rootDir>/test/**/*.process.test.ts"],
  emulators: ["<rootDir>/test/**/*.emulator.test.ts"],
  browser: ["<rootDir>/test/**/*.browser.test.ts"],
};
if (!(suite in patterns)) throw new Error(`SUITE must be one of ${Object.keys(patterns).join(", ")}, not ${suite}`);

export default {
  testEnvironment: "node",
  testMatch: patterns[suite],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/.laptop/", "<rootDir>/cdktf.out/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/scripts/strip-transform.mjs" },
  setupFiles: ["<rootDir>/test/setup.ts"],
  reporters: ["default", "<rootDir>/scripts/jest-plain-line.mjs"],
  coverageProvider: "v8",
  collectCoverageFrom: ["functions/**/*.ts", "infra/**/*.ts", "local/**/*.ts"],
  // Google's emulators answer a first call in up to 4 s and a contended one later still; embedded tests are quick, but not on a machine that does much else.
  testTimeout: suite === "embedded" ? 20_000 : 60_000,
  // Both cores of a small machine: Jest's default leaves one to itself, which has little to do.
  maxWorkers: "100%",
  // A worker for each set of emulators: one Spanner emulator runs one read-write transaction at a time.
  ...(suite === "emulators" ? { maxWorkers: JSON.parse(process.env["EMULATOR_SETS"] ?? "[{}]").length } : {}),
};
