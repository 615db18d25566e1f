// `npm run demo-merchant`: the account that demonstrations use, and a key of it. Run again, it changes nothing.
// It must never make a second key while one works, nor show one that was made before.

import { parseArgs } from "node:util";
import { type KeyDoor, laptopDoor, stageDoor } from "./api-key-doors.ts";

const USAGE = `npm run demo-merchant -- [--stage] [--new-key]

  makes the account ${"`demo-merchant`"} and a key, which is shown once; where there is a key that works, it only says so
  --new-key  revokes the keys there are and makes another
  --stage    on the deployed stage, with your application-default credentials, instead of on the running laptop`;

const ACCOUNT = "demo-merchant";

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (asked === undefined) return complain(USAGE);
  try {
    const door = asked.stage ? await stageDoor(process.env) : laptopDoor(process.env);
    try {
      await ensureMerchant(door, asked.newKey);
    } finally {
      await door.close();
    }
    return 0;
  } catch (error) {
    return complain(`demo-merchant: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function ensureMerchant(door: KeyDoor, newKey: boolean): Promise<void> {
  const live = (await door.list(ACCOUNT)).filter(({ revokedAtMs }) => revokedAtMs === null);
  const [newest] = live;
  if (newest !== undefined && !newKey) {
    say(`${ACCOUNT} has a key that ends in ${newest.lastFour}; --new-key replaces it`);
    return;
  }
  // The new one first: between the two steps the merchant has one key too many, and never none.
  const secret = await door.create(ACCOUNT);
  for (const { lastFour } of live) await door.revoke(ACCOUNT, lastFour);
  say(secret);
  say(`# the key of ${ACCOUNT}; it is not stored and cannot be shown again`);
}

function read(args: string[]): { stage: boolean; newKey: boolean } | undefined {
  try {
    const { values } = parseArgs({ args, options: { stage: { type: "boolean" }, "new-key": { type: "boolean" } } });
    return { stage: values.stage ?? false, newKey: values["new-key"] ?? false };
  } catch {
    return undefined;
  }
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
