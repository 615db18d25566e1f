// `npm run teardown`: takes a stage down, and lists what is left of it, with the command that removes each.
// It must never touch a protected stage, nor any stage whose project was not named a second time.

import { isPlaceholder, NO_PROJECT, readSettings, type Settings } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";
import { describe, type Gcloud, gcloudFor } from "./gcloud.ts";
import { type SynthesizedResource, synthesizedStacks } from "./synthesized-stacks.ts";
import { askForProject } from "./teardown/confirm.ts";
import { destroyStacks } from "./teardown/destroy.ts";
import { raiseGeneration } from "./teardown/generation.ts";
import { type Survivor, survivors } from "./teardown/survivors.ts";
import { runMain, type Terminal } from "./terminal.ts";

const USAGE = `npm run teardown [-- --yes-destroy PROJECT]

  --yes-destroy PROJECT  the project's id, instead of being asked for it`;

/**
 * Returns the exit code: 0 only when everything is gone, except for what is kept on purpose. `synthesize` gives what a
 * deploy would make.
 */
export async function teardown(
  args: readonly string[],
  terminal: Terminal,
  synthesize: () => Promise<readonly SynthesizedResource[]>,
): Promise<number> {
  const { environment } = terminal;
  const refuse = (why: string, code = 1) => {
    terminal.complain(why);
    return code;
  };
  const given = args[0] === "--yes-destroy" && args.length === 2 ? args[1] : undefined;
  if (args.length > 0 && given === undefined) return refuse(USAGE, 2);
  const settings = readSettings(withStageFile(environment), null);
  if (isPlaceholder(settings)) return refuse(`teardown: ${NO_PROJECT}`);
  if (settings.isProtected) return refuse(`teardown: ${howToUnprotect(settings)}`);
  const named = given ?? (await askForProject(settings));
  if (named !== settings.projectId) {
    return refuse(`teardown: nothing was done, because ${named || "no project"} is not ${settings.projectId}`);
  }
  const gcloud = gcloudFor(settings.projectId, terminal);
  const code = await takeDown(gcloud, settings, terminal);
  const stacks = new Set((await synthesize()).map(({ stack }) => stack));
  const left = await survivors({ gcloud, settings, stacks: [...stacks] });
  report(left, terminal);
  if (code !== 0) return refuse("teardown: cdktf destroy failed; it says why above, and can be repeated");
  return left.every(({ isKept }) => isKept) ? 0 : 1;
}

/** One line, as it is refused. */
function howToUnprotect({ stage }: Settings): string {
  return `${stage} is protected: set isProtected to false for ${stage} in infra/settings.ts, run npx cdktf deploy "*" once (the protection stands in the state), then repeat this`;
}

/** The exit code of the CLI; a state bucket that is gone means that an earlier teardown was finished by hand. */
async function takeDown(gcloud: Gcloud, settings: Settings, { environment, say }: Terminal): Promise<number> {
  const { stateBucket } = settings;
  if (stateBucket !== null) {
    const bucket = await describe(gcloud, ["storage", "buckets", "describe", `gs://${stateBucket}`]);
    if (bucket === undefined) {
      say(`gs://${stateBucket} does not exist, so there is no state and nothing for cdktf to destroy`);
      return 0;
    }
  }
  const code = await destroyStacks(environment);
  for (const line of raiseGeneration(environment, settings)) say(line);
  return code;
}

function report(left: readonly Survivor[], { say }: Terminal): void {
  if (left.length === 0) say("\nNothing is left.");
  for (const kept of [false, true]) {
    const some = left.filter(({ isKept }) => isKept === kept);
    if (some.length > 0) say(kept ? "\nKept on purpose:" : "\nStill there:");
    for (const { what, why, remove } of some) say(`  ${what} (${why})\n      ${remove}`);
  }
}

if (import.meta.main) {
  await runMain("teardown", (terminal) => {
    return teardown(process.argv.slice(2), terminal, () => synthesizedStacks(terminal.environment));
  });
}
