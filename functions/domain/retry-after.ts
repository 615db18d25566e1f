/**
 * Reads the header Retry-After: when a receiver wants to be asked again.
 * It never guesses: what RFC 9110 section 10.2.3 does not allow is no wish at all.
 */

/**
 * The time that the header names, in milliseconds since the epoch: whole seconds from now, or one of the three forms of an
 * HTTP date. Null for anything else; may be in the past or absurdly far away, the schedule bounds it.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}$/.test(text)) return nowMs + Number(text) * 1000;
  return httpDateMs(text, nowMs);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** RFC 9110 section 5.6.7: the preferred form, and the two old ones that every recipient must still read. */
const dateForms: readonly RegExp[] = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

function httpDateMs(text: string, nowMs: number): number | null {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const month = months.indexOf(parts["month"] ?? "") + 1;
    const day = (parts["day"] ?? "").trim().padStart(2, "0");
    const year = fullYear(parts["year"] ?? "", nowMs);
    const iso = `${year}-${String(month).padStart(2, "0")}-${day}T${parts["time"]}.000Z`;
    const ms = Date.parse(iso);
    // The way back catches what a calendar does not have: the 30th of February, hour 24, month 0.
    return Number.isFinite(ms) && new Date(ms).toISOString() === iso ? ms : null;
  }
  return null;
}

/** Two digits mean the century that puts the date no more than 50 years into the future (RFC 9110 section 5.6.7). */
function fullYear(year: string, nowMs: number): string {
  if (year.length === 4) return year;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = Math.floor(thisYear / 100) * 100 + Number(year);
  return String(inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury);
}
