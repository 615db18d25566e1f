// Shows that the manual clock moves only by a test's hand, and fires what is due in order.
// It must never depend on real time.
import { manualClock } from "./manual-clock.ts";

describe("the manual clock", () => {
  test("stands still until it is advanced", async () => {
    const clock = manualClock(1_000);
    let fired = false;
    clock.after(0, () => {
      fired = true;
    });

    expect([clock.now(), fired]).toEqual([1_000, false]);
    await clock.advance(0);
    expect([clock.now(), fired]).toEqual([1_000, true]);
  });

  test("fires timers in order of their time, each at its own time, and only those that are due", async () => {
    const clock = manualClock(0);
    const fired: [string, number][] = [];
    for (const [name, ms] of [
      ["late", 30],
      ["early", 10],
      ["early too", 10],
      ["future", 31],
    ] as const) {
      clock.after(ms, () => fired.push([name, clock.now()]));
    }

    await clock.advance(30);

    expect(fired).toEqual([
      ["early", 10],
      ["early too", 10],
      ["late", 30],
    ]);
    expect([clock.now(), clock.pendingTimers()]).toEqual([30, 1]);
  });

  test("lets a woken sleeper set its next timer before time moves on", async () => {
    const clock = manualClock(0);
    const wakings: number[] = [];
    const polling = (async () => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(100);
        await new Promise((resolve) => setImmediate(resolve));
        wakings.push(clock.now());
      }
    })();

    await clock.advance(1_000);
    await polling;

    expect(wakings).toEqual([100, 200, 300]);
  });

  test("a cancelled timer never fires", async () => {
    const clock = manualClock(0);
    const cancel = clock.after(10, () => {
      throw new Error("fired");
    });
    cancel();

    await clock.advance(20);

    expect(clock.pendingTimers()).toBe(0);
  });
});
