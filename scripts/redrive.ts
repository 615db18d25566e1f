// `npm run redrive`: sends again what was given up, by a plan that a person has seen first.
// It must never send without a plan, nor anything that the plan does not name.

import { parseArgs } from "node:util";
import { redriveEvents } from "./redrive/events.ts";
import type { RedrivePlace, RedriveSource } from "./redrive/source.ts";
import { redriveWebhooks } from "./redrive/webhooks.ts";
import { messageOf, runMain, type Terminal } from "./terminal.ts";

const USAGE = `npm run redrive -- --from SOURCE (--dry-run | --run PLAN) [--stage] [--url URL --key KEY]

  --from events    events that a consumer gave up: published again to the topic, where every consumer that did its part drops them
  --from webhooks  a merchant's dead deliveries: each gets a new window of three days, through the API at --url with its --key
  --dry-run        shows what would be sent, and the name of that plan; sends nothing
  --run PLAN       sends exactly that plan; when a run died, the same command finishes it; when it is done, it says what it did
  --stage          events of the deployed stage that STAGE, PROJECT_ID and PREFIX name, with your application-default
                   credentials, instead of the laptop that \`npm start\` runs
  --url, --key     base URL of payments-api and a test API key of the merchant; --identity-token TOKEN for a closed one`;

/** What can be sent again, by the word after \`--from\`. */
const sources: Readonly<Record<string, RedriveSource>> = {
  events: redriveEvents,
  webhooks: redriveWebhooks,
};

/** What a person typed after `--`. Returns the exit code: 2 for a command line that is not understood, 1 for a failure. */
export async function redrive(args: readonly string[], { environment, say, complain }: Terminal): Promise<number> {
  let asked: Asked;
  try {
    asked = read(args, environment);
  } catch (error) {
    complain(`redrive: ${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (asked === "help") {
    say(USAGE);
    return 0;
  }
  try {
    const { source, place, plan } = asked;
    const lines = plan === null ? await source.dryRun(place) : await source.run(place, plan);
    for (const line of lines) say(line);
    return 0;
  } catch (error) {
    complain(`redrive: ${messageOf(error)}`);
    return 1;
  }
}

/** `plan` is null for a dry run. */
type Asked = "help" | { source: RedriveSource; place: RedrivePlace; plan: string | null };

function read(args: readonly string[], environment: NodeJS.ProcessEnv): Asked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: "string" },
      "dry-run": { type: "boolean" },
      run: { type: "string" },
      stage: { type: "boolean" },
      url: { type: "string" },
      key: { type: "string" },
      "identity-token": { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return "help";
  const known = Object.keys(sources).join(", ");
  if (values.from === undefined) throw new Error(`--from is missing; it may be ${known}`);
  const source = Object.hasOwn(sources, values.from) ? sources[values.from] : undefined;
  if (source === undefined) throw new Error(`--from may be ${known}, not ${values.from}`);
  const isDry = values["dry-run"] ?? false;
  if (isDry === (values.run !== undefined)) throw new Error("one of --dry-run and --run PLAN is needed");
  if (values.run !== undefined && !/^[0-9a-f]{16}$/.test(values.run))
    throw new Error("--run takes the plan that a dry run named: 16 digits and letters a to f");
  if (values.url !== undefined && !/^https?:\/\/[^/]/.test(values.url))
    throw new Error("--url must begin with http:// or https://");
  const { url, key, "identity-token": identityToken } = values;
  const place = { environment, stage: values.stage ?? false, url: url?.replace(/\/$/, ""), key, identityToken };
  return { source, place, plan: values.run ?? null };
}

if (import.meta.main) await runMain("redrive", (terminal) => redrive(process.argv.slice(2), terminal));
