// Shows that a deployed package is locked to the very versions that the project's own lockfile holds.
// It must never ask a registry.
import { type Lockfile, lockfileFor } from "../../scripts/build/lockfile.ts";

const deployed = { name: "payments-api", version: "0.0.0", dependencies: { framework: "5.0.5" } };

const whole: Lockfile = {
  lockfileVersion: 3,
  packages: {
    "": { dependencies: { framework: "5.0.5", tests: "1.0.0" } },
    "node_modules/framework": { version: "5.0.5", dependencies: { parser: "^1.0.0", types: "*" } },
    "node_modules/framework/node_modules/parser": { version: "1.4.0", dependencies: { bytes: "^3.0.0" } },
    "node_modules/parser": { version: "2.0.0" },
    "node_modules/bytes": { version: "3.1.2", optionalDependencies: { "only-on-windows": "1.0.0" } },
    "node_modules/types": { version: "1.0.0", dependencies: { framework: "^5.0.0" } },
    "node_modules/tests": { version: "1.0.0" },
  },
};

describe("the lockfile of a deployed package", () => {
  test("holds the dependencies of its dependencies, the nested version where one is nested, and nothing else", () => {
    const { packages } = lockfileFor(deployed, whole);
    expect(Object.keys(packages)).toEqual([
      "",
      "node_modules/bytes",
      "node_modules/framework",
      "node_modules/framework/node_modules/parser",
      "node_modules/types",
    ]);
    expect(packages["node_modules/framework/node_modules/parser"]?.version).toBe("1.4.0");
  });

  test("describes the deployed package itself first, as npm ci demands", () => {
    expect(lockfileFor(deployed, whole).packages[""]).toEqual(deployed);
  });

  test("a dependency that is not locked is an error that names it", () => {
    const unlocked = { ...deployed, dependencies: { unknown: "1.0.0" } };
    expect(() => lockfileFor(unlocked, whole)).toThrow("package-lock.json has no unknown for payments-api");
  });
});
