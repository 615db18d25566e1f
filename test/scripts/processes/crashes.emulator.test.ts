// A process is killed at each step of a create+confirm, and another one gets the retry: one payment, and the first answer.
// It must never help the retry: what the dead process left behind is all that the next one finds.
import { firestoreNames } from "../../../functions/config.ts";
import { defaultTimings, keyIdentity } from "../../../functions/domain/idempotency.ts";
import type { StartedBundle } from "../../../scripts/build/start-bundle.ts";
import { type GrpcProxy, startGrpcProxy } from "../../support/grpc-proxy.ts";
import { dieAt, steps } from "./dying-process.ts";
import { effectsOf, type Order, openStage, pay, type Reply, type Stage } from "./stage.ts";

let stage: Stage;
let hangingFirestore: GrpcProxy;
/** The processes that get the retries: one in good health, one whose cache never answers, one whose cache is not there. */
let retrying: Record<"healthy" | "hanging" | "down", StartedBundle>;

beforeAll(async () => {
  const target = process.env["FIRESTORE_EMULATOR_HOST"] ?? "";
  stage = await openStage();
  hangingFirestore = await startGrpcProxy({ target });
  for (const method of ["Commit", "BatchGetDocuments"]) hangingFirestore.hold(method);
  const nobody = await startGrpcProxy({ target });
  await nobody.close();
  const [healthy, hanging, down] = await Promise.all([
    stage.startApi(),
    stage.startApi({ firestoreHost: hangingFirestore.host }),
    stage.startApi({ firestoreHost: nobody.host }),
  ]);
  retrying = { healthy, hanging, down };
});
afterAll(async () => {
  await stage?.close();
  await hangingFirestore?.close();
});

const nothing = { intents: 0, charges: 0, bookings: 0, authorizations: 0 };
const onePayment = { intents: 1, charges: 1, bookings: 1, authorizations: 1 };

const deaths = [
  { at: "after the claim", step: steps.afterClaim, left: nothing, hasAnswer: false },
  { at: "after the first commit", step: steps.afterFirstCommit, left: { ...nothing, intents: 1 }, hasAnswer: false },
  {
    at: "after the acquirer's answer, inside the second transaction",
    step: steps.afterAcquirer,
    left: { ...nothing, intents: 1, authorizations: 1 },
    hasAnswer: false,
  },
  { at: "after the second commit", step: steps.afterSecondCommit, left: onePayment, hasAnswer: true },
  { at: "before the answer", step: steps.beforeAnswer, left: onePayment, hasAnswer: true },
] as const;

const betweens = [
  { cache: "as it was left", process: "healthy", prepare: async () => {} },
  { cache: "wiped", process: "healthy", prepare: () => wipe(stage) },
  { cache: "hanging", process: "hanging", prepare: async () => {} },
  { cache: "down", process: "down", prepare: async () => {} },
] as const;

describe.each(deaths)("a process killed $at", ({ at, step, left, hasAnswer }) => {
  const deathNumber = deaths.findIndex((death) => death.at === at);
  let orders: readonly Order[];
  let heard: readonly (Reply | undefined)[];
  beforeAll(async () => {
    // One order for each state of the cache; its amount is what tells it apart in the stores and in the journal.
    orders = betweens.map(({ cache }, index) => ({
      apiKey: stage.apiKey,
      key: `killed ${at}, cache ${cache}`,
      amountMinor: 3_000 + 10 * deathNumber + index,
    }));
    heard = await dieAt(stage, step, orders);
  });

  test.each(betweens)("is finished by another one with the cache $cache", async ({ cache, process, prepare }) => {
    // given what the dead process left
    const index = betweens.findIndex((between) => between.cache === cache);
    const order = orders[index];
    if (order === undefined) throw new Error("no order");
    expect(await effectsOf(stage, order.amountMinor)).toEqual(left);
    // when its lease is over (an answer needs no such wait), and the client tries again
    if (!hasAnswer) await endLease(stage, order.key);
    await prepare();
    const { baseUrl, output } = retrying[process];
    const waitsBefore = cacheWaits(output());
    const startedMs = performance.now();
    const first = await pay(baseUrl, order);
    const tookMs = performance.now() - startedMs;
    const waits = cacheWaits(output()) - waitsBefore;
    const again = await pay(retrying.healthy.baseUrl, order);
    // then there is one payment, and one answer
    expect(first).toEqual({ status: 200, text: expect.stringContaining('"status":"succeeded"'), replayed: hasAnswer });
    expect(again).toEqual({ status: 200, text: first.text, replayed: true });
    expect([undefined, first.text]).toContain(heard[index]?.text);
    expect(await effectsOf(stage, order.amountMinor)).toEqual(onePayment);
    // and the cache did not hold it: each wait ends at its deadline, and a wall clock on a busy machine proves less
    expect(waits * defaultTimings.cacheDeadlineMs).toBeLessThan(1_000);
    expect(tookMs).toBeLessThan(tookMsMax);
    if (process !== "healthy") expect(cacheWaits(output())).toBeGreaterThan(0);
  });
});

/** Far above what a request takes on a busy machine, far below what the Firestore client waits by itself (60 s). */
const tookMsMax = 10_000;

/** Cache calls that a process gave up, by its own log. */
function cacheWaits(output: string): number {
  return output.split("cache call without an answer").length - 1;
}

async function wipe({ firestore }: Stage): Promise<void> {
  const { docs } = await firestore.collection(firestoreNames.idempotencyKeys).get();
  await Promise.all(docs.map(({ ref }) => ref.delete()));
}

/** As if the 30 s of the lease had passed: bundles take no other timings, so the stores' times are moved back instead. */
async function endLease({ database, firestore, accountId }: Stage, key: string): Promise<void> {
  const keyHash = keyIdentity(accountId, false, key);
  await database.database.runTransactionAsync(async (transaction) => {
    for (const table of ["idempotency_keys", "attempts"]) {
      await transaction.runUpdate({
        sql: `UPDATE ${table} SET lease_until = TIMESTAMP_SUB(lease_until, INTERVAL @leaseMs MILLISECOND) WHERE key_hash = @keyHash`,
        params: { keyHash, leaseMs: defaultTimings.leaseMs },
        types: { keyHash: "string", leaseMs: "int64" },
      });
    }
    await transaction.commit();
  });
  const claim = firestore.collection(firestoreNames.idempotencyKeys).doc(keyHash);
  const found = await claim.get();
  if (found.exists) await claim.update({ leaseUntilMs: found.get("leaseUntilMs") - defaultTimings.leaseMs });
}
