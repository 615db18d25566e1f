// `npm run demo-merchant`: the account that demonstrations use, and a key of it; on a stage also the shop's key.
// It must never make a second key while one works, nor show one that was made before. Run again, it changes nothing.

import { parseArgs } from "node:util";
import { readSettings } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";
import { type KeyDoor, laptopDoor, stageDoor } from "./api-key-doors.ts";
import { gcloudFor } from "./gcloud.ts";
import { ensureShopKey } from "./shop-key.ts";

const USAGE = `npm run demo-merchant -- [--stage] [--new-key]

  makes the account ${"`demo-merchant`"} and a key, which is shown once; where there is a key that works, it only says so
  --new-key  revokes the keys there are and makes another
  --stage    on the deployed stage, with your application-default credentials, instead of on the running laptop; there it
             also lets the sample shop pay, whose key follows from a secret that bootstrap made`;

const ACCOUNT = "demo-merchant";

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (asked === undefined) return complain(USAGE);
  try {
    await (asked.stage ? onStage(asked.newKey) : onLaptop(asked.newKey));
    return 0;
  } catch (error) {
    return complain(`demo-merchant: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The laptop makes its shop's key known by itself, at each start. */
async function onLaptop(newKey: boolean): Promise<void> {
  const door = laptopDoor(process.env);
  try {
    await ensureMerchant(door, newKey);
  } finally {
    await door.close();
  }
}

async function onStage(newKey: boolean): Promise<void> {
  const door = await stageDoor(process.env);
  try {
    await ensureMerchant(door, newKey);
    const settings = readSettings(withStageFile(process.env), null);
    const said = await ensureShopKey(settings, {
      gcloud: gcloudFor(settings.projectId, { environment: process.env }),
      register: door.register,
    });
    if (said !== null) say(`# ${said}`);
  } finally {
    await door.close();
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
