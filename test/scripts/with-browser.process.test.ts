// Shows that a command runs with a browser's path or loudly not at all, and that its end is our end.
// It must never need a browser: the one here is the running node.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const WITH_BROWSER = join(import.meta.dirname, "..", "..", "scripts", "with-browser.ts");

/** Each test starts up to two processes of 0.1 s; on a busy machine that has been 3 s. */
import.meta.jest.setTimeout(20_000);

const command = (code: string) => ["--", process.execPath, "-e", code];

describe("with-browser", () => {
  test("runs the command with CHROMIUM set and exits with its code", async () => {
    const run = start(command("console.log(process.env.CHROMIUM); process.exit(7)"));

    expect(await outcomeOf(run)).toEqual({
      code: 7,
      output: `browser: used ${process.execPath}\n${process.execPath}\n`,
      complaint: "",
    });
  });

  test("says what it found with --detect", async () => {
    const [found, hidden] = [outcomeOf(start(["--detect"])), outcomeOf(start(["--detect"], "none"))];

    expect(await found).toMatchObject({ code: 0, output: `${process.execPath}\n` });
    expect(await hidden).toMatchObject({ code: 0, output: "none\n" });
  });

  test("says loudly that nothing was run when there is none, and exits 0", async () => {
    expect(await outcomeOf(start(command("console.log('it ran')"), "none"))).toEqual({
      code: 0,
      output: expect.stringMatching(/^browser: NOT INSTALLED, nothing was run \(.+\)\n$/),
      complaint: "",
    });
  });

  test.each([
    ["a wrong path", command("console.log('it ran')"), "/not/there", /^browser: CHROMIUM must be /],
    ["no command", ["--"], process.execPath, /^usage: /],
    ["a flag that it does not know", ["--all", "--", "true"], process.execPath, /^usage: /],
  ])("runs nothing for %s, and exits with 2", async (_title, args, chromium, complaint) => {
    expect(await outcomeOf(start(args, chromium))).toEqual({
      code: 2,
      output: "",
      complaint: expect.stringMatching(complaint),
    });
  });

  test("exits with 127 when the command does not exist", async () => {
    expect(await outcomeOf(start(["--", "/not/there"]))).toMatchObject({ code: 127 });
  });

  test("passes SIGTERM on to the command", async () => {
    const run = start(command("console.log('up'); setInterval(() => {}, 1000)"));
    for await (const chunk of run.stdout?.setEncoding("utf8") ?? []) if (String(chunk).includes("up")) break;
    const exited = once(run, "exit");

    run.kill("SIGTERM");

    expect(await exited).toEqual([143, null]);
  });
});

function start(args: string[], chromium = process.execPath): ChildProcess {
  return spawn(process.execPath, [WITH_BROWSER, ...args], { env: { CHROMIUM: chromium, PATH: "" }, stdio: "pipe" });
}

async function outcomeOf(run: ChildProcess): Promise<{ code: number | null; output: string; complaint: string }> {
  if (run.stdout === null || run.stderr === null) throw new Error("the run has no pipes");
  const [output, complaint, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, "exit")]);
  return { code, output, complaint };
}
