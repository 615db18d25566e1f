// Runs the cache's contract on the memory twin, and shows what the twin has beyond the port.
// It must never need anything but this process.
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { claimBy, idempotencyCacheContract } from "./idempotency-cache-contract.ts";

idempotencyCacheContract(async () => {
  const cache = memoryIdempotencyCache();
  return { cache, wipe: async () => cache.wipe(), close: async () => {} };
});

describe("the memory twin", () => {
  test("its versions go on rising over a wipe", async () => {
    const cache = memoryIdempotencyCache();
    const first = await cache.claim("key", claimBy("worker-1"));
    cache.wipe();

    const second = await cache.claim("key", claimBy("worker-1"));

    expect([first.version, second.version]).toEqual(["1", "2"]);
  });

  test("it shows all its records as copies", async () => {
    const cache = memoryIdempotencyCache();
    await cache.claim("key", claimBy("worker-1"));

    expect([...cache.records()]).toEqual([["key", { record: claimBy("worker-1"), version: "1" }]]);
    expect(cache.records().get("key")?.record).not.toBe(cache.records().get("key")?.record);
  });

  test("it lets others run before it answers", async () => {
    const order: string[] = [];
    const claimed = memoryIdempotencyCache()
      .claim("key", claimBy("worker-1"))
      .then(() => order.push("claimed"));
    await Promise.resolve().then(() => order.push("others"));
    await claimed;

    expect(order).toEqual(["others", "claimed"]);
  });
});
