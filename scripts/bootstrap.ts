// `npm run bootstrap -- --project P --region R --stage dev`: what a project needs before its first deploy, and where this
// clone is deployed. It must never change what is right already, and never let a secret's value be seen.

import { apis } from "./bootstrap/apis.ts";
import { placeFrom, USAGE } from "./bootstrap/flags.ts";
import { github } from "./bootstrap/github.ts";
import { secrets } from "./bootstrap/secrets.ts";
import { saveStageFile } from "./bootstrap/stage-file.ts";
import { stateBucket } from "./bootstrap/state-bucket.ts";
import { execSteps, type Place } from "./bootstrap/steps.ts";
import { gcloudFor } from "./gcloud.ts";
import { messageOf, runMain, type Terminal } from "./terminal.ts";

/** What a person typed after `--`. Returns the exit code: 2 for a command line that is not understood, 1 for a failed step. */
export async function bootstrap(args: readonly string[], terminal: Terminal): Promise<number> {
  const { environment, say, complain } = terminal;
  if (args.includes("--help")) {
    say(USAGE);
    return 0;
  }
  let place: Place;
  try {
    place = placeFrom(args, environment);
  } catch (error) {
    complain(`bootstrap: ${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  try {
    const steps = [apis(place), stateBucket(place), secrets(place), github(place), saveStageFile(place)];
    await execSteps(gcloudFor(place.file.projectId, terminal), steps.flat(), say);
    say(`\nNext: npm run doctor, then npx cdktf deploy "*"`);
    return 0;
  } catch (error) {
    complain(`bootstrap: ${messageOf(error)}\nWhat was made is kept, so it can be repeated.`);
    return 1;
  }
}

if (import.meta.main) await runMain("bootstrap", (terminal) => bootstrap(process.argv.slice(2), terminal));
