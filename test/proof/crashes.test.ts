// A worker dies at each step of a create+confirm, and the client retries: one payment, and the first answer.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { settled } from "../support/patience.ts";
import { countRows, openWorld, payForm, type World } from "../support/world.ts";
import { died } from "./crash-support.ts";

type Server = ReturnType<World["startServer"]>;

const steps: readonly { name: string; die: (server: Server) => void; leaseMustEnd: boolean }[] = [
  {
    name: "after the claim",
    die: (server) => server.ports.ledger.disturb("insert", died("before")),
    leaseMustEnd: true,
  },
  {
    name: "after the first commit",
    die: (server) => server.ports.ledger.disturb("insert", died("after")),
    leaseMustEnd: true,
  },
  {
    name: "before the acquirer's call",
    die: (server) => server.ports.acquirer.disturb("authorize", died("before")),
    leaseMustEnd: true,
  },
  {
    name: "after the acquirer's call",
    die: (server) => server.ports.acquirer.disturb("authorize", died("after")),
    leaseMustEnd: true,
  },
  {
    name: "before the second commit",
    die: (server) => server.ports.ledger.disturb("transact", died("before")),
    leaseMustEnd: true,
  },
  {
    name: "after the second commit",
    die: (server) => server.ports.ledger.disturb("transact", died("after")),
    leaseMustEnd: false,
  },
  {
    name: "before the result is stored",
    die: (server) => server.ports.cache.disturb("replace", died("before")),
    leaseMustEnd: false,
  },
  {
    name: "before the answer is sent",
    die: (server) => server.ports.cache.disturb("replace", died("after")),
    leaseMustEnd: false,
  },
];

const betweens: readonly { name: string; prepare: (world: World, retrying: Server) => void }[] = [
  { name: "the cache as it was left", prepare: () => {} },
  { name: "the cache wiped in between", prepare: (world) => world.cache.wipe() },
  {
    name: "the cache down",
    prepare: (_, retrying) =>
      void retrying.ports.cache.disturbAll({ at: "before", act: "throw", error: new Error("cache is down") }),
  },
  { name: "the cache hanging", prepare: (_, retrying) => void retrying.ports.cache.disturbAll(died("before")) },
];

describe.each(steps)("F11: a worker that dies $name", ({ die, leaseMustEnd }) => {
  test.each(betweens)("is finished by a retry after the lease, with $name", async ({ prepare }) => {
    // given a worker that dies
    const world = await openWorld();
    const dying = world.startServer();
    die(dying);
    void dying.post("/v1/payment_intents", payForm, { key: "crash" });
    await world.clock.advance(0);
    // when the lease has ended and another process gets the retry
    const retrying = world.startServer();
    prepare(world, retrying);
    await world.clock.advance(defaultTimings.leaseMs);
    const first = await settled(world.clock, retrying.post("/v1/payment_intents", payForm, { key: "crash" }));
    const again = await settled(world.clock, retrying.post("/v1/payment_intents", payForm, { key: "crash" }));
    // then there is one payment, and one answer
    expect(first.status).toBe(200);
    expect(first.json.status).toBe("succeeded");
    expect(again.text).toBe(first.text);
    expect(countRows(world)).toEqual({ intents: 1, charges: 1, bookings: 1, keys: 1, events: 3, outbox: 3 });
    expect(await world.journal.list(10)).toHaveLength(1);
  });

  test(
    leaseMustEnd
      ? "makes an early retry wait and then hear 409, never a second payment"
      : "lets an early retry replay at once",
    async () => {
      // given a worker that dies
      const world = await openWorld();
      const dying = world.startServer();
      die(dying);
      void dying.post("/v1/payment_intents", payForm, { key: "crash" });
      await world.clock.advance(0);
      // when the retry arrives half a second later
      await world.clock.advance(500);
      const startedMs = world.clock.now();
      const retry = await settled(
        world.clock,
        world.startServer().post("/v1/payment_intents", payForm, { key: "crash" }),
      );
      // then
      if (leaseMustEnd) {
        expect([retry.status, retry.json.error.code, retry.headers["Stripe-Should-Retry"]]).toEqual([
          409,
          "idempotency_key_in_use",
          "true",
        ]);
      } else {
        expect([retry.status, retry.headers["Idempotent-Replayed"]]).toEqual([200, "true"]);
        expect(world.clock.now() - startedMs).toBeLessThan(1_000);
      }
      expect((await world.journal.list(10)).length).toBeLessThanOrEqual(1);
    },
  );
});

describe("the cache never holds a request", () => {
  test.each(betweens.slice(2))(
    "with $name, a new payment and its replay take less than a second",
    async ({ prepare }) => {
      // given a cache that does not work
      const world = await openWorld();
      prepare(world, world as unknown as Server);
      // when
      const startedMs = world.clock.now();
      const first = await settled(world.clock, world.post("/v1/payment_intents", payForm, { key: "slow" }));
      const firstMs = world.clock.now() - startedMs;
      const again = await settled(world.clock, world.post("/v1/payment_intents", payForm, { key: "slow" }));
      // then
      expect([first.status, again.status, again.headers["Idempotent-Replayed"]]).toEqual([200, 200, "true"]);
      expect(again.text).toBe(first.text);
      expect(firstMs).toBeLessThan(1_000);
      expect(world.clock.now() - startedMs - firstMs).toBeLessThan(1_000);
      expect(countRows(world).charges).toBe(1);
    },
  );
});

test("a claim that was written after its deadline does not hold the next request", async () => {
  // given a cache whose first claim takes effect, but answers too late
  const world = await openWorld();
  world.ports.cache.disturb("claim", { at: "after", act: "wait", until: world.clock.sleep(400) });
  const first = await settled(world.clock, world.post("/v1/payment_intents", payForm, { key: "late" }));
  // when
  const startedMs = world.clock.now();
  const again = await settled(world.clock, world.startServer().post("/v1/payment_intents", payForm, { key: "late" }));
  // then the claim was completed all the same
  expect([first.status, again.status, again.headers["Idempotent-Replayed"]]).toEqual([200, 200, "true"]);
  expect(world.clock.now() - startedMs).toBeLessThanOrEqual(50);
});

test("before a 409 the ledger is asked once, even by a twin that does not wait", async () => {
  // given a worker that died between its last commit and the cache write
  const world = await openWorld();
  const dying = world.startServer();
  dying.ports.cache.disturb("replace", died("before"));
  void dying.post("/v1/payment_intents", payForm, { key: "crash" });
  await world.clock.advance(0);
  // when
  const sent = { key: "crash", headers: { prefer: "wait=0" } };
  const retry = await settled(world.clock, world.startServer().post("/v1/payment_intents", payForm, sent));
  // then
  expect([retry.status, retry.headers["Idempotent-Replayed"]]).toEqual([200, "true"]);
});

test("a taker's claim has the next generation, in the cache and in the ledger", async () => {
  const world = await openWorld();
  const dying = world.startServer();
  dying.ports.acquirer.disturb("authorize", died("before"));
  void dying.post("/v1/payment_intents", payForm, { key: "crash" });
  await world.clock.advance(defaultTimings.leaseMs);
  await settled(world.clock, world.startServer().post("/v1/payment_intents", payForm, { key: "crash" }));
  expect([...world.cache.records().values()].map(({ record }) => record.generation)).toEqual([2]);
  expect(world.ledger.rows("idempotency_keys").map((row) => row.generation)).toEqual([2]);
});
