/**
 * Tells whether this synthesis is the first step of `cdktf deploy`: the CLI runs the same command with the same
 * environment for `synth` and for `deploy`, so its own command line is the only difference.
 * It must never stop a synthesis because it could not find out: Terraform refuses a stack without a project anyway.
 */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import process from "node:process";

/** True when one of the processes that started this one is `cdktf deploy`; false where `ps` is not to be had. */
export function isDeploying(): boolean {
  try {
    return hasDeployAbove(execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], PS), process.ppid);
  } catch {
    return false;
  }
}

/** The same, from a listing of `pid ppid arguments`, one process a line. */
export function hasDeployAbove(listing: string, parentId: number): boolean {
  const processes = new Map<number, { parent: number; command: string }>();
  for (const [, id, parent, command = ""] of listing.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)) {
    processes.set(Number(id), { parent: Number(parent), command });
  }
  let current = processes.get(parentId);
  for (let level = 0; level < LEVELS_MAX && current !== undefined; level += 1) {
    if (/\bcdktf(?:\.js)? (?:deploy|apply)\b/.test(current.command)) return true;
    current = processes.get(current.parent);
  }
  return false;
}

/** A shell, npm twice, the launcher and the CLI are six; more than twice that is not a chain of this project. */
const LEVELS_MAX = 16;

/** A listing takes 20 ms; a machine with very many processes prints 1 MB. */
const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
  timeout: 5_000,
  maxBuffer: 16 * 1024 * 1024,
};
