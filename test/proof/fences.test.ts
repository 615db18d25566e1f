// A worker outlives its lease: whatever it does late is refused, and it answers what the winner stored.
import { refuse } from "../../functions/domain/errors.ts";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import { sweep } from "../support/completer.ts";
import { settled } from "../support/patience.ts";
import { beginMs, countRows, openWorld, payForm, type World } from "../support/world.ts";
import { died, door } from "./crash-support.ts";

const pay = (server: Pick<World, "post">, key = "fence") => server.post("/v1/payment_intents", payForm, { key });

/** The numbers of F08: a lease of 100 ms, and a call that fits into it. */
const short: Timings = { ...defaultTimings, leaseMs: 100, callTimeoutMs: 20, pollMs: 10 };

describe("a worker whose lease has ended", () => {
  test("F08: has its late first commit refused once the taker holds the key row, and answers the taker's answer", async () => {
    // given a worker that pauses 300 ms between its claim and its first commit
    const world = await openWorld(short);
    const slow = world.startServer();
    const pause = door();
    slow.ports.ledger.disturb("insert", { at: "before", act: "wait", until: pause.opened });
    const late = pay(slow);
    await world.clock.advance(150);
    // when a twin arrives at 150 ms and finishes, and the first one resumes at 300 ms
    const taken = await settled(world.clock, pay(world.startServer()));
    await world.clock.advance(100);
    const before = world.cache.records();
    pause.open();
    const stale = await settled(world.clock, late);
    // then the first one's commit and result write are refused, and it says what the twin said
    expect(stale.text).toBe(taken.text);
    expect(stale.headers["Idempotent-Replayed"]).toBe("true");
    expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, bookings: 1, keys: 1 });
    expect(world.cache.records()).toEqual(before);
  });

  test("has its late second commit refused once the attempt is closed", async () => {
    // given a worker that pauses after the acquirer's answer
    const world = await openWorld();
    const slow = world.startServer();
    const pause = door();
    slow.ports.acquirer.disturb("authorize", { at: "after", act: "wait", until: pause.opened });
    const late = pay(slow);
    await world.clock.advance(defaultTimings.leaseMs);
    // when a taker adopts the attempt and closes it first
    const taken = await settled(world.clock, pay(world.startServer()));
    const rows = JSON.stringify(world.ledger.rows("events").map((event) => event.id));
    pause.open();
    const stale = await settled(world.clock, late);
    // then nothing was written twice, and both say the same
    expect(stale.text).toBe(taken.text);
    expect(JSON.stringify(world.ledger.rows("events").map((event) => event.id))).toBe(rows);
    expect(await world.journal.list(10)).toHaveLength(1);
  });

  test("may win the second commit while the attempt is open, and the taker then answers its answer", async () => {
    // given a taker that pauses at the acquirer, and the first worker waking up meanwhile
    const world = await openWorld();
    const slow = world.startServer();
    const slowPause = door();
    slow.ports.acquirer.disturb("authorize", { at: "after", act: "wait", until: slowPause.opened });
    const first = pay(slow);
    await world.clock.advance(defaultTimings.leaseMs);
    const taker = world.startServer();
    const takerPause = door();
    taker.ports.acquirer.disturb("authorize", { at: "after", act: "wait", until: takerPause.opened });
    const second = pay(taker);
    await world.clock.advance(100);
    // when
    slowPause.open();
    const won = await settled(world.clock, first);
    takerPause.open();
    const lost = await settled(world.clock, second);
    // then
    expect(won.status).toBe(200);
    expect(lost.text).toBe(won.text);
    expect(countRows(world)).toMatchObject({ charges: 1, bookings: 1, events: 3 });
  });

  test("has its late result and its late cleanup refused by the claim's version", async () => {
    // given a worker whose acquirer fails after its lease has ended and a taker is done
    const world = await openWorld();
    const slow = world.startServer();
    const pause = door();
    slow.ports.acquirer.disturb("authorize", {
      at: "after",
      act: "wait",
      until: pause.opened.then(() => Promise.reject(refuse("acquirer_unknown", "lost"))),
    });
    const late = pay(slow);
    await world.clock.advance(defaultTimings.leaseMs);
    const taken = await settled(world.clock, pay(world.startServer()));
    const before = world.cache.records();
    const keyBefore = world.ledger.rows("idempotency_keys");
    // when its cleanup runs: giving up the lease, releasing the claim
    pause.open();
    const stale = await settled(world.clock, late);
    // then it hears of its own failure, and touches nothing
    expect(stale.status).toBe(503);
    expect(world.cache.records()).toEqual(before);
    expect(world.ledger.rows("idempotency_keys")).toEqual(keyBefore);
    expect((await pay(world)).text).toBe(taken.text);
  });

  test.each(["wiped", "released"])("touches nothing after its claim was %s and claimed afresh", async (how) => {
    // given a worker that failed and whose cleanup is held back
    const world = await openWorld();
    const slow = world.startServer();
    slow.ports.ledger.disturb("insert", { at: "before", act: "throw", error: refuse("store_unavailable", "down") });
    const pause = door();
    if (how === "wiped") slow.ports.cache.disturb("replace", { at: "before", act: "wait", until: pause.opened });
    const late = pay(slow);
    await world.clock.advance(0);
    if (how === "wiped") world.cache.wipe();
    else await settled(world.clock, late);
    // when somebody else claims afresh and is still working
    const working = world.startServer();
    const work = door();
    working.ports.ledger.disturb("insert", { at: "before", act: "wait", until: work.opened });
    working.ports.ledger.disturb("transact", { at: "before", act: "wait", until: work.opened });
    const current = pay(working);
    await world.clock.advance(0);
    const claimed = world.cache.records();
    pause.open();
    await settled(world.clock, late);
    // then the fresh claim stands untouched (no ABA), and its owner finishes
    expect(world.cache.records()).toEqual(claimed);
    work.open();
    expect((await settled(world.clock, current)).status).toBe(200);
    expect(countRows(world).charges).toBe(1);
  });

  test("starts no call to the acquirer that could outlast its lease", async () => {
    // given a worker that pauses until less than one call's timeout of its lease is left
    const world = await openWorld();
    const slow = world.startServer();
    const pause = door();
    slow.ports.ledger.disturb("insert", { at: "after", act: "wait", until: pause.opened });
    const late = pay(slow);
    await world.clock.advance(defaultTimings.leaseMs - defaultTimings.callTimeoutMs + 1);
    // when
    pause.open();
    const stale = await settled(world.clock, late);
    // then it did not call, gave up its lease, and the next one pays at once
    expect([stale.status, stale.headers["Stripe-Should-Retry"]]).toEqual([503, "true"]);
    expect(slow.ports.acquirer.calls).toEqual([]);
    expect((await pay(world)).json.status).toBe("succeeded");
    expect(countRows(world).charges).toBe(1);
  });
});

describe("F23 a commit of unknown outcome", () => {
  const unknown = refuse("commit_unknown", "no reply");

  test.each(["before", "after"] as const)(
    "at the first commit is resolved by running it again (fault %s the effect)",
    async (at) => {
      const world = await openWorld();
      world.ports.ledger.disturb("insert", { at, act: "throw", error: unknown });
      const paid = await pay(world);
      expect([paid.status, paid.json.status]).toEqual([200, "succeeded"]);
      expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, keys: 1, events: 3 });
    },
  );

  test.each(["before", "after"] as const)(
    "at a first commit that reads what it changes is resolved by running it again (fault %s the effect)",
    async (at) => {
      const world = await openWorld();
      const { id } = (await world.post("/v1/payment_intents", "amount=2000&currency=usd")).json;
      world.ports.ledger.disturb("transact", { at, act: "throw", error: unknown });
      const paid = await world.post(`/v1/payment_intents/${id}/confirm`, "payment_method=pm_card_visa", { key: "c" });
      expect([paid.status, paid.json.status]).toEqual([200, "succeeded"]);
      expect(await world.journal.list(10)).toHaveLength(1);
    },
  );

  test.each(["before", "after"] as const)(
    "at the second commit is resolved by running it again (fault %s the effect)",
    async (at) => {
      const world = await openWorld();
      world.ports.ledger.disturb("transact", { at, act: "throw", error: unknown });
      const paid = await pay(world);
      expect([paid.status, paid.json.status]).toEqual([200, "succeeded"]);
      expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, events: 3, outbox: 3 });
    },
  );

  test.each(["before", "after"] as const)(
    "at the second commit of what settles later is resolved by running it again (fault %s the effect)",
    async (at) => {
      const world = await openWorld();
      const bank = "payment_method_types[]=us_bank_account&payment_method=pm_usBankAccount_success";
      const debit = `amount=2000&currency=usd&confirm=true&${bank}`;
      world.ports.ledger.disturb("transact", { at, act: "throw", error: unknown });
      const begun = await world.post("/v1/payment_intents", debit, { key: "debit" });
      expect([begun.status, begun.json.status]).toEqual([200, "processing"]);
      // and the acceptance of a refund, which leaves its attempt waiting just so
      const card = payForm.replace("pm_card_visa", "pm_card_pendingRefund");
      const paid = await world.post("/v1/payment_intents", card, { key: "paid" });
      world.ports.ledger.disturb("transact", { at, act: "throw", error: unknown }, 2);
      const refund = await world.post("/v1/refunds", `payment_intent=${paid.json.id}`, { key: "refund" });
      expect([refund.status, refund.json.status]).toEqual([200, "pending"]);
      expect(countRows(world)).toMatchObject({ intents: 2, charges: 2, bookings: 2 });
    },
  );

  test("that stays unknown gives 503 and leaves the key to the retry, which adopts what was committed", async () => {
    const world = await openWorld();
    world.ports.ledger.disturb("insert", { at: "after", act: "throw", error: unknown });
    const restore = world.ports.ledger.disturbAll({ at: "before", act: "throw", error: unknown });
    const failed = await pay(world);
    restore();
    expect([failed.status, failed.headers["Stripe-Should-Retry"], failed.json.error.type]).toEqual([
      503,
      "true",
      "api_error",
    ]);
    // the lease could not be given up, so it has to end
    await world.clock.advance(defaultTimings.leaseMs);
    const retry = await settled(world.clock, pay(world));
    expect([retry.status, retry.json.status]).toEqual([200, "succeeded"]);
    expect(retry.headers["Original-Request"]).toBe(failed.headers["Request-Id"]);
    expect(countRows(world)).toMatchObject({ intents: 1, charges: 1 });
  });
});

describe("an acquirer that does not answer", () => {
  test.each(["before", "after"] as const)(
    "gives 503 and keeps the attempt; the retry repeats the call under the same key (lost %s the effect)",
    async (at) => {
      const world = await openWorld();
      world.ports.acquirer.disturb("authorize", { at, act: "throw", error: refuse("acquirer_unknown", "no answer") });
      const failed = await pay(world);
      const retry = await pay(world);
      expect([failed.status, failed.headers["Stripe-Should-Retry"]]).toEqual([503, "true"]);
      expect([retry.status, retry.json.status]).toEqual([200, "succeeded"]);
      expect(await world.journal.list(10)).toHaveLength(1);
      expect(countRows(world)).toMatchObject({ intents: 1, charges: 1 });
    },
  );

  test("is asked again by the completer when no client comes back, and the key then has the first answer", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", died("after"));
    void pay(dying);
    await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs);
    expect(await sweep(world)).toEqual({ settled: 0, left: 0 });
    await world.clock.advance(1);
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    const retry = await settled(world.clock, pay(world.startServer()));
    expect([retry.status, retry.headers["Idempotent-Replayed"], retry.json.status]).toEqual([200, "true", "succeeded"]);
    expect(await world.journal.list(10)).toHaveLength(1);
    // and its day begins with the sealing, not with the request
    expect(world.ledger.rows("idempotency_keys")[0]?.expiresAtMs).toBe(
      beginMs + defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1 + 24 * 60 * 60 * 1000,
    );
  });

  test("is asked once by two completers that sweep at the same time", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", died("before"));
    void pay(dying);
    await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
    const before = world.logged.length;
    await Promise.all([sweep(world), sweep(world)]);
    const calls = world.logged.slice(before).filter((line) => line.includes("order answered"));
    expect(calls).toHaveLength(1);
    expect(countRows(world)).toMatchObject({ charges: 1, bookings: 1 });
  });
});
