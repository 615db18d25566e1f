// Shows what synthesis costs: every stage, in a process of its own, without a network.
// It must never assert a time: machines differ, so the seconds are printed, beside the design's five.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const main = path.join(import.meta.dirname, "..", "..", "infra", "main.ts");

/** What the design allows a stage; 65 MB of it is Node itself. */
const memoryMaxMb = 400;

/** Refuses every name and every address, then says what the process used when it ends. */
const guard = `data:text/javascript,${encodeURIComponent(`
  import net from "node:net";
  import dns from "node:dns";
  net.Socket.prototype.connect = dns.lookup = () => { throw new Error("synthesis went to the network"); };
  process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stdout.write(JSON.stringify({ memoryMb: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }));
  });
`)}`;

describe("synthesis", () => {
  test.each(["dev", "staging", "prod"])(
    "of %s needs no network and little of the machine",
    (stage) => {
      const outdir = mkdtempSync(path.join(tmpdir(), "synthesis-"));
      try {
        const started = performance.now();
        const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", guard, main], {
          encoding: "utf8",
          env: {
            PATH: process.env["PATH"],
            STAGE: stage,
            STAGE_FILE: "none",
            SOURCES: "none",
            STACKS: "afresh",
            CDKTF_OUTDIR: outdir,
          },
        });
        const seconds = (performance.now() - started) / 1000;

        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        const { memoryMb, cpuSeconds } = JSON.parse(stdout) as { memoryMb: number; cpuSeconds: number };
        expect(memoryMb).toBeLessThan(memoryMaxMb);
        expect(readdirSync(path.join(outdir, "stacks")).sort()).toEqual(
          ["data", "foundation", "messaging", "observability", "services"].sort(),
        );
        expect(existsSync(path.join(outdir, "sources"))).toBe(false);
        process.stdout.write(
          `synthesis of ${stage}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${memoryMb.toFixed(0)} MB\n`,
        );
      } finally {
        rmSync(outdir, { recursive: true, force: true });
      }
    },
    60_000,
  );

  test("takes what the same sources made of the same settings, and nothing else", () => {
    // given a stage that was synthesized before
    synthesize({ PREFIX: "kept" });

    // when it is asked for again, and made afresh
    const again = synthesize({ PREFIX: "kept" });
    const afresh = synthesize({ PREFIX: "kept", STACKS: "afresh" });

    // then they are the same bytes, CDKTF was not loaded for the first of them, and another prefix gets stacks of its own
    expect(again.stacks).toEqual(afresh.stacks);
    expect([again.loadedCdktf, afresh.loadedCdktf]).toEqual([false, true]);
    expect(synthesize({ PREFIX: "other" }).stacks).not.toEqual(again.stacks);
  }, 60_000);
});

/** Says at the end whether CDKTF was loaded. */
const witness = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  let loaded = false;
  registerHooks({ resolve: (name, context, next) => ((loaded ||= name === "cdktf"), next(name, context)) });
  process.on("exit", () => process.stdout.write(String(loaded)));
`)}`;

function synthesize(variables: Readonly<Record<string, string>>) {
  const outdir = mkdtempSync(path.join(tmpdir(), "synthesis-"));
  try {
    const env = { PATH: process.env["PATH"], ...variables, STAGE_FILE: "none", SOURCES: "none", CDKTF_OUTDIR: outdir };
    const { stdout } = spawnSync(process.execPath, ["--import", witness, main], { encoding: "utf8", env });
    const names = readdirSync(path.join(outdir, "stacks")).sort();
    const stacks = names.map((name) => readFileSync(path.join(outdir, "stacks", name, "cdk.tf.json"), "utf8"));
    return { stacks, loadedCdktf: stdout === "true" };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
