// A process is killed at each step of a confirm, a capture, a cancel and a refund, and no client comes back: one sweep
// after the lease everything is settled, nothing twice. It must never send a request again before the sweep was judged.
import { httpAcquirer } from "../../../functions/adapters/acquirer.ts";
import { spannerLedger } from "../../../functions/adapters/spanner-ledger.ts";
import { systemClock, systemRandom } from "../../../functions/adapters/system.ts";
import { defaultTimings, keyIdentity } from "../../../functions/domain/idempotency.ts";
import { standardTerms } from "../../../functions/domain/ledger-terms.ts";
import { wireRenderer } from "../../../functions/edge/renderer.ts";
import { completeAttempts, type Sweep } from "../../../functions/flows/complete-attempts.ts";
import { finishChallenge } from "../../../functions/flows/finish-challenge.ts";
import { commitResult, settleAttempt } from "../../../functions/flows/settle-attempt.ts";
import type { StartedBundle } from "../../../scripts/build/start-bundle.ts";
import { dieAt, steps } from "./dying-process.ts";
import { type Order, openStage, pay, type Stage } from "./stage.ts";

let stage: Stage;
let healthy: StartedBundle;
beforeAll(async () => {
  stage = await openStage();
  healthy = await stage.startApi();
});
afterAll(() => stage?.close());

const intents = "/v1/payment_intents";
const hold = "&confirm=true&capture_method=manual&payment_method=pm_card_visa";

/** What is done to a payment, what the payment is before, and its state untouched and done. */
const commands = [
  { name: "confirm", given: "&payment_method=pm_card_visa", from: "requires_confirmation 0 -0", to: "succeeded 1 -0" },
  { name: "capture", given: hold, from: "requires_capture 0 -0", to: "succeeded 1 -0" },
  { name: "cancel", given: hold, from: "requires_capture 0 -0", to: "canceled 0 -0" },
  { name: "refund", given: "&confirm=true&payment_method=pm_card_visa", from: "succeeded 1 -0", to: "succeeded 1 -1" },
] as const;

/** Before the answer a process waits for its cache; from the third wait on it would do without, and die too late. */
const deaths = [
  { at: "after the claim", step: steps.afterClaim, isBegun: false, swept: 0 },
  { at: "after the first commit", step: steps.afterFirstCommit, isBegun: true, swept: 4 },
  { at: "after the acquirer's answer", step: steps.afterAcquirer, isBegun: true, swept: 4 },
  { at: "after the second commit", step: steps.afterSecondCommit, isBegun: true, swept: 0 },
  { at: "before the answer", step: steps.beforeAnswer, isBegun: true, swept: 0 },
] as const;

test.each(deaths)(
  "killed $at, a sweep alone brings all four to their end, once",
  async ({ at, step, isBegun, swept }) => {
    // given one payment for each command, and a process that dies over them
    const deathNumber = deaths.findIndex((death) => death.at === at);
    const orders: (Order & { readonly id: string })[] = [];
    for (const [index, command] of commands.entries()) {
      const amountMinor = 5_000 + 10 * deathNumber + index;
      const create = { apiKey: stage.apiKey, key: `given ${amountMinor}`, amountMinor };
      const given = await pay(healthy.baseUrl, {
        ...create,
        form: `amount=${amountMinor}&currency=usd${command.given}`,
      });
      const { id } = JSON.parse(given.text) as { id: string };
      const isRefund = command.name === "refund";
      const path = isRefund ? "/v1/refunds" : `${intents}/${id}/${command.name}`;
      const form = isRefund ? `payment_intent=${id}` : "";
      orders.push({ ...create, key: `${command.name} killed ${at}`, path, form, id });
    }
    for (const few of at === "before the answer" ? [orders.slice(0, 2), orders.slice(2)] : [orders])
      await dieAt(stage, step, few);
    // when its leases are over
    await endLeases(orders);
    const sweep = await sweepOnce();
    // then
    expect(sweep.settled).toBe(swept);
    const states = await Promise.all(orders.map(({ id }) => stateOf(id)));
    expect(states).toEqual(commands.map(({ from, to }) => (isBegun ? to : from)));
    const lines = await Promise.all(orders.map(({ amountMinor }) => stage.journalOf(amountMinor)));
    expect(lines.map(({ length }) => length)).toEqual(isBegun ? [1, 2, 2, 2] : [0, 1, 1, 1]);
    expect(await sweepOnce()).toEqual({ settled: 0, left: 0 });
    // and a client that comes back after all hears the first answer
    const late = await Promise.all(orders.map((order) => pay(healthy.baseUrl, order)));
    expect(late.map(({ status, replayed }) => [status, replayed])).toEqual(orders.map(() => [200, isBegun]));
    expect(await Promise.all(orders.map(({ id }) => stateOf(id)))).toEqual(commands.map(({ to }) => to));
  },
);

async function sweepOnce(): Promise<Sweep> {
  const log = () => {};
  const shared = {
    ledger: spannerLedger(stage.database),
    acquirer: httpAcquirer({ baseUrl: stage.acquirerUrl, secret: stage.acquirerSecret }),
    renderer: wireRenderer(),
    clock: systemClock,
    random: systemRandom,
    terms: standardTerms,
    timings: defaultTimings,
    log,
  };
  const settle = settleAttempt(shared);
  return await completeAttempts({
    ...shared,
    settle,
    commit: commitResult(shared),
    finishChallenge: finishChallenge({ ...shared, settle }),
  });
}

/** As if the lease and the grace of one call had passed: bundles take no other timings, so the stores' times move back. */
async function endLeases(orders: readonly Order[]): Promise<void> {
  const keys = orders.map(({ key }) => keyIdentity(stage.accountId, false, key));
  const passedMs = defaultTimings.leaseMs + defaultTimings.callTimeoutMs;
  await stage.database.database.runTransactionAsync(async (transaction) => {
    for (const table of ["idempotency_keys", "attempts"]) {
      await transaction.runUpdate({
        sql: `UPDATE ${table} SET lease_until = TIMESTAMP_SUB(lease_until, INTERVAL @passedMs MILLISECOND) WHERE key_hash IN UNNEST(@keys)`,
        params: { keys, passedMs },
        types: { keys: { type: "array", child: "string" }, passedMs: "int64" },
      });
    }
    await transaction.commit();
  });
  const claims = stage.firestore.collection("idempotencyKeys");
  for (const key of keys) {
    const found = await claims.doc(key).get();
    if (found.exists) await claims.doc(key).update({ leaseUntilMs: found.get("leaseUntilMs") - passedMs });
  }
}

/** Status, and how often its amount was taken and given back. */
async function stateOf(id: string): Promise<string> {
  const intent = (await stage.database.rows("payment_intents")).find((row) => row.id === id);
  const charge = (await stage.database.rows("charges")).find((row) => row.id === intent?.latestChargeId);
  const times = (amountMinor = 0n) => amountMinor / (intent?.amountMinor ?? 1n);
  return `${intent?.status} ${times(intent?.amountReceivedMinor)} -${times(charge?.refundedMinor)}`;
}
