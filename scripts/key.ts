// `npm run key -- KEY`: the life of one idempotency key, of the running laptop or of a deployed stage.
// It must never write anything, nor show more of a key's answer than its status and its size.

import { parseArgs } from "node:util";
import { keyDoor } from "./key/door.ts";
import { storyLines } from "./key/story-lines.ts";
import { messageOf, runMain, type Terminal } from "./terminal.ts";

const USAGE = `npm run key -- KEY [--account NAME] [--stage] [--json]

  KEY        the Idempotency-Key as the client sent it; put it behind -- when it begins with a dash
  --account  name of the account that sent it; on the laptop it is \`laptop\`, the one of the key that npm start prints
  --stage    asks the deployed stage that stage.local.json or STAGE, PROJECT_ID and PREFIX name, with your
             application-default credentials, instead of the laptop that \`npm start\` runs; needs --account
  --json     prints what the API would answer, and the lines of the logs`;

/** What a person typed after `--`. Returns the exit code: 2 for a command line that is not understood, 1 for a failure. */
export async function key(args: readonly string[], { environment, say, complain }: Terminal): Promise<number> {
  let asked: Asked;
  try {
    asked = read(args);
  } catch (error) {
    complain(`key: ${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (asked.help) {
    say(USAGE);
    return 0;
  }
  try {
    const door = await keyDoor(environment, asked.stage);
    const { life, lines = null, refused } = await door.ask({ accountName: asked.account, key: asked.key });
    if (life === undefined) throw new Error(refused ?? "nothing was answered");
    if (asked.json) say(JSON.stringify({ life, lines }, null, 2));
    else for (const line of storyLines({ life, lines }, { ...asked, withoutLogs: door.withoutLogs })) say(line);
    return 0;
  } catch (error) {
    complain(`key: ${messageOf(error)}`);
    return 1;
  }
}

type Asked = { help: boolean; key: string; account: string; stage: boolean; json: boolean };

/** Account that the key of the laptop's first line belongs to. */
const laptopAccount = "laptop";

function read(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      account: { type: "string" },
      stage: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const { account, stage = false, json = false, help = false } = values;
  const [text, ...more] = positionals;
  if (help) return { help, key: "", account: "", stage, json };
  if (text === undefined || text === "") throw new Error("KEY is missing");
  if (more.length > 0) throw new Error("one KEY at a time; put quotes around one with blanks");
  if (stage && account === undefined) throw new Error("--stage needs --account NAME");
  return { help, key: text, account: account ?? laptopAccount, stage, json };
}

if (import.meta.main) await runMain("key", (terminal) => key(process.argv.slice(2), terminal));
