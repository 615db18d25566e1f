// The gate of an endpoint: what enters, and when the rest comes back.
import { enter, type GateState, leave, openGate, waitMsMax } from "../../functions/domain/endpoint-gate.ts";

const limits = { inFlightMax: 2, everyMs: 100, burst: 3 };
const nowMs = 1_000_000;

/** Asks so many times at one moment; where each attempt ended, as `enters` or as milliseconds to wait. */
function ask(times: number, from: GateState, atMs: number, rules = limits, jitter = 0) {
  let state = from;
  const ends: ("enters" | number)[] = [];
  for (let count = 0; count < times; count += 1) {
    const entry = enter(state, rules, atMs, jitter);
    state = entry.state;
    ends.push(entry.kind === "enters" ? "enters" : entry.atMs - atMs);
  }
  return { ends, state };
}

describe("a gate", () => {
  test("lets a burst in, and gives whoever comes then a place of its own behind the others", () => {
    const roomy = { ...limits, inFlightMax: 10 };

    expect(ask(6, openGate, nowMs, roomy).ends).toEqual(["enters", "enters", "enters", 100, 200, 300]);
  });

  test("lets no more in at once than its limit, and sends the rest away for a second", () => {
    const { ends, state } = ask(4, openGate, nowMs);

    expect(ends).toEqual(["enters", "enters", 1_100, 1_200]);
    expect(ask(1, leave(state), nowMs + 1_100).ends).toEqual(["enters"]);
  });

  test("is as open as before when nobody came for a while", () => {
    const { state } = ask(3, openGate, nowMs, { ...limits, inFlightMax: 10 });

    expect(ask(3, leave(leave(leave(state))), nowMs + 300, { ...limits, inFlightMax: 10 }).ends).toEqual(
      Array(3).fill("enters"),
    );
  });

  test.each([
    [0, waitMsMax / 2],
    [0.5, (waitMsMax * 3) / 4],
  ])("gives no place beyond a quarter of an hour, but spreads those by their jitter %d", (jitter, waitMs) => {
    const slow = { inFlightMax: 1, everyMs: waitMsMax, burst: 1 };

    expect(ask(4, openGate, nowMs, slow, jitter).ends).toEqual(["enters", waitMs, waitMs, waitMs]);
  });
});
