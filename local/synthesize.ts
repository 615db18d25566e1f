// Synthesizes the stacks in a child that exits, and reads what it wrote: CDKTF's memory is gone before anything runs.
// It must never touch `cdktf.out`, which belongs to deployments, nor let the shell's stage or project leak into the laptop.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LOCAL_PROJECT } from "./emulators.ts";
import { type Plan, readPlan } from "./plan.ts";

/** The plan of stage `dev`, without the functions' zips. */
export async function synthesize(asked: { IDEMPOTENCY_CACHE?: string } = {}): Promise<Plan> {
  const folder = mkdtempSync(join(tmpdir(), "laptop-plan-"));
  try {
    const child = spawn(process.execPath, [MAIN], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        STAGE: "dev",
        STAGE_FILE: "none",
        PROJECT_ID: LOCAL_PROJECT,
        // Callers of the laptop have no Google identity, so its functions are open, and ask for their keys.
        PUBLIC: "true",
        // Mails go to the inbox of this machine.
        MAIL_FROM: "receipts@laptop.example",
        // How many queues there are is no place and no project: it can be tried here.
        WEBHOOK_QUEUE_SHARDS: process.env["WEBHOOK_QUEUE_SHARDS"],
        ...asked,
        SOURCES: "none",
        CDKTF_OUTDIR: folder,
      },
    });
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    if (code !== 0) throw new Error(`the stacks cannot be synthesized:\n${complaint}`);
    return readPlan(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MAIN = join(import.meta.dirname, "..", "infra", "main.ts");
