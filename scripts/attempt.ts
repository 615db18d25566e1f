// `npm run attempt -- list|show|propose|confirm|accept-break`: what two persons say of an attempt that no machine can end,
// or of a break that does not go away.
// It must never write anything without --run, nor touch an attempt: the sweep carries out what was confirmed.

import { parseArgs } from "node:util";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import type { OperatorAction } from "../functions/domain/operator-action.ts";
import type { Break } from "../functions/domain/reconcile.ts";
import { type DeskAnswer, type DeskRequest, operatorDesk, type ShownAttempt } from "../functions/edge/operator-desk.ts";
import { laptopCall, openStageLedger } from "./doors.ts";

const USAGE = `npm run attempt -- list
npm run attempt -- show ATTEMPT
npm run attempt -- propose ATTEMPT --happened REFERENCE|--not-happened --reason TEXT --by NAME [--run]
npm run attempt -- confirm ACTION --by NAME [--run]
npm run attempt -- accept-break SUBJECT --kind KIND --by NAME [--reason TEXT] [--run]

  list     attempts to move money that have no end after a quarter of an hour
  show     one of them, and what was said of it
  propose  says that the acquirer carried it out, under its reference, or that it did not; first look at the acquirer
  confirm  another person agrees; ledger-writer asks the acquirer once more and carries it out within a minute or two
  accept-break  a break is dealt with though it stays: one person says why, then another one agrees, without a reason
  --run    writes; without it the command says what it would write
  --stage  talks to the deployed stage that stage.local.json or STAGE, PROJECT_ID and PREFIX name, with your
           application-default credentials, instead of to the laptop that \`npm start\` runs`;

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (asked === undefined) return complain(USAGE, 2);
  try {
    const {
      attempts = [],
      actions = [],
      breaks = [],
      refused,
    } = await (asked.stage ? askStage : askLaptop)(asked.request);
    if (refused !== undefined) return complain(`attempt: ${refused}`, 1);
    for (const attempt of attempts) say(attemptText(attempt));
    for (const action of actions) say(actionText(action));
    for (const each of breaks) say(breakText(each));
    if (asked.request.verb === "list" && attempts.length === 0) say("no attempt is stuck");
    const writes = !["list", "show"].includes(asked.request.verb);
    if (writes && asked.request.run !== true) say("nothing was written: this was a dry run, --run writes it");
    return 0;
  } catch (error) {
    return complain(`attempt: ${error instanceof Error ? error.message : String(error)}`, 2);
  }
}

async function askLaptop(request: DeskRequest): Promise<DeskAnswer> {
  return await laptopCall(process.env)<DeskAnswer>("/attempt", request);
}

async function askStage(request: DeskRequest): Promise<DeskAnswer> {
  const opened = await openStageLedger(process.env);
  try {
    const { spannerLedger } = await import("../functions/adapters/spanner-ledger.ts");
    const { spannerOperators } = await import("../functions/adapters/spanner-operators.ts");
    const { spannerReconciliation } = await import("../functions/adapters/spanner-reconciliation.ts");
    const reconciliation = spannerReconciliation(opened);
    const stores = { ledger: spannerLedger(opened), operators: spannerOperators(opened), reconciliation };
    return await operatorDesk({ ...stores, clock: systemClock, random: systemRandom }, request);
  } finally {
    await opened.close();
  }
}

function attemptText({ id, kind, state, amountMinor, currency, intentId, createdAtMs }: ShownAttempt): string {
  return `${id}  ${kind} of ${amountMinor} ${currency} for ${intentId}, ${state}, begun ${timeOf(createdAtMs)}`;
}

function actionText(action: OperatorAction): string {
  const { id, verdict, reference, reason, state, attemptId } = action;
  const says = verdict === "happened" ? `it happened, as ${reference}` : "it did not happen";
  const proposed = `${action.proposedBy} at ${timeOf(action.proposedAtMs)}: ${says}, because: ${reason}`;
  const confirmed =
    action.confirmedAtMs === null ? "" : `\n  confirmed by ${action.confirmedBy} at ${timeOf(action.confirmedAtMs)}`;
  const result = action.endedAtMs === null ? "" : `\n  ${state} at ${timeOf(action.endedAtMs)}: ${action.result}`;
  return `${id}  about ${attemptId}, ${state}\n  ${proposed}${confirmed}${result}`;
}

function breakText({ subject, kind, detail, acceptedBy, acceptedReason, acceptanceConfirmedBy }: Break): string {
  const agreed = acceptanceConfirmedBy === null ? "a second person must agree" : `${acceptanceConfirmedBy} agreed`;
  return `${kind} of ${subject}: ${detail}\n  accepted by ${acceptedBy}, because: ${acceptedReason}; ${agreed}`;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Undefined for a command line that is not understood whole. */
function read(args: string[]): { request: DeskRequest; stage: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [verb = "", subject, ...more] = positionals;
    const { stage = false, run = false, reason, by, kind, happened, "not-happened": isNot = false } = values;
    const wants = Object.hasOwn(subjects, verb) ? subjects[verb] : undefined;
    if (wants === undefined || more.length > 0 || (subject !== undefined) !== (wants !== "none")) return undefined;
    if (verb === "propose" && (happened !== undefined) === isNot) return undefined;
    const verdict = isNot ? { verdict: "not_happened" } : { verdict: "happened", reference: happened ?? "" };
    if ((verb === "accept-break") !== (kind !== undefined)) return undefined;
    const said = {
      ...(kind === undefined ? {} : { kind }),
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      run,
    };
    const about = subject === undefined ? {} : { [wants]: subject };
    return { request: { verb, ...about, ...said, ...(verb === "propose" ? verdict : {}) }, stage };
  } catch {
    return undefined;
  }
}

const OPTIONS = {
  stage: { type: "boolean" },
  run: { type: "boolean" },
  reason: { type: "string" },
  by: { type: "string" },
  kind: { type: "string" },
  happened: { type: "string" },
  "not-happened": { type: "boolean" },
} as const;

/** What each verb is about. */
const subjects: Readonly<Record<string, "none" | "attempt" | "action" | "subject">> = {
  list: "none",
  show: "attempt",
  propose: "attempt",
  confirm: "action",
  "accept-break": "subject",
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

// Last, because the constants above must exist when it starts.
process.exitCode = await main(process.argv.slice(2));
