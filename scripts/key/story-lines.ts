// The life of a key as lines for a terminal: what it is, and what happened when, the stores' steps and the logs' lines together.
// It must never print a control character that somebody else wrote.

import type { KeyDeskAnswer } from "../../functions/edge/key-desk.ts";
import type { WireKeyLife } from "../../functions/edge/serialize-life.ts";
import type { KeyLine } from "../../functions/flows/history-ports.ts";

/** The lines; `withoutLogs` is what to say where no log could be asked. */
export function storyLines(
  { life, lines }: Required<Pick<KeyDeskAnswer, "life" | "lines">>,
  asked: { readonly key: string; readonly account: string; readonly withoutLogs: (keyId: string) => string },
): string[] {
  const told = [
    ...life.story.map(({ at_ms: atMs, text }) => ({ atMs, text })),
    ...(lines ?? []).map((line) => ({ atMs: line.atMs, text: lineText(line) })),
  ].sort((one, other) => one.atMs - other.atMs);
  const past = told.filter(({ atMs }) => atMs <= life.read_at_ms);
  const future = told.filter(({ atMs }) => atMs > life.read_at_ms);
  return [
    ...summary(life, asked),
    "",
    ...past.map(storyLine),
    ...(future.length === 0 ? [] : ["", "to come:", ...future.map(storyLine)]),
    "",
    ...(lines === null ? [asked.withoutLogs(life.key_id)] : [countsOf(lines)]),
  ].map(printable);
}

function summary(
  { record, claim, claim_read: read, state, key_id: id }: WireKeyLife,
  asked: { key: string; account: string },
) {
  const cache = claim === null ? { none: "no claim", unknown: "did not answer" }[read as "none" | "unknown"] : "";
  return [
    `key      ${asked.key} of ${asked.account}: ${state}`,
    `id       ${id}`,
    ...(record === null
      ? []
      : [`request  ${record.method} ${record.path}, first as ${record.request}${ofWhat(record)}`]),
    ...(record === null
      ? []
      : [`ledger   generation ${record.generation}, held by ${record.owner}…, ${answerOf(record)}`]),
    `cache    ${claim === null ? cache : `${claim.state}, generation ${claim.generation}, held by ${claim.owner}…`}`,
  ];
}

type Recorded = NonNullable<WireKeyLife["record"]>;

function ofWhat({ resource }: Recorded): string {
  return resource === null ? "" : `, about ${resource}`;
}

function answerOf({ outcome, lease_until_ms: leaseUntilMs, expires_at_ms: expiresAtMs }: Recorded): string {
  if (outcome === null) return `no answer yet, lease until ${timeOf(leaseUntilMs)}`;
  const kept = outcome.body_bytes === null ? "too large to keep" : `${outcome.body_bytes} bytes`;
  const secret = outcome.body_encrypted ? ", encrypted" : "";
  return `answer ${outcome.status}, ${kept}${secret}, until ${expiresAtMs === null ? "?" : timeOf(expiresAtMs)}`;
}

/** What a line of the logs says, in one sentence; a twin and a replay are such lines. */
function lineText(line: KeyLine): string {
  const facts = [
    line.keyOutcome,
    line.status === null ? null : `status ${line.status}`,
    line.code,
    line.durationMs === null ? null : `${line.durationMs} ms`,
    line.requestId,
    line.originalRequestId === null || line.originalRequestId === line.requestId
      ? null
      : `the answer of ${line.originalRequestId}`,
    line.generation === null ? null : `generation ${line.generation}`,
    line.traceId === null ? null : `trace ${line.traceId}`,
  ].filter((fact) => fact !== null);
  return `log: ${line.service} ${line.message}${facts.length === 0 ? "" : `: ${facts.join(", ")}`}`;
}

/** How often the key was sent, by what came of it. */
function countsOf(lines: readonly KeyLine[]): string {
  const counts = new Map<string, number>();
  for (const { keyOutcome } of lines) {
    if (keyOutcome !== null) counts.set(keyOutcome, (counts.get(keyOutcome) ?? 0) + 1);
  }
  if (counts.size === 0) return "the logs have no request with this key yet";
  return `in the logs: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`;
}

function storyLine({ atMs, text }: { readonly atMs: number; readonly text: string }): string {
  return `${timeOf(atMs)}  ${text}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().replace("T", " ");
}

/** A key, a path or a receiver's answer may hold what moves a terminal's cursor. */
function printable(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  return line.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "\u{fffd}");
}
