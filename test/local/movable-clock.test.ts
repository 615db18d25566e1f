// The laptop's clock: it goes by itself, jumps from timer to timer, and waits for work.
import { type MovableClock, movableClock } from "../../local/movable-clock.ts";

const startMs = Date.UTC(2026, 0, 15);
/** Real milliseconds that may pass in a test without its clock being told. */
const realMs = 2_000;

let clock: MovableClock;
beforeEach(() => {
  clock = movableClock(startMs);
});

describe("the laptop's clock", () => {
  test("goes by itself", async () => {
    const before = clock.now();
    await clock.sleep(5);

    expect(before).toBeGreaterThanOrEqual(startMs);
    expect(clock.now()).toBeGreaterThanOrEqual(before + 5);
  });

  test("passes three days in no time, every timer at its own time and in order", async () => {
    const fired: [string, number][] = [];
    const note = (name: string) => () => fired.push([name, Math.round((clock.now() - startMs) / realMs)]);
    clock.after(3 * 86_400_000, note("last"));
    clock.after(60_000, note("first"));
    clock.after(120_000, () => clock.after(60_000, note("set on the way")));
    const cancel = clock.after(90_000, note("cancelled"));
    cancel();
    const began = performance.now();

    await clock.advance(4 * 86_400_000);

    expect(fired.map(([name]) => name)).toEqual(["first", "set on the way", "last"]);
    expect(fired.map(([, step]) => step)).toEqual([30, 90, 129_600]);
    expect(clock.now()).toBeGreaterThanOrEqual(startMs + 4 * 86_400_000);
    expect(performance.now() - began).toBeLessThan(realMs);
  });

  test("does not jump while something is held, and goes on at its own pace for it", async () => {
    const seen: string[] = [];
    clock.after(1_000, () => {
      void clock.hold(
        (async () => {
          const heldAtMs = clock.now();
          // Work that itself waits for the clock would hang for ever if time stood still.
          await clock.sleep(20);
          seen.push(clock.now() - heldAtMs < realMs ? "held" : "jumped");
        })(),
      );
    });
    clock.after(3_600_000, () => seen.push("later"));

    await clock.advance(7_200_000);

    expect(seen).toEqual(["held", "later"]);
  });

  test("lets go when held work fails", async () => {
    await expect(clock.hold(Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await clock.advance(1_000);

    expect(clock.now()).toBeGreaterThanOrEqual(startMs + 1_000);
  });
});
