// Dead webhook deliveries of a merchant, as a source of redrives: through the API, with the merchant's key.
// It must never write that key down, nor ask for a delivery that the plan does not name.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RedrivePlace, RedriveSource } from "./source.ts";

/** The source. A plan is written down when it is shown, so a run sends what was shown, however often it has to begin again. */
export const redriveWebhooks: RedriveSource = {
  dryRun: async (place) => {
    const deliveries = await deadDeliveries(apiOf(place));
    if (deliveries.length === 0) return ["no delivery waits to be sent again"];
    const plan = { id: planId(deliveries), deliveries, receipt: null };
    writePlan(place, plan);
    return [
      `${counted(deliveries.length)} would be sent again, each for three days more:`,
      ...deliveries.map(lineOf),
      `plan ${plan.id}`,
      `npm run redrive -- --from webhooks --run ${plan.id} --url ${apiOf(place).url} --key KEY`,
    ];
  },
  run: async (place, id) => {
    const plan = readPlan(place, id);
    if (plan.receipt !== null) return [plan.receipt];
    const ends = await redriveAll(apiOf(place), plan);
    const stay = ends.filter(({ end }) => end.kind === "later");
    const lines = ends.filter(({ end }) => end.kind !== "sent").map(endLine);
    if (stay.length > 0)
      return [...lines, `${counted(stay.length)} could not be asked for: run the same command again`];
    const receipt = receiptLine(plan, ends);
    writePlan(place, { ...plan, receipt });
    return [...lines, receipt];
  },
};

/** What of a delivery tells one death from the next: the redrive that opened the window in which it died. */
type Dead = {
  id: string;
  event: string;
  event_type: string;
  webhook_endpoint: string;
  reason: string | null;
  window: string | null;
};
type Plan = { id: string; deliveries: readonly Dead[]; receipt: string | null };
type Api = { url: string; headers: Readonly<Record<string, string>> };
/** `sent` also when an earlier run of this plan did it: the API then gives its first answer again. */
type End = { kind: "sent" } | { kind: "refused" | "later"; why: string };

function apiOf({ url, key, identityToken }: RedrivePlace): Api {
  if (url === undefined || key === undefined)
    throw new Error("--from webhooks needs --url and --key of the payments API");
  // A closed service takes the platform's token in the usual header and the API key in the other one, as `npm run smoke` does.
  const closed = identityToken === undefined ? {} : { "X-Serverless-Authorization": `Bearer ${identityToken}` };
  return { url, headers: { Authorization: `Bearer ${key}`, ...closed } };
}

async function deadDeliveries(api: Api): Promise<Dead[]> {
  const found: Dead[] = [];
  let after = "";
  while (found.length < DELIVERIES_MAX) {
    const page = await readPage(api, after);
    found.push(
      ...page.data.map(({ dead_letter_reason: reason, redrive: window, ...rest }) => ({
        ...pick(rest),
        reason,
        window,
      })),
    );
    if (!page.has_more) break;
    after = `&starting_after=${found.at(-1)?.id}`;
  }
  return found.slice(0, DELIVERIES_MAX).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** As many as a person can answer for in one go; what is left waits for the next plan. */
const DELIVERIES_MAX = 5_000;

type Page = { data: readonly WireDead[]; has_more: boolean };
type WireDead = Omit<Dead, "reason" | "window"> & { dead_letter_reason: string | null; redrive: string | null };

async function readPage(api: Api, after: string): Promise<Page> {
  const { status, body } = await ask(api, "GET", `/v1/webhook_deliveries?status=dead&limit=100${after}`);
  if (status !== 200) throw new Error(`the API answered ${status}: ${messageIn(body)}`);
  return body as Page;
}

function pick({ id, event, event_type, webhook_endpoint }: Omit<Dead, "reason" | "window">) {
  return { id, event, event_type, webhook_endpoint };
}

function planId(deliveries: readonly Dead[]): string {
  const what = deliveries.map(({ id, window }) => [id, window]);
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 16);
}

/** One after the other: a merchant that was away for days is not to be met by all of it at once. */
async function redriveAll(api: Api, { id, deliveries }: Plan): Promise<{ of: Dead; end: End }[]> {
  const ends: { of: Dead; end: End }[] = [];
  for (const of of deliveries) ends.push({ of, end: await redriveOne(api, id, of.id) });
  return ends;
}

/** The key names plan and delivery: asked again, after a crash too, the API does nothing and gives its first answer. */
async function redriveOne(api: Api, plan: string, delivery: string): Promise<End> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body } = await ask(
      api,
      "POST",
      `/v1/webhook_deliveries/${delivery}/redrive`,
      `redrive-${plan}-${delivery}`,
    );
    if (status === 200) return { kind: "sent" };
    const isLater = status === 409 || status === 429 || status >= 500;
    if (!isLater) return { kind: "refused", why: messageIn(body) };
    if (attempt === ATTEMPTS_MAX) return { kind: "later", why: messageIn(body) };
    await delay(PAUSE_MS * attempt);
  }
}

/** A limit of requests refills within a second; what is still refused then is left to the next run. */
const ATTEMPTS_MAX = 3;
const PAUSE_MS = 500;

async function ask({ url, headers }: Api, method: string, path: string, key?: string) {
  const keyed: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`${url}${path}`, { method, headers: { ...headers, ...keyed }, signal }).catch(() => {
    throw new Error(
      `there is no answer from ${url}; what was asked for is kept in the plan: run the same command again`,
    );
  });
  return { status: response.status, body: (await response.json().catch(() => null)) as unknown };
}

/** The API answers in seconds at most; longer is a broken line. */
const ANSWER_MS = 30_000;

function messageIn(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string } };
  return error?.message ?? "no reason given";
}

function lineOf({ id, event, event_type, webhook_endpoint, reason }: Dead): string {
  return `  ${id}  ${event_type}  ${event}  to ${webhook_endpoint}  ${reason ?? "unknown"}`;
}

function endLine({ of, end }: { of: Dead; end: End }): string {
  return `  ${of.id}  not sent: ${end.kind === "sent" ? "" : end.why}`;
}

function receiptLine({ id, deliveries }: Plan, ends: readonly { end: End }[]): string {
  const sent = ends.filter(({ end }) => end.kind === "sent").length;
  const what = `${counted(sent)} sent again, ${deliveries.length - sent} refused`;
  return `plan ${id} done ${new Date().toISOString()}: ${what}`;
}

function counted(count: number): string {
  return `${count} ${count === 1 ? "delivery" : "deliveries"}`;
}

function writePlan(place: RedrivePlace, plan: Plan): void {
  const file = planFile(place, plan.id);
  mkdirSync(join(file, ".."), { recursive: true });
  // Renamed into place, so that whoever dies while writing leaves the old one or the new one.
  writeFileSync(`${file}.new`, JSON.stringify(plan), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readPlan(place: RedrivePlace, id: string): Plan {
  try {
    return JSON.parse(readFileSync(planFile(place, id), "utf8")) as Plan;
  } catch {
    throw new Error(`there is no plan ${id} on this machine: --dry-run shows what waits and names a plan`);
  }
}

function planFile({ environment }: RedrivePlace, id: string): string {
  const folder = environment["LAPTOP_FOLDER"] ?? join(import.meta.dirname, "..", "..", ".laptop");
  return join(folder, "redrives", `webhooks-${id}.json`);
}
