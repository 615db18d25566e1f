// Reading Retry-After: seconds, the three forms of a date, and what is none of them.
// It must never read the machine's clock.
import { retryAfterMs } from "../../functions/domain/retry-after.ts";

const nowMs = Date.parse("2026-03-01T00:00:00Z");

test.each([
  ["120", "2026-03-01T00:02:00Z"],
  [" 120 ", "2026-03-01T00:02:00Z"],
  ["0", "2026-03-01T00:00:00Z"],
  ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"],
  ["Friday, 06-Nov-76 08:49:37 GMT", "2076-11-06T08:49:37Z"],
  ["Saturday, 06-Nov-77 08:49:37 GMT", "1977-11-06T08:49:37Z"],
  ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"],
  ["Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"],
])("%j is a time", (header, at) => {
  expect(retryAfterMs(header, nowMs)).toBe(Date.parse(at));
});

test.each([
  null,
  "",
  "-1",
  "1.5",
  "1e9",
  "0x10",
  "١٢٠",
  "9".repeat(13),
  "9".repeat(100_000),
  "soon",
  "120, 240",
  "2026-03-01T00:02:00Z",
  "Sun, 30 Feb 2026 00:00:00 GMT",
  "Sun, 06 Foo 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 24:00:00 GMT",
  "Sun, 06 Nov 1994 08:49:60 GMT",
  "Sun, 06 Nov 1994 08:49:37 CET",
  "Sun, 06 Nov 1994 08:49:37 GMT; x",
])("%j is no wish", (header) => {
  expect(retryAfterMs(header, nowMs)).toBeNull();
});
