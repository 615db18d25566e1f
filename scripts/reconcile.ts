// `npm run reconcile`: matches the acquirer's list, the attempts and the books now, and prints the breaks that stand.
// It must never repair anything, nor exit with 0 while a break stands.

import { parseArgs } from "node:util";
import { systemClock } from "../functions/adapters/system.ts";
import type { Break } from "../functions/domain/reconcile.ts";
import { type Reconciled, reconcile } from "../functions/flows/reconcile.ts";
import { laptopCall, openStageLedger } from "./doors.ts";

const USAGE = `npm run reconcile -- [--days N] [--stage]

  Holds the acquirer's list of the last two days, our attempts and our books against each other, and keeps the table of
  breaks. Exits with 0 when no break stands, with 1 when one does, and with 2 when it could not read to the end.
  --stage   the deployed stage that STAGE, PROJECT_ID and PREFIX name, with your application-default credentials,
            instead of the laptop that \`npm start\` runs. It asks the acquirer itself: ACQUIRER_URL, ACQUIRER_SECRET,
            and ACQUIRER_IDENTITY_TOKEN where the acquirer is closed to the world
  --days N  1 to 90 days instead of two; with --stage only`;

/** Printed at once; the rest stands in the table. */
const printedMax = 100;

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (asked === undefined) return complain(USAGE, 2);
  try {
    const { went, breaks } = await (asked.stage ? reconcileStage(asked.days) : reconcileLaptop());
    for (const { subject, kind, intentId, detail } of breaks) {
      process.stdout.write(`${kind} ${subject}${intentId === null ? "" : ` of ${intentId}`}: ${detail}\n`);
    }
    const told = `matched ${went.orders} orders and ${went.attempts} attempts: ${went.open} breaks stand, ${went.opened} of them new, ${went.closed} are gone`;
    return went.open === 0 ? say(told) : complain(told, 1);
  } catch (error) {
    return complain(`reconcile: ${error instanceof Error ? error.message : String(error)}`, 2);
  }
}

type Outcome = { went: Reconciled; breaks: readonly Break[] };

async function reconcileLaptop(): Promise<Outcome> {
  return await laptopCall(process.env)<Outcome>("/reconcile", {});
}

async function reconcileStage(days: number): Promise<Outcome> {
  const acquirer = await stageAcquirer(process.env);
  const opened = await openStageLedger(process.env);
  try {
    const { spannerReconciliation } = await import("../functions/adapters/spanner-reconciliation.ts");
    const { spannerLedger } = await import("../functions/adapters/spanner-ledger.ts");
    const store = spannerReconciliation(opened);
    const deps = {
      store,
      ledger: spannerLedger(opened),
      acquirer,
      listing: acquirer,
      clock: systemClock,
      log: () => {},
    };
    // A person waits for it, so it may take as long as it takes.
    const went = await reconcile(deps, { backMs: days * dayMs, msMax: Number.POSITIVE_INFINITY });
    return { went, breaks: await store.openBreaks(null, printedMax) };
  } finally {
    await opened.close();
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** What only the functions hold otherwise; docs/runbooks.md says where a person gets it. */
async function stageAcquirer(environment: NodeJS.ProcessEnv) {
  const { ACQUIRER_URL: baseUrl = "", ACQUIRER_SECRET: secret = "" } = environment;
  if (baseUrl === "" || secret === "") throw new Error("--stage needs ACQUIRER_URL and ACQUIRER_SECRET");
  const token = environment["ACQUIRER_IDENTITY_TOKEN"];
  const { httpAcquirer } = await import("../functions/adapters/acquirer.ts");
  return httpAcquirer({ baseUrl, secret, identityToken: token === undefined ? undefined : async () => token });
}

/** Undefined for a command line that is not understood whole. */
function read(args: string[]): { stage: boolean; days: number } | undefined {
  try {
    const { values } = parseArgs({ args, options: { stage: { type: "boolean" }, days: { type: "string" } } });
    const { stage = false, days } = values;
    if (days === undefined) return { stage, days: 2 };
    return stage && /^[1-9]\d?$/.test(days) && Number(days) <= 90 ? { stage, days: Number(days) } : undefined;
  } catch {
    return undefined;
  }
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
