/**
 * Dead letters of the bus: what is recorded of each, and the plan by which they are sent again.
 * It must never hide one: what cannot be sent again is counted and said, not left out.
 */
import { digestOf } from "./consumption.ts";

/** A message that its subscription gave up. */
export interface DeadLetter {
  /** Of the subscription, the event and the time at which it was first published: the same however often it is buried. */
  readonly id: string;
  /** Name of the subscription that gave it up. */
  readonly source: string;
  /** Null when the message names none; such a one is no event, and sending it again cannot help. */
  readonly eventId: string | null;
  readonly eventType: string | null;
  /** How often it was delivered; null when the bus did not say. */
  readonly deliveries: number | null;
  readonly recordedAtMs: number;
  /** The attributes that it was published with. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Its content; null when it was too large to keep, and then it stands in the kept subscription alone. */
  readonly data: Uint8Array | null;
}

/** A letter as it is kept: `waiting`, or taken by a redrive, whose id it then has, and in the end sent. */
export interface KeptLetter extends DeadLetter {
  readonly state: "waiting" | "sending" | "sent";
  readonly redriveId: string | null;
}

/** A letter as a plan sees it: without its content, of which it only knows whether it was kept. */
export interface WaitingLetter extends Pick<DeadLetter, "id" | "source" | "eventId" | "eventType"> {
  readonly isKept: boolean;
}

/** The id of a letter, from what does not change when it is buried again. */
export function deadLetterId(letter: {
  readonly source: string;
  readonly eventId: string | null;
  readonly publishedAt: string;
  readonly data: Uint8Array;
}): string {
  const what = letter.eventId ?? digestOf("content", Buffer.from(letter.data).toString("base64"));
  return digestOf(letter.source, what, letter.publishedAt);
}

/** Largest content that a record keeps, in bytes: a document holds 1 MiB, and the attributes and names need some of it. */
export const keptBytesMax = 900_000;

/** What is sent again: each event once, although several consumers, or one of them several times, gave it up. */
export interface RedrivePlan {
  /** A digest of everything below: the redrive's id. */
  readonly id: string;
  readonly events: readonly PlannedEvent[];
  /** Letters that are no events, or whose content was too large to keep; they stay where they are. */
  readonly left: readonly string[];
}

/** One event of a plan, and the letters that it settles, the first of which is sent. */
export interface PlannedEvent {
  readonly eventId: string;
  readonly eventType: string | null;
  readonly sources: readonly string[];
  readonly letterIds: readonly string[];
}

/** The plan for letters that wait; the same letters make the same plan, in whatever order they are given. */
export function planRedrive(letters: readonly WaitingLetter[]): RedrivePlan {
  const inOrder = [...letters].sort((one, other) => compare(one.id, other.id));
  const isSendable = ({ eventId, isKept }: WaitingLetter) => eventId !== null && isKept;
  const byEvent = Map.groupBy(inOrder.filter(isSendable), ({ eventId }) => eventId ?? "");
  const events = [...byEvent]
    .sort(([one], [other]) => compare(one, other))
    .map(([eventId, copies]) => ({
      eventId,
      eventType: copies[0]?.eventType ?? null,
      sources: [...new Set(copies.map(({ source }) => source))].sort(),
      letterIds: copies.map(({ id }) => id),
    }));
  const id = digestOf("redrive", ...events.flatMap(({ eventId, letterIds }) => [eventId, ...letterIds])).slice(0, 16);
  return { id, events, left: inOrder.filter((letter) => !isSendable(letter)).map((letter) => letter.id) };
}

/** What a redrive did, once it is done. */
export interface RedriveReceipt {
  readonly redriveId: string;
  /** Events that were sent by this redrive, each once, but for `sentTwice`. */
  readonly sent: number;
  /** Events that another redrive had sent by then, or has in its hands. */
  readonly elsewhere: number;
  /** Letters that were not sent because another one of the same event was. */
  readonly duplicates: number;
  /** Events that were sent a second time, because a run died before it had written down that it sent them. */
  readonly sentTwice: number;
  readonly finishedAtMs: number;
}

/** Attribute of a message that was sent again: the redrive's id. */
export const redriveAttribute = "redrive_id";

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
