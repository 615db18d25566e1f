// `npm run api-key -- create|list|revoke --account NAME`: the API keys of the running laptop, or of a deployed stage.
// It must never show a key twice, nor write one anywhere but to the terminal of the person who made it.

import { parseArgs } from "node:util";
import { type KeyDoor, laptopDoor, stageDoor } from "./api-key-doors.ts";

const USAGE = `npm run api-key -- create|list|revoke --account NAME [--last-four XXXX] [--stage]

  create   makes a key, and the account if there is none; the key is shown once
  list     shows the last four characters of each key, and whether it was revoked
  revoke   revokes the account's keys, or with --last-four the one that ends so; they stop working within 60 s
  --stage  talks to the deployed stage that stage.local.json or STAGE, PROJECT_ID and PREFIX name, with your
           application-default credentials, instead of to the laptop that \`npm start\` runs`;

async function main(args: string[]): Promise<number> {
  const request = read(args);
  if (request === undefined) return complain(USAGE);
  try {
    const door = request.stage ? await stageDoor(process.env) : laptopDoor(process.env);
    try {
      await verbs[request.verb](door, request);
    } finally {
      await door.close();
    }
    return 0;
  } catch (error) {
    return complain(`api-key: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Request = { verb: keyof typeof verbs; account: string; lastFour: string | null; stage: boolean };

/** What each verb does and says. */
const verbs = {
  create: async (door: KeyDoor, { account }: Request) => {
    const secret = await door.create(account);
    say(`${secret}`);
    say(`# the key of ${account}; it is not stored and cannot be shown again`);
  },
  list: async (door: KeyDoor, { account }: Request) => {
    const keys = await door.list(account);
    if (keys.length === 0) say(`${account} has no keys`);
    for (const { lastFour, createdAtMs, revokedAtMs } of keys) {
      const state = revokedAtMs === null ? "live" : `revoked ${new Date(revokedAtMs).toISOString()}`;
      say(`sk_test_…${lastFour}  created ${new Date(createdAtMs).toISOString()}  ${state}`);
    }
  },
  revoke: async (door: KeyDoor, { account, lastFour }: Request) => {
    const revoked = await door.revoke(account, lastFour);
    say(`revoked ${revoked} ${revoked === 1 ? "key" : "keys"} of ${account}`);
  },
};

/** Undefined for a command line that is not understood whole. */
function read(args: string[]): Request | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { account: { type: "string" }, "last-four": { type: "string" }, stage: { type: "boolean" } },
    });
    const [verb = "", ...more] = positionals;
    const { account, "last-four": lastFour = null, stage = false } = values;
    if (!isVerb(verb) || more.length > 0 || account === undefined || account === "") return undefined;
    return { verb, account, lastFour, stage };
  } catch {
    return undefined;
  }
}

function isVerb(text: string): text is keyof typeof verbs {
  return Object.hasOwn(verbs, text);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
