// Starts the laptop on emulators of its own, with one process per function from the bundles, and pays.
// It must never leave an emulator or a function behind.
import { execFileSync } from "node:child_process";
import { freePortFrom } from "../../local/listen.ts";
import { type RunningLaptop, startLaptop, survivors } from "./running-laptop.ts";

/** Up in 15 s on an idle machine; this is for one whose emulators are busy with other tests. */
const patienceMs = 120_000;

let laptop: RunningLaptop | undefined;
afterEach(async () => {
  await laptop?.remove();
  laptop = undefined;
}, patienceMs);

describe("npm start -- --emulators", () => {
  test(
    "serves the printed commands from the bundles, and ends every process with one signal",
    async () => {
      const sdk = process.env["CLOUDSDK_ROOT"];
      const port = await freePortFrom(undefined);
      laptop = await startLaptop(
        ["--emulators", "--port", String(port)],
        sdk === undefined ? {} : { CLOUDSDK_ROOT: sdk },
      );
      const { lines } = laptop;
      const started = laptop.processes();

      const answers = lines
        .filter((line) => line.startsWith("curl -i "))
        .map((line) => execFileSync("sh", ["-c", `${line} -sS`], { encoding: "utf8" }));
      const code = await laptop.end("SIGINT");

      expect(answers).toEqual([
        expect.stringMatching(/^HTTP\/1.1 200 (?!.*Idempotent-Replayed).*"status":"succeeded"/s),
        expect.stringMatching(/^HTTP\/1.1 200 .*Idempotent-Replayed: true\r\n.*"status":"succeeded"/s),
        expect.stringMatching(/^HTTP\/1.1 400 .*"idempotency_error"/s),
      ]);
      expect(code).toBe(0);
      // The launcher, the laptop, three functions, two emulators with their guards.
      expect(started.length).toBeGreaterThanOrEqual(9);
      expect(await survivors(started)).toEqual([]);
    },
    patienceMs,
  );
});

const testWithRedis = process.env["REDIS_SERVER"] === undefined ? test.skip : test;

describe("npm start -- --cache redis", () => {
  testWithRedis(
    "keeps claims in a server of its own, as a stage with Memorystore does, and ends it",
    async () => {
      const port = await freePortFrom(undefined);
      laptop = await startLaptop(["--cache", "redis", "--port", String(port)]);
      const started = laptop.processes();

      const [first, again] = laptop.lines
        .filter((line) => line.startsWith("curl -i "))
        .slice(0, 2)
        .map((line) => execFileSync("sh", ["-c", `${line} -sS`], { encoding: "utf8" }));
      const claims = execFileSync("ps", ["-o", "args=", "-p", started.join(",")], { encoding: "utf8" });
      const code = await laptop.end("SIGINT");

      expect(claims).toMatch(/(?:redis|valkey)-server 127\.0\.0\.1:\d+/);
      expect(first).toMatch(/^HTTP\/1.1 200 /);
      expect(again).toMatch(/^HTTP\/1.1 200 .*Idempotent-Replayed: true/s);
      expect(code).toBe(0);
      expect(await survivors(started)).toEqual([]);
    },
    patienceMs,
  );
});
