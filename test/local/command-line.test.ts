// Shows which command lines `npm start` understands, and that each other one is refused in one line.
// It must never start anything.
import { readOptions, USAGE } from "../../local/command-line.ts";

describe("the command line of npm start", () => {
  test("means the embedded stores on port 4242 when it is empty", () => {
    expect(readOptions([])).toEqual({
      ...{ stores: "embedded", cache: "firestore", port: 4242 },
      ...{ watch: false, inspect: false, help: false },
    });
  });

  test("takes every flag that --help lists", () => {
    expect(
      readOptions(["--emulators", "--cache", "redis", "--port", "8080", "--watch", "--inspect", "--help"]),
    ).toEqual({
      stores: "emulators",
      cache: "memorystore",
      port: 8080,
      watch: true,
      inspect: true,
      help: true,
    });
    expect(readOptions(["--embedded", "--port=8081"])).toMatchObject({ stores: "embedded", port: 8081 });
    for (const flag of ["--embedded", "--emulators", "--cache C", "--port N", "--watch", "--inspect", "--help"])
      expect(USAGE).toContain(flag);
  });

  test.each([
    ["an unknown flag", ["--prod"], "unknown argument --prod; npm start -- --help lists all of them"],
    ["a word", ["8080"], "unknown argument 8080; npm start -- --help lists all of them"],
    ["both kinds of stores", ["--embedded", "--emulators"], "--embedded and --emulators exclude each other"],
    ["another cache", ["--cache", "disk"], "--cache needs redis, not disk; without it the cache is Firestore's"],
    ["a port without a number", ["--port"], "--port needs a number from 1 to 65535, not nothing"],
    ["a port that does not exist", ["--port", "65536"], "--port needs a number from 1 to 65535, not 65536"],
    ["a port that is a flag", ["--port", "--watch"], "--port needs a number from 1 to 65535, not --watch"],
  ])("refuses %s", (_title, args, message) => {
    expect(() => readOptions(args)).toThrow(new Error(message));
  });
});
