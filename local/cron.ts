// Schedules in the five fields of Unix cron: minute, hour, day of month, month, day of week.
// It must never guess: a field that it does not understand is refused, and so is a schedule that is never due.

/** When something is due. */
export type Cron = { minutes: Field; hours: Field; days: Field; months: Field; weekdays: Field };

/** The values at which a field matches; `isAny` for `*`, which counts differently in the two fields of the day. */
type Field = { values: ReadonlySet<number>; isAny: boolean };

/** Reads a schedule such as `*\/5 9-17 * * 1,3`; throws an error that names what is not understood. */
export function parseCron(text: string): Cron {
  const [minute, hour, day, month, weekday, ...more] = text.trim().split(/\s+/);
  if (weekday === undefined || more.length > 0) throw new Error(`schedule ${text}: five fields are expected`);
  return {
    minutes: field(minute ?? "", 0, 59),
    hours: field(hour ?? "", 0, 23),
    days: field(day ?? "", 1, 31),
    months: field(month ?? "", 1, 12),
    weekdays: field(weekday, 0, 7),
  };
}

/** The first start after a time (both in milliseconds since the epoch), by the clocks of the time zone. */
export function nextStart(cron: Cron, timeZone: string, afterMs: number): number {
  const partsAt = zonedParts(timeZone);
  const lastMs = afterMs + YEARS_MAX_MS;
  let atMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  while (atMs <= lastMs) {
    const parts = partsAt(atMs);
    if (!isDay(cron, parts)) {
      // Short of the next midnight, also of a day that the change to summer time makes an hour shorter.
      atMs = nextQuarter(atMs + Math.max(0, 22 - parts.hour) * HOUR_MS);
    } else if (!cron.hours.values.has(parts.hour)) {
      atMs = nextQuarter(atMs);
    } else if (cron.minutes.values.has(parts.minute)) return atMs;
    else atMs += MINUTE_MS;
  }
  throw new Error("a schedule is never due");
}

/** Zones differ from UTC by whole quarters of an hour, so no hour and no day begins within one. */
function nextQuarter(atMs: number): number {
  return (Math.floor(atMs / QUARTER_MS) + 1) * QUARTER_MS;
}

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Every date that exists comes within eight years, 29 February across the end of a century too. */
const YEARS_MAX_MS = (8 * 366 + 1) * 24 * 60 * MINUTE_MS;

/** `*`, `7`, `1-5`, each perhaps with `/step`, and lists of these. */
function field(text: string, first: number, last: number): Field {
  const values = new Set<number>();
  for (const piece of text.split(",")) {
    const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(piece);
    const from = Number(match?.[1] ?? first);
    const until =
      match?.[1] === undefined || (match[2] === undefined && match[3] !== undefined) ? last : Number(match[2] ?? from);
    const step = Number(match?.[3] ?? 1);
    if (match === null || from < first || until > last || from > until || step < 1) {
      throw new Error(`schedule: ${piece} is not a field from ${first} to ${last}`);
    }
    for (let value = from; value <= until; value += step) values.add(value);
  }
  return { values, isAny: text.startsWith("*") };
}

type Parts = { minute: number; hour: number; day: number; month: number; weekday: number };

/** When both fields of the day are limited, either is enough: cron's own rule. */
function isDay({ days, months, weekdays }: Cron, { day, month, weekday }: Parts): boolean {
  if (!months.values.has(month)) return false;
  // Sunday is 0 and 7.
  const isWeekday = weekdays.values.has(weekday) || (weekday === 0 && weekdays.values.has(7));
  if (days.isAny || weekdays.isAny) return days.values.has(day) && isWeekday;
  return days.values.has(day) || isWeekday;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function zonedParts(timeZone: string): (atMs: number) => Parts {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ minute: "numeric", hour: "numeric", day: "numeric", month: "numeric", weekday: "short" },
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    return {
      minute: number("minute"),
      hour: number("hour"),
      day: number("day"),
      month: number("month"),
      weekday: WEEKDAYS.indexOf(parts.get("weekday") ?? ""),
    };
  };
}
