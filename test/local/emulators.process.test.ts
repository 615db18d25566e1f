// Shows that emulators are started as the facts demand, found answering, and ended with everything they forked.
// It must never need Google's emulators: the ones here are a few lines of node behind the same command lines.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startEmulators } from "../../local/emulators.ts";
import { findEmulators } from "../../local/find-emulators.ts";
import { type FakeSdk, makeFakeSdk } from "../support/fake-sdk.ts";

/** Each test starts up to five processes of 0.1 s; on a busy machine that has been 3 s. */
import.meta.jest.setTimeout(20_000);

const WITH_EMULATORS = join(import.meta.dirname, "..", "..", "local", "with-emulators.ts");

let sdk: FakeSdk;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  sdk = makeFakeSdk();
  environment = { CLOUDSDK_ROOT: sdk.root, PATH: sdk.javaFolder };
});
afterEach(() => sdk.remove());

describe("starting emulators", () => {
  test("starts Pub/Sub's too where it is found and wanted, and ends it with the others", async () => {
    const withPubsub = makeFakeSdk({ hasPubsub: true });
    const search = await findEmulators({ CLOUDSDK_ROOT: withPubsub.root, PATH: withPubsub.javaFolder });
    const unwanted = await startEmulators({ search });
    await unwanted.stop();
    const emulators = await startEmulators({ search, withPubsub: true });
    const host = emulators.environment["PUBSUB_EMULATOR_HOST"] ?? "";
    const answered = await commandLine(host);
    const connection = await openTo(host);

    await emulators.stop();
    await untilCut(connection);
    withPubsub.remove();

    expect(unwanted.environment).not.toHaveProperty("PUBSUB_EMULATOR_HOST");
    expect(answered).toBe(`--host=127.0.0.1 --port=${host.split(":")[1]}`);
  });

  test("starts both with the flags that matter, points clients at them, and ends them", async () => {
    const emulators = await startEmulators({ search: await findEmulators(environment) });
    const answered = await Promise.all([commandLine(emulators.spannerHost), commandLine(emulators.firestoreHost)]);
    const connections = await Promise.all([openTo(emulators.spannerHost), openTo(emulators.firestoreHost)]);

    await emulators.stop();
    await Promise.all(connections.map(untilCut));

    expect(answered).toEqual([
      `--host_port=${emulators.spannerHost} --abort_current_transaction_probability=100`,
      `start --host=127.0.0.1 --port=${emulators.firestoreHost.split(":")[1]}`,
    ]);
    expect(emulators.environment).toMatchObject({
      SPANNER_EMULATOR_HOST: emulators.spannerHost,
      FIRESTORE_EMULATOR_HOST: emulators.firestoreHost,
      GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: "false",
      METADATA_SERVER_DETECTION: "none",
    });
  });

  test("fails, and names the culprit, when an emulator ends before it answers", async () => {
    sdk.breakFirestore();

    const start = startEmulators({ search: await findEmulators(environment) });

    await expect(start).rejects.toThrow("the firestore emulator ended before it answered");
  });

  test("refuses to start only one of two", async () => {
    const search = await findEmulators({ ...environment, PATH: sdk.emptyFolder });

    await expect(startEmulators({ search })).rejects.toThrow("emulators missing: firestore");
  });
});

describe("with-emulators", () => {
  test("runs the command with the environment set and exits with its code", async () => {
    const run = start([
      "--",
      process.execPath,
      "-e",
      `console.log(process.env.SPANNER_EMULATOR_HOST); process.exit(7)`,
    ]);

    expect(await outcomeOf(run)).toEqual({
      code: 7,
      output: expect.stringMatching(
        /^emulators: used spanner firestore\nredis: NOT INSTALLED, .+\n127\.0\.0\.1:\d+\n$/,
      ),
    });
  });

  test("says what it found with --detect", async () => {
    const [all, hidden] = [outcomeOf(start(["--detect"])), outcomeOf(start(["--detect"], { EMULATORS: "none" }))];

    expect(await all).toEqual({ code: 0, output: "spanner firestore\n" });
    expect(await hidden).toEqual({ code: 0, output: "none\n" });
  });

  test("says loudly that nothing was run when none is installed, and exits 0", async () => {
    const run = start(["--", process.execPath, "-e", "console.log('it ran')"], { EMULATORS: "none" });

    expect(await outcomeOf(run)).toEqual({
      code: 0,
      output: expect.stringMatching(/^emulators: NOT INSTALLED, nothing was run \(.+\)\n$/),
    });
  });

  test("exits with 1 when an installed emulator does not start, and with 2 for a wrong command line", async () => {
    sdk.breakFirestore();
    const broken = outcomeOf(start(["--", process.execPath, "-e", "console.log('it ran')"]));
    const wrong = outcomeOf(start([]));

    expect(await broken).toEqual({ code: 1, output: "" });
    expect(await wrong).toEqual({ code: 2, output: "" });
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("leaves no emulator behind when it is ended by %s", async (signal) => {
    // Given a command that forks a child, which prints three hosts (its own last) and lives until we hang up
    const child = `require("node:net").createServer((us) => us.on("close", () => process.exit())).listen(0, "127.0.0.1", function () {
      const { SPANNER_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST } = process.env;
      console.log(SPANNER_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST, "127.0.0.1:" + this.address().port);
    })`;
    const run = start(["--", "/bin/sh", "-c", '"$0" -e "$1"; true', process.execPath, child]);
    const [spanner, firestore, own] = await Promise.all((await hostsPrintedBy(run)).map(openTo));
    if (spanner === undefined || firestore === undefined || own === undefined) throw new Error("three hosts expected");

    // When the launcher is ended
    const exit = once(run, "exit");
    run.kill(signal);

    // Then both emulators die with it, the forked one too; so does the command, if anybody was left to end it
    await Promise.all([untilCut(spanner), untilCut(firestore)]);
    if (signal === "SIGTERM") await untilCut(own);
    own.destroy();
    expect(await exit).toEqual(signal === "SIGTERM" ? [143, null] : [null, "SIGKILL"]);
  });
});

function start(args: string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [WITH_EMULATORS, ...args], { env: { ...environment, ...more }, stdio: "pipe" });
}

async function outcomeOf(run: ChildProcess): Promise<{ code: number | null; output: string }> {
  if (run.stdout === null || run.stderr === null) throw new Error("the run has no pipes");
  const [output, , [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, "exit")]);
  return { code, output };
}

async function hostsPrintedBy(run: ChildProcess): Promise<string[]> {
  let output = "";
  for await (const chunk of run.stdout?.setEncoding("utf8") ?? []) {
    output += chunk;
    const hosts = output.match(/127\.0\.0\.1:\d+/g);
    if (hosts?.length === 3 && output.endsWith("\n")) return hosts;
  }
  throw new Error(`no hosts in: ${output}`);
}

async function commandLine(host: string): Promise<string> {
  return await (await fetch(`http://${host}/`)).text();
}

async function openTo(host: string): Promise<Socket> {
  const [address = "", port = ""] = host.split(":");
  const socket = connect(Number(port), address);
  await once(socket, "connect");
  // Being cut may arrive as a reset, before anybody waits for the end.
  socket.on("error", () => {});
  return socket;
}

/** Resolves when the other side of the connection is gone, which is when its process is. */
async function untilCut(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await new Promise((closed) => socket.once("close", closed));
}
