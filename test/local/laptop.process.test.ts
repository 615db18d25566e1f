// Starts the laptop as a person does and uses it as its own output says.
// It must never need emulators, and never leave a process behind.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { freePortFrom, listenFrom } from "../../local/listen.ts";
import { type RunningLaptop, startLaptop, survivors } from "./running-laptop.ts";

/** Up in 3 s on an idle machine; this is for one that runs all tests at once. */
const patienceMs = 60_000;

let laptop: RunningLaptop | undefined;
afterEach(async () => {
  await laptop?.remove();
  laptop = undefined;
}, patienceMs);

const shell = (command: string, environment: NodeJS.ProcessEnv = {}) =>
  execFileSync("sh", ["-c", command], { encoding: "utf8", env: { ...process.env, ...environment }, stdio: "pipe" });

const apiKey = (args: string) =>
  shell(`node scripts/node.cjs scripts/api-key.ts ${args}`, { LAPTOP_FOLDER: laptop?.folder ?? "" });

describe("npm start", () => {
  test(
    "needs neither emulators nor gcloud nor Java; its commands work as printed; one signal ends all of it",
    async () => {
      const port = await freePortFrom(undefined);
      laptop = await startLaptop(["--embedded", "--port", String(port)], { EMULATORS: "none" });
      const { baseUrl, lines } = laptop;
      const started = laptop.processes();

      const answers = lines.filter((line) => line.startsWith("curl -i ")).map((line) => shell(`${line} -sS`));
      const code = await laptop.end("SIGTERM");

      expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
      expect(laptop.apiKey).toBe("sk_test_laptop_only_4242424242424242");
      expect(lines.join("\n")).not.toMatch(/emulators found|in use/);
      expect(answers).toEqual([
        expect.stringMatching(/^HTTP\/1.1 200 (?!.*Idempotent-Replayed).*"status":"succeeded"/s),
        expect.stringMatching(/^HTTP\/1.1 200 .*Idempotent-Replayed: true\r\n.*"status":"succeeded"/s),
        expect.stringMatching(/^HTTP\/1.1 400 .*"idempotency_error"/s),
      ]);
      expect(code).toBe(0);
      expect(await survivors(started)).toEqual([]);
      await expect(fetch(baseUrl)).rejects.toThrow();
    },
    patienceMs,
  );

  test(
    "takes the next port and says so loudly when the wanted one is taken; scripts manage its API keys, tell a key's life and verify its ledger",
    async () => {
      const taken = createServer();
      const port = await listenFrom(taken, undefined);
      laptop = await startLaptop(["--port", String(port)], { EMULATORS: "none" });
      await new Promise((closed) => taken.close(closed));
      const { baseUrl, lines, folder } = laptop;

      const actual = new URL(baseUrl).port;
      const secret = apiKey("create --account bob").split("\n")[0] ?? "";
      const used = await fetch(`${baseUrl}/v1/payment_intents`, { headers: { Authorization: `Bearer ${secret}` } });
      const payment = { method: "POST", body: "amount=700&currency=usd&confirm=true&payment_method=pm_card_visa" };
      const type = { "Content-Type": "application/x-www-form-urlencoded", "Idempotency-Key": "bob's first" };
      await fetch(`${baseUrl}/v1/payment_intents`, {
        ...payment,
        headers: { ...type, Authorization: `Bearer ${secret}` },
      });
      const life = shell('node scripts/node.cjs scripts/key.ts "bob\'s first" --account bob', {
        LAPTOP_FOLDER: folder,
      });
      const revoked = apiKey(`revoke --account bob --last-four ${secret.slice(-4)}`);
      const listed = apiKey("list --account bob");
      const verified = shell("node scripts/node.cjs scripts/verify-ledger.ts", { LAPTOP_FOLDER: folder });
      const code = await laptop.end("SIGINT");

      expect(actual).not.toBe(String(port));
      expect(lines).toContain(`!!! port ${port} is in use: payments-api listens on ${actual} instead !!!`);
      expect(used.status).toBe(200);
      expect(revoked).toBe("revoked 1 key of bob\n");
      expect(listed).toMatch(new RegExp(`^sk_test_…${secret.slice(-4)} {2}created \\S+ {2}revoked \\S+\\n$`));
      expect(life).toMatch(
        /^key {6}bob's first of bob: completed\n.*^\S+ \S+ {2}Booked charge ch_.*in the logs: 1 executed\n$/ms,
      );
      expect(verified).toMatch(/^the ledger is sound: 1 ledger transactions, /);
      expect(code).toBe(0);
      expect(existsSync(path.join(folder, "control.json"))).toBe(false);
    },
    patienceMs,
  );

  test(
    "refuses a command line that it does not understand, in one line",
    async () => {
      await expect(startLaptop(["--production"])).rejects.toThrow(
        "the laptop ended with 2:\nnpm start: unknown argument --production; npm start -- --help lists all of them",
      );
    },
    patienceMs,
  );

  test(
    "says what is missing when emulators or a Redis server are asked for and there are none",
    async () => {
      await expect(startLaptop(["--emulators"], { EMULATORS: "none" })).rejects.toThrow(
        "npm start: --emulators needs Google's emulators; EMULATORS=none hides them",
      );
      await expect(startLaptop(["--cache", "redis"], { EMULATORS: "none" })).rejects.toThrow(
        "npm start: --cache redis: no Redis or Valkey server is on PATH; to install one:",
      );
    },
    patienceMs,
  );
});
