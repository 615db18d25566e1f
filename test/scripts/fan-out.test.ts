// Shows that a delivery makes the same calls to stores and queues however many others wait.
// It must never look at a time: those are printed by `npm run bench -- --only fan-out`.
import { costIn } from "../../scripts/bench/fan-out.ts";

test("a delivery makes as many calls in a backlog of four hundred as in one of a hundred", async () => {
  const [small, large] = [await costIn(100), await costIn(400)];

  expect([small.ran, large.ran]).toEqual([100, 400]);
  // Record, endpoint and health are read; claim and result are written; a healthy endpoint's note once a minute.
  expect(small.callsPerDelivery).toBeGreaterThanOrEqual(5);
  expect(small.callsPerDelivery).toBeLessThanOrEqual(6);
  expect(large.callsPerDelivery).toBeLessThanOrEqual(small.callsPerDelivery);
});
