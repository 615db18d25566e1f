// A door for the project's own scripts into the running laptop: API keys of its accounts, a look through its ledger.
// It must never listen beyond loopback, nor answer without the token that only this user's file holds.

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import type { ApiKey } from "../functions/domain/accounts.ts";
import { hasCode } from "../functions/domain/errors.ts";
import type { SealAnchor } from "../functions/domain/seal.ts";
import { createFrontDoorServer } from "../functions/edge/install-front-door.ts";
import { type KeyDeskRequest, keyDesk } from "../functions/edge/key-desk.ts";
import { type DeskRequest, operatorDesk } from "../functions/edge/operator-desk.ts";
import { headerValues, jsonResponse, type WireRequest, type WireResponse } from "../functions/edge/wire.ts";
import type { History } from "../functions/flows/history-ports.ts";
import { createApiKey, listApiKeys, revokeApiKeys } from "../functions/flows/manage-api-keys.ts";
import { planRedriveOf, runRedrive } from "../functions/flows/redrive-events.ts";
import { verifyLedger } from "../functions/flows/verify-ledger.ts";
import type { Host } from "./host.ts";
import { listenFrom } from "./listen.ts";

/** Opens the door and writes where it is into `file`, readable by this user only; `close` takes both away. */
export async function openControl(stores: Stores, file: string): Promise<{ close(): void }> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const server = createFrontDoorServer((request) => answer(stores, token, request));
  const port = await listenFrom(server, undefined);
  mkdirSync(dirname(file), { recursive: true });
  // A file of an earlier laptop may have wider rights, and writing keeps them.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ url: `http://127.0.0.1:${port}`, token }), { mode: 0o600 });
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
      // Another laptop may have put its own address there since.
      if (isOurs(file, token)) rmSync(file, { force: true });
    },
  };
}

/** Where scripts look for it. LAPTOP_FOLDER puts it elsewhere, so that two laptops of one checkout can both be reached. */
export function controlFile(environment: NodeJS.ProcessEnv): string {
  return join(environment["LAPTOP_FOLDER"] ?? join(import.meta.dirname, "..", ".laptop"), "control.json");
}

/** 192 bits, so that another user of this machine cannot guess it. */
const TOKEN_BYTES = 24;

function isOurs(file: string, token: string): boolean {
  try {
    return readFileSync(file, "utf8").includes(token);
  } catch {
    return false;
  }
}

async function answer(stores: Stores, token: string, request: WireRequest): Promise<WireResponse> {
  if (headerValues(request, "authorization")[0] !== `Bearer ${token}`)
    return jsonResponse(401, { error: "wrong token" });
  const verb = verbs[request.target];
  if (request.method !== "POST" || verb === undefined) return jsonResponse(404, { error: "unknown verb" });
  return jsonResponse(200, await verb(stores, JSON.parse(request.body.toString("utf8"))));
}

type Stores = Pick<
  Host,
  | "accounts"
  | "ledger"
  | "balances"
  | "seals"
  | "reconciliation"
  | "operators"
  | "callJob"
  | "deadLetters"
  | "publisher"
  | "stories"
  | "cache"
  | "deliveries"
> & { history?: Pick<History, "keyLines"> };

type Asked = {
  accountName: string;
  lastFour: string | null;
  anchors?: readonly SealAnchor[];
  plan?: string;
} & DeskRequest &
  Pick<KeyDeskRequest, "key">;

const verbs: Readonly<Record<string, (stores: Stores, asked: Asked) => Promise<unknown>>> = {
  "/api-keys/create": async ({ accounts }, { accountName }) => {
    const { secret, key } = await createApiKey({ accounts, clock: systemClock, random: systemRandom }, accountName);
    return { secret, key: shown(key) };
  },
  "/api-keys/list": async ({ accounts }, { accountName }) => ({
    keys: (await listApiKeys({ accounts }, accountName)).map(shown),
  }),
  "/api-keys/revoke": async ({ accounts }, { accountName, lastFour }) => ({
    revoked: await revokeApiKeys({ accounts, clock: systemClock }, { accountName, lastFour }),
  }),
  "/reconcile": async ({ reconciliation, callJob }) => ({
    went: await callJob("/reconcile"),
    breaks: await reconciliation.openBreaks(null, BREAKS_MAX),
  }),
  "/attempt": async ({ ledger, operators, reconciliation }, asked) =>
    await operatorDesk({ ledger, operators, reconciliation, clock: systemClock, random: systemRandom }, asked),
  "/key": async ({ history = null, ...stores }, { accountName, key }) =>
    await keyDesk({ ...stores, history, clock: systemClock }, { accountName, key }),
  "/redrive-events/plan": async ({ deadLetters }) => await planRedriveOf(deadLetters),
  "/redrive-events/run": async (stores, { plan = "" }) => await redriven(stores, plan),
  "/verify-ledger": async ({ ledger, balances, seals }, { anchors = [] }) =>
    await verifyLedger({ ledger, balances, seals, clock: systemClock, log: () => {} }, { anchors }),
};

/** A refusal is an answer: the door itself would show no more than a status. */
async function redriven({ deadLetters, publisher }: Stores, plan: string) {
  try {
    return { receipt: await runRedrive({ deadLetters, publisher, clock: systemClock }, plan) };
  } catch (error) {
    if (hasCode(error, "parameter_invalid")) return { refusal: error.message };
    throw error;
  }
}

/** What a terminal shows at once. */
const BREAKS_MAX = 100;

/** A key without its digest. */
function shown({ accountId, lastFour, createdAtMs, revokedAtMs }: ApiKey) {
  return { accountId, lastFour, createdAtMs, revokedAtMs };
}
