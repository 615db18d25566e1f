// `npm run doctor`: looks at everything on which a first deploy is known to fail, and prints the command that cures it.
// It must never change anything, neither here nor in the project.

import { isPlaceholder, NO_PROJECT, readSettings } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";
import { type Finding, linesOf } from "./doctor/finding.ts";
import { checkNames } from "./doctor/names.ts";
import { checkPolicies } from "./doctor/policies.ts";
import { checkProject } from "./doctor/project.ts";
import { checkQuotas } from "./doctor/quotas.ts";
import { checkRegion } from "./doctor/region.ts";
import { checkState } from "./doctor/state.ts";
import { checkTools } from "./doctor/tools.ts";
import { gcloudFor, lines } from "./gcloud.ts";
import { type SynthesizedResource, synthesizedStacks } from "./synthesized-stacks.ts";
import { runMain, type Terminal } from "./terminal.ts";

/**
 * Looks at everything, as far as it can be looked at. Returns the exit code: 0 when nothing would stop a deploy.
 * `synthesize` gives what a deploy would make.
 */
export async function doctor(
  terminal: Terminal,
  synthesize: () => Promise<readonly SynthesizedResource[]>,
): Promise<number> {
  const { environment, say } = terminal;
  const settings = readSettings(withStageFile(environment), null);
  const gcloud = gcloudFor(settings.projectId, terminal);
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]) => {
    findings.push(...found);
    for (const line of found.flatMap(linesOf)) say(line);
  };
  const tools = await checkTools(gcloud, settings.projectId, terminal);
  report(tools.findings);
  if (isPlaceholder(settings)) return stop(say, NO_PROJECT);
  if (!tools.isGcloudUsable) return stop(say, "The rest needs a gcloud that is logged in.");
  const project = await checkProject(gcloud, settings);
  report(project.findings);
  if (!project.isReadable) return stop(say, "The rest needs a project that you may read.");
  const enabledApis = new Set(await lines(gcloud, ["services", "list", "--enabled", "--format=value(config.name)"]));
  const resources = await synthesize();
  for (const check of [checkRegion, checkPolicies, checkQuotas, checkState, checkNames]) {
    report(await check({ gcloud, settings, enabledApis, resources }));
  }
  return verdict(findings, say);
}

function verdict(findings: readonly Finding[], say: Terminal["say"]): number {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  say(`\n${count("fine")} fine, ${count("warns")} to know, ${count("blocks")} would stop a deploy`);
  return count("blocks") === 0 ? 0 : 1;
}

function stop(say: Terminal["say"], why: string): number {
  say(`\n${why}`);
  return 1;
}

if (import.meta.main) {
  await runMain("doctor", (terminal) => doctor(terminal, () => synthesizedStacks(terminal.environment)));
}
