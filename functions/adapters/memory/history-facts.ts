/**
 * What the raw rows of the archive say, unfolded into flat facts, each once: the memory twin of the views over events.
 * It must never trust a row's shape: what is missing or of another type is null, as in SQL.
 */
import type { ArchivedMessage } from "../../flows/history-ports.ts";

/** An event, once, with the first time that it was published. */
export interface EventFact {
  readonly eventId: string;
  readonly accountId: string;
  readonly type: string | null;
  readonly occurredAtMs: number | null;
  readonly firstPublishedAtMs: number;
  readonly version: number;
  readonly object: Json;
}

/** A log line, once. */
export interface LineFact {
  readonly lineId: string;
  readonly atMicros: number;
  readonly entry: Json;
  readonly payload: Json;
}

/** A JSON object of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** Takes one more delivery of an event into the facts; a row without the id of an event or of an account is none. */
export function addEvent(facts: Map<string, EventFact>, { data, attributes, publishedAtMs }: ArchivedMessage): void {
  const event = objectOf(JSON.parse(data));
  const [eventId, accountId] = [textIn(event, "id"), attributes["account_id"]];
  if (eventId === null || accountId === undefined) return;
  const created = numberIn(event, "created");
  const known = facts.get(eventId);
  facts.set(eventId, {
    ...{ eventId, accountId, type: textIn(event, "type") },
    occurredAtMs: created === null ? null : created * 1000,
    firstPublishedAtMs: Math.min(publishedAtMs, known?.firstPublishedAtMs ?? publishedAtMs),
    version: Number(attributes["object_version"] ?? 0),
    object: objectOf(objectOf(event["data"])["object"]),
  });
}

/** Takes one more delivery of a log line into the facts. */
export function addLine(facts: Map<string, LineFact>, { data }: ArchivedMessage): void {
  const entry = objectOf(JSON.parse(data));
  const [lineId, time] = [textIn(entry, "insertId"), textIn(entry, "timestamp")];
  if (lineId === null || time === null) return;
  // Date holds milliseconds; the archive's order is finer.
  const fraction = `${/\.([0-9]{1,6})/.exec(time)?.[1] ?? ""}000000`.slice(0, 6);
  const wholeSeconds = Math.floor(Date.parse(time) / 1000);
  const atMicros = wholeSeconds * 1_000_000 + Number(fraction);
  facts.set(lineId, { lineId, atMicros, entry, payload: objectOf(entry["jsonPayload"]) });
}

/** The objects of a kind in their newest version, by id, with every event about each. */
export function newestObjects(facts: Iterable<EventFact>, kind: string): readonly ObjectFact[] {
  const byId = new Map<string, EventFact[]>();
  for (const fact of facts) {
    const id = textIn(fact.object, "id");
    if (id !== null && fact.object["object"] === kind) byId.set(id, [...(byId.get(id) ?? []), fact]);
  }
  return [...byId.values()].map((events) => {
    const newest = events.reduce((one, other) => (other.version > one.version ? other : one));
    return { accountId: newest.accountId, object: newest.object, types: events.map(({ type }) => type) };
  });
}

/** One object in its newest version, and the types of all events about it. */
export interface ObjectFact {
  readonly accountId: string;
  readonly object: Json;
  readonly types: readonly (string | null)[];
}

/** The object, or an empty one. */
export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** A text member; null when it is none. */
export function textIn(object: Json, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}

/** A number member; null when it is none. */
export function numberIn(object: Json, name: string): number | null {
  const value = object[name];
  return typeof value === "number" ? value : null;
}

/** Beginning of the day in UTC. */
export function dayOf(atMs: number): number {
  return atMs - (atMs % 86_400_000);
}
