// Schedules: when they are due, by the clock of their zone, and what is refused.
import { nextStart, parseCron } from "../../local/cron.ts";

const next = (schedule: string, after: string, zone = "Etc/UTC") =>
  new Date(nextStart(parseCron(schedule), zone, Date.parse(after))).toISOString();

describe("a schedule", () => {
  test.each([
    ["each minute", "* * * * *", "2026-01-15T12:00:30Z", "2026-01-15T12:01:00.000Z"],
    ["each minute, on the minute", "* * * * *", "2026-01-15T12:00:00Z", "2026-01-15T12:01:00.000Z"],
    ["every ten minutes", "*/10 * * * *", "2026-01-15T12:51:00Z", "2026-01-15T13:00:00.000Z"],
    ["a list and a range", "5,50 9-17 * * *", "2026-01-15T17:51:00Z", "2026-01-16T09:05:00.000Z"],
    ["a step from a value on", "20/20 * * * *", "2026-01-15T12:00:00Z", "2026-01-15T12:20:00.000Z"],
    ["each night", "30 3 * * *", "2026-01-15T03:30:00Z", "2026-01-16T03:30:00.000Z"],
    ["the first of a month", "0 0 1 * *", "2026-01-15T12:00:00Z", "2026-02-01T00:00:00.000Z"],
    ["Sundays as 7", "0 0 * * 7", "2026-01-15T12:00:00Z", "2026-01-18T00:00:00.000Z"],
    ["either of two limited days", "0 0 17 * 5", "2026-01-15T12:00:00Z", "2026-01-16T00:00:00.000Z"],
    ["the other of two limited days", "0 0 17 * 5", "2026-01-16T12:00:00Z", "2026-01-17T00:00:00.000Z"],
    ["a day that comes every four years", "0 0 29 2 *", "2026-01-15T12:00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("is due: %s", (_title, schedule, after, due) => {
    expect(next(schedule, after)).toBe(due);
  });

  test.each([
    ["New York in winter", "America/New_York", "2026-01-15T12:00:00Z", "2026-01-15T14:00:00.000Z"],
    ["New York in summer", "America/New_York", "2026-07-15T12:00:00Z", "2026-07-15T13:00:00.000Z"],
    ["Kathmandu, which is 5:45 ahead", "Asia/Kathmandu", "2026-01-15T00:00:00Z", "2026-01-15T03:15:00.000Z"],
  ])("follows the clocks of %s", (_title, zone, after, due) => {
    expect(next("0 9 * * *", after, zone)).toBe(due);
  });

  test.each([
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "0 0 0 * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "MON * * * *",
    "@daily",
  ])("is refused when it is %s", (schedule) => {
    expect(() => parseCron(schedule)).toThrow(/^schedule/);
  });

  test("is refused when it is never due", () => {
    expect(() => next("0 0 30 2 *", "2026-01-15T12:00:00Z")).toThrow("never due");
  });
});
