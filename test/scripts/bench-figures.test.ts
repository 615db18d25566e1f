// Shows that the bench tells trips side by side from trips one after another, and whose code CPU time went to.
// It must never look at a time of this machine: profiles and trips are written down here.
import { shareOf } from "../../scripts/bench/cpu-share.ts";
import { newTally, sequentialTrips } from "../../scripts/bench/tally.ts";

test("a trip that begins before another one has ended is waited for together with it", () => {
  const tally = newTally();
  // given a create and a read side by side, and then a commit
  const create = tally.count("cache", "create");
  const read = tally.count("cache", "read");
  tally.close(read);
  tally.close(create);
  tally.close(tally.count("ledger", "commit"));

  const trips = tally.take();

  expect([trips.length, sequentialTrips(trips)]).toEqual([3, 2]);
});

test("trips that nobody closed count as one after another", () => {
  const tally = newTally();
  tally.count("cache", "create");
  tally.count("cache", "read");

  expect(sequentialTrips(tally.take())).toBe(2);
});

test("a sample of Node's code counts for the code that called it, and idle time for nobody", () => {
  const frame = (id: number, functionName: string, url: string, children: readonly number[] = []) => {
    return { id, callFrame: { functionName, url }, children };
  };
  const nodes = [
    frame(1, "(root)", "", [2, 3, 6, 7]),
    frame(2, "(idle)", ""),
    frame(3, "pay", "file:///app/functions/flows/pay.ts", [4]),
    frame(4, "commit", "file:///app/node_modules/@google-cloud/spanner/index.js", [5]),
    frame(5, "write", "node:internal/http2/core"),
    frame(6, "processTimers", "node:internal/timers"),
    frame(7, "(garbage collector)", ""),
  ];

  const share = shareOf({ nodes, samples: [2, 3, 4, 5, 6, 7], timeDeltas: [0, 500_000, 1_000, 2_000, 4_000, 8_000] });

  expect(share).toEqual({
    ...{ "this project": 1, "client libraries": 2 + 4, Node: 8 },
    ...{ "garbage collector": 0, "without a frame": 0 },
  });
});
