/**
 * The history in memory, for tests: what the views and the questions in SQL say, once more in plain code.
 * It must never show a row of another account, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { cursorOf, type HistoryRange, placeIn, requireBounds, requireKeyId } from "../../domain/history-bounds.ts";
import type { DeclineReason, History, HistoryArchive, HistoryQuery } from "../../flows/history-ports.ts";
import {
  addEvent,
  addLine,
  dayOf,
  type EventFact,
  type LineFact,
  newestObjects,
  numberIn,
  objectOf,
  textIn,
} from "./history-facts.ts";
import {
  consumerLagOf,
  deliveryDayOf,
  keyLineOf,
  ledgerRunOf,
  paymentDayOf,
  refundDayOf,
  replayDayOf,
} from "./history-rows.ts";

/** An empty history, and where its rows come in. */
export function memoryHistory(): { readonly history: History; readonly archive: HistoryArchive } {
  const events = new Map<string, EventFact>();
  const lines = new Map<string, LineFact>();
  const archive: HistoryArchive = {
    event: (delivery) => addEvent(events, delivery),
    line: (delivery) => addLine(lines, delivery),
  };
  const own = (accountId: string) => [...events.values()].filter((event) => event.accountId === accountId);
  const linesOf = (accountId: string, message?: string) =>
    [...lines.values()].filter(
      ({ payload }) => payload["accountId"] === accountId && (message === undefined || payload["message"] === message),
    );
  const history: History = {
    paymentDays: async (query) =>
      await byDay(query, newestObjects(own(query.accountId), "payment_intent"), createdOf, currencyOf, paymentDayOf),
    declineReasons: async (query) => await declineReasons(query, own(query.accountId)),
    refundDays: async (query) =>
      await byDay(
        query,
        newestObjects(own(query.accountId), "charge").filter(
          ({ object }) => (numberIn(object, "amount_captured") ?? 0) > 0,
        ),
        createdOf,
        currencyOf,
        refundDayOf,
      ),
    deliveryDays: async (query) => {
      const attempts = linesOf(query.accountId, "webhook attempt").filter(
        ({ payload }) => query.endpointId === null || payload["endpointId"] === query.endpointId,
      );
      return await byDay(query, attempts, writtenOf, (line) => textIn(line.payload, "endpointId"), deliveryDayOf);
    },
    consumerLags: async (query) => {
      const dealt = firstDealings([...lines.values()], events).filter(
        ({ event }) => event.accountId === query.accountId,
      );
      return await byDay(
        query,
        dealt,
        ({ atMs }) => atMs,
        ({ consumer }) => consumer,
        consumerLagOf,
      );
    },
    replayDays: async (query) => {
      const keyed = linesOf(query.accountId, "request").filter(({ payload }) => textIn(payload, "keyOutcome") !== null);
      return await byDay(query, keyed, writtenOf, () => "", replayDayOf);
    },
    keyLines: async (query) => await keyLines(query, linesOf(query.accountId)),
    ledgerRuns: async (query) => {
      await begin(query);
      const runs = newestFirst([...lines.values()]).filter((line) => isInside(query.range, writtenOf(line)));
      return runs.flatMap((line) => ledgerRunOf(line) ?? []).slice(0, query.limit);
    },
  };
  return { history, archive };
}

async function begin(query: Parameters<typeof requireBounds>[0]): Promise<void> {
  requireBounds(query);
  await nextTurn();
}

/** Groups by day and name, newest day first, then by name; rows without either are in no group. */
async function byDay<Row, Day>(
  query: HistoryQuery,
  rows: readonly Row[],
  atMs: (row: Row) => number | null,
  nameOf: (row: Row) => string | null,
  dayOfRows: (dayMs: number, name: string, rows: readonly Row[]) => Day,
): Promise<readonly Day[]> {
  await begin(query);
  const groups = new Map<string, { dayMs: number; name: string; rows: Row[] }>();
  for (const row of rows) {
    const [at, name] = [atMs(row), nameOf(row)];
    if (at === null || name === null || !isInside(query.range, dayOf(at))) continue;
    const key = JSON.stringify([dayOf(at), name]);
    const group = groups.get(key) ?? { dayMs: dayOf(at), name, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()]
    .sort((one, other) => other.dayMs - one.dayMs || (one.name < other.name ? -1 : 1))
    .slice(0, query.limit)
    .map((group) => dayOfRows(group.dayMs, group.name, group.rows));
}

async function declineReasons(query: HistoryQuery, events: readonly EventFact[]): Promise<readonly DeclineReason[]> {
  await begin(query);
  const counts = new Map<string, DeclineReason>();
  for (const { type, occurredAtMs, object } of events) {
    const error = objectOf(object["last_payment_error"]);
    const code = textIn(error, "code");
    if (type !== "payment_intent.payment_failed" || code === null || occurredAtMs === null) continue;
    if (!isInside(query.range, dayOf(occurredAtMs))) continue;
    const declineCode = textIn(error, "decline_code");
    const key = JSON.stringify([code, declineCode]);
    counts.set(key, { code, declineCode, declines: (counts.get(key)?.declines ?? 0) + 1 });
  }
  const nameOf = ({ code, declineCode }: DeclineReason) => `${code} ${declineCode ?? ""}`;
  return [...counts.values()]
    .sort((one, other) => other.declines - one.declines || (nameOf(one) < nameOf(other) ? -1 : 1))
    .slice(0, query.limit);
}

async function keyLines(query: Parameters<History["keyLines"]>[0], lines: readonly LineFact[]) {
  requireKeyId(query.keyId);
  const before = query.before === null ? null : placeIn(query.before);
  await begin(query);
  const isBefore = ({ atMicros, lineId }: LineFact) =>
    before === null || atMicros < before.atMicros || (atMicros === before.atMicros && lineId < before.lineId);
  const found = newestFirst(lines).filter(
    (line) => line.payload["keyId"] === query.keyId && isInside(query.range, writtenOf(line)) && isBefore(line),
  );
  const page = found.slice(0, query.limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  return { lines: page.map(keyLineOf), next: last === undefined ? null : cursorOf(last) };
}

/** The first time that each consumer had dealt with each event; `busy` is no dealing. */
function firstDealings(lines: readonly LineFact[], events: ReadonlyMap<string, EventFact>) {
  const firsts = new Map<string, { event: EventFact; consumer: string; atMs: number }>();
  for (const line of lines) {
    const { payload, entry } = line;
    const event = events.get(textIn(payload, "eventId") ?? textIn(payload, "event") ?? "");
    const consumer = textIn(objectOf(objectOf(entry["resource"])["labels"]), "service_name");
    if (payload["message"] !== "event consumed" || payload["outcome"] === "busy") continue;
    if (event === undefined || consumer === null) continue;
    const key = JSON.stringify([event.eventId, consumer]);
    const atMs = Math.min(writtenOf(line), firsts.get(key)?.atMs ?? Number.POSITIVE_INFINITY);
    firsts.set(key, { event, consumer, atMs });
  }
  return [...firsts.values()];
}

function newestFirst(lines: readonly LineFact[]): readonly LineFact[] {
  return [...lines].sort((one, other) => other.atMicros - one.atMicros || (one.lineId < other.lineId ? 1 : -1));
}

function isInside({ fromMs, untilMs }: HistoryRange, atMs: number): boolean {
  return atMs >= fromMs && atMs < untilMs;
}

const writtenOf = ({ atMicros }: LineFact) => Math.floor(atMicros / 1000);

const createdOf = ({ object }: Pick<EventFact, "object">) => {
  const created = numberIn(object, "created");
  return created === null ? null : created * 1000;
};

const currencyOf = ({ object }: Pick<EventFact, "object">) => textIn(object, "currency");
