// An authorization that lands when nobody counts on it any more: after not-found, after the void, after the attempt's end.
// It must never be judged by our own rows alone: the network's journal says what the buyer was charged in the end.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Acquirer, AuthorizeOrder } from "../../functions/flows/acquirer-ports.ts";
import { sweep } from "../support/completer.ts";
import { settled } from "../support/patience.ts";
import { openWorld, payForm, type World } from "../support/world.ts";
import { door } from "./crash-support.ts";
import { restProblems } from "./money-oracles.ts";

const windowMs = 15 * 60 * 1000;
const graceMs = defaultTimings.callTimeoutMs + 1;

/**
 * A payment whose order is still on its way when its worker has given up, on a network that forgets voids of what it does
 * not know yet: `land` makes the order take effect.
 */
async function orderUnderWay() {
  const world = await openWorld();
  const worker = world.startServer();
  const pause = door();
  worker.ports.acquirer.disturbCall(1, { at: "before", act: "wait", until: pause.opened });
  const late = worker.post("/v1/payment_intents", payForm, { key: "K" });
  await world.clock.advance(windowMs + 1);
  const network = forgetful(world);
  return {
    world,
    network,
    /** It lands, and its worker never hears of it. */
    land: () => network.authorize(orderOf(world)),
    /** It lands, and its worker comes back with the answer. */
    landAndTell: async () => {
      await network.authorize(orderOf(world));
      pause.open();
      return await settled(world.clock, late);
    },
  };
}

/** A void by key lets go what is there, and does not refuse what comes later: the worst that a network may do. */
function forgetful(world: World): Acquirer {
  const network = networkOver({ journal: world.journal, clock: world.clock, log: () => {} });
  return {
    ...network,
    voidKey: async (order) => {
      if ((await network.lookup(order.key)).kind === "found") await network.voidKey(order);
    },
  };
}

function orderOf(world: World): AuthorizeOrder {
  const [attempt] = world.ledger.rows("attempts");
  if (attempt === undefined) throw new Error("No attempt was begun.");
  const { id: key, amountMinor, currency, paymentMethodToken, captureLater, authentication, challenge } = attempt;
  const challengeReturnUrl = challenge?.returnUrl ?? null;
  return { key, amountMinor, currency, paymentMethodToken, captureLater, authentication, challengeReturnUrl };
}

const stateOf = (world: World) => [
  world.ledger
    .rows("payment_intents")
    .map(({ status }) => status)
    .join(),
  ...world.ledger.rows("attempts").map(({ kind, state }) => `${kind} ${state}`),
];

describe("an authorization that lands", () => {
  test("before the first look is found, and the payment succeeds without its client", async () => {
    const { world, network, land } = await orderUnderWay();
    await land();
    expect(await sweep(world, network)).toEqual({ settled: 1, left: 0 });
    expect(stateOf(world)).toEqual(["succeeded", "authorize succeeded"]);
    expect(await restProblems(world)).toEqual([]);
  });

  test("after not-found and the void is seen by the second look and let go by its name", async () => {
    const { world, network, land } = await orderUnderWay();
    await sweep(world, network);
    await land();
    await world.clock.advance(graceMs);
    expect(await sweep(world, network)).toEqual({ settled: 0, left: 1 });
    await world.clock.advance(60_000 + graceMs);
    expect(await sweep(world, network)).toEqual({ settled: 1, left: 0 });
    expect(stateOf(world)).toEqual(["requires_payment_method", "authorize voided"]);
    expect(await restProblems(world)).toEqual([]);
  });

  test("after its attempt was closed is taken back by an attempt of its own, once", async () => {
    // given an attempt that ended as voided, with its client told
    const { world, network, landAndTell } = await orderUnderWay();
    await sweep(world, network);
    await world.clock.advance(graceMs);
    expect(await sweep(world, network)).toEqual({ settled: 1, left: 0 });
    // when the order lands after all, and its worker says so
    const reply = await landAndTell();
    // then its client hears the first answer, and the money goes back
    expect([reply.status, reply.json.error.code]).toEqual([402, "processing_error"]);
    expect(world.logged.join()).toContain("late effect is reversed");
    await world.clock.advance(graceMs);
    expect(await sweep(world, network)).toEqual({ settled: 1, left: 0 });
    expect(await sweep(world, network)).toEqual({ settled: 0, left: 0 });
    expect(stateOf(world)).toEqual(["requires_payment_method", "authorize voided", "void succeeded"]);
    const voids = (await world.journal.list(100)).filter(({ kind }) => kind === "void");
    expect(voids).toHaveLength(1);
  });

  test("while it is being voided changes nothing for its worker, who is told to ask again", async () => {
    const { world, network, landAndTell } = await orderUnderWay();
    await sweep(world, network);
    const reply = await landAndTell();
    expect([reply.status, reply.headers["Stripe-Should-Retry"]]).toEqual([409, "true"]);
    for (let round = 0; round < 2; round += 1) {
      await world.clock.advance(60_000 + graceMs);
      await sweep(world, network);
    }
    expect(stateOf(world)).toEqual(["requires_payment_method", "authorize voided"]);
    expect(await restProblems(world)).toEqual([]);
  });
});
