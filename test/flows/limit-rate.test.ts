// The limiter over many keys: each has its own share, and their number is bounded.
import { rateLimiter } from "../../functions/flows/limit-rate.ts";
import { manualClock } from "../support/manual-clock.ts";

const limit = { perSecond: 1, burst: 2 };

function limited() {
  const clock = manualClock(1_000_000);
  const limitRate = rateLimiter({ clock }, limit);
  /** True when the request may go on. */
  const asks = (key: string) => {
    try {
      limitRate(key);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, limitRate, asks };
}

describe("the limiter of requests", () => {
  test("refuses by code what is beyond the limit, and lets it through a second later", async () => {
    const { clock, limitRate } = limited();
    limitRate("a");
    limitRate("a");

    expect(() => limitRate("a")).toThrow(expect.objectContaining({ code: "rate_limit" }));
    await clock.advance(1_000);
    expect(() => limitRate("a")).not.toThrow();
  });

  test("counts each key for itself", () => {
    const { asks } = limited();

    expect([asks("a"), asks("a"), asks("a"), asks("b")]).toEqual([true, true, false, true]);
  });

  test("goes on refusing a busy key while ten thousand others come and go", async () => {
    const { clock, asks } = limited();
    for (let other = 0; other < 9_999; other += 1) asks(`rested ${other}`);
    await clock.advance(1_000);
    asks("busy");
    asks("busy");
    for (let other = 0; other < 9_999; other += 1) asks(`new ${other}`);

    expect(asks("busy")).toBe(false);
  });

  test("forgets the longest unused half when all of them are in use, and nobody else", () => {
    const { asks } = limited();
    for (const key of ["first", "first"]) asks(key);
    for (let other = 0; other < 9_998; other += 1) asks(`other ${other}`);
    for (const key of ["last", "last"]) asks(key);
    asks("one more");

    expect([asks("last"), asks("first")]).toEqual([false, true]);
  });
});
