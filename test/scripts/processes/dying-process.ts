// A process of payments-api whose stores and acquirer are reached through doors, so that it can be killed at a chosen step.
// It must never let a call of the dead take effect later: a call that was held before a store is lost with its process.
import { setTimeout as pause } from "node:timers/promises";
import { firestoreNames } from "../../../functions/config.ts";
import { keyIdentity } from "../../../functions/domain/idempotency.ts";
import { type GrpcProxy, startGrpcProxy } from "../../support/grpc-proxy.ts";
import { type AcquirerDoor, openAcquirerDoor } from "./acquirer-door.ts";
import { type Order, pay, type Reply, type Stage } from "./stage.ts";

/** The doors of one process. */
export type Doors = { readonly spanner: GrpcProxy; readonly firestore: GrpcProxy; readonly acquirer: AcquirerDoor };

/**
 * Brings every order to one step: `send` sends the next one, `claimed` waits until all claims stand. One after another,
 * because the emulator runs one transaction at a time: a held call is then surely a call that was not aborted.
 */
export type Step = (doors: Doors, requests: Requests) => Promise<void>;

type Requests = {
  readonly count: number;
  send(): void;
  claimed(): Promise<void>;
  /** Resolves once the order with this number, from 1, has its answer. */
  answered(sent: number): Promise<unknown>;
};

/** Steps of a create+confirm after which a process can die, in their order. */
export const steps = {
  afterClaim: (doors, requests) => untilFirstCommits(doors, requests, "before"),
  afterFirstCommit: (doors, requests) => untilFirstCommits(doors, requests, "after"),
  afterAcquirer: async (doors, requests) => {
    await untilAcquirer(doors, requests);
    await passEach(doors, requests, doors.spanner.hold("Commit", "before"));
  },
  afterSecondCommit: async (doors, requests) => {
    await untilAcquirer(doors, requests);
    await passEach(doors, requests, doors.spanner.hold("Commit", "after"));
  },
  beforeAnswer: async (doors, requests) => {
    await untilAcquirer(doors, requests);
    // The process waits 300 ms for this, and not at all after three such waits in a row, which a slow machine brings about:
    // an answer that slips out has to be the first one all the same.
    await passEach(doors, requests, doors.firestore.hold("Commit", "after"));
  },
} satisfies Record<string, Step>;

/** Sends the orders to a new process and kills it at the step; resolves with the answers that got out, if any. */
export async function dieAt(
  stage: Stage,
  step: Step,
  orders: readonly Order[],
): Promise<readonly (Reply | undefined)[]> {
  const spanner = await startGrpcProxy({ target: process.env["SPANNER_EMULATOR_HOST"] ?? "" });
  const firestore = await startGrpcProxy({ target: process.env["FIRESTORE_EMULATOR_HOST"] ?? "" });
  const acquirer = await openAcquirerDoor(stage.acquirerUrl);
  const answers: Promise<Reply | undefined>[] = [];
  try {
    const api = await stage.startApi({
      spannerHost: spanner.host,
      firestoreHost: firestore.host,
      acquirerUrl: acquirer.baseUrl,
    });
    // Opens the connections: a claim over a cold one could miss its deadline of 300 ms.
    await pay(api.baseUrl, { apiKey: stage.apiKey, key: `awake before ${orders[0]?.key}`, amountMinor: 100 });
    const send = () => {
      const order = orders[answers.length];
      if (order !== undefined) answers.push(pay(api.baseUrl, order).catch(() => undefined));
    };
    const answered = async (sent: number) => await answers[sent - 1];
    const requests = { count: orders.length, send, claimed: () => claimed(stage, orders), answered };
    await step({ spanner, firestore, acquirer }, requests);
    api.kill();
    await api.stop();
  } finally {
    await Promise.all([spanner.close(), firestore.close(), acquirer.close()]);
  }
  return await Promise.all(answers);
}

async function untilFirstCommits({ spanner }: Doors, requests: Requests, when: "before" | "after"): Promise<void> {
  const hold = spanner.hold("Commit", when);
  for (let sent = 1; sent <= requests.count; sent += 1) {
    requests.send();
    await hold.arrived(sent);
  }
  await requests.claimed();
}

async function untilAcquirer({ acquirer }: Doors, requests: Requests): Promise<void> {
  acquirer.shut();
  for (let sent = 1; sent <= requests.count; sent += 1) {
    requests.send();
    await acquirer.waiting(sent);
  }
  await requests.claimed();
}

async function passEach({ acquirer }: Doors, requests: Requests, hold: ReturnType<GrpcProxy["hold"]>): Promise<void> {
  for (let passed = 1; passed <= requests.count; passed += 1) {
    acquirer.passOne();
    await Promise.race([hold.arrived(passed), requests.answered(passed)]);
  }
}

/** A claim may land after the deadline that the process gives it; it lands in milliseconds. */
const claimMsMax = 5_000;

async function claimed({ firestore, accountId }: Stage, orders: readonly Order[]): Promise<void> {
  const claims = firestore.collection(firestoreNames.idempotencyKeys);
  const documents = orders.map(({ key }) => claims.doc(keyIdentity(accountId, false, key)));
  const deadline = performance.now() + claimMsMax;
  while (performance.now() < deadline) {
    const found = await firestore.getAll(...documents);
    if (found.every(({ exists }) => exists)) return;
    await pause(20);
  }
  throw new Error(`a claim is missing after ${claimMsMax} ms`);
}
