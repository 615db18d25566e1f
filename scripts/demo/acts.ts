// The four acts: what goes wrong in each, and why sending the payment again was safe.
// It must never help the API: an act only causes trouble and retries, as the world outside does.
import { setTimeout as pause } from "node:timers/promises";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import { type EmbeddedStores, networkOver } from "../embedded-stores.ts";
import { type RunningProcess, startProcess } from "./process.ts";
import { type Order, pay, type Try } from "./shop.ts";

/** In the order in which they are played. */
export function acts(): readonly Act[] {
  return [doubleClick, lostAnswer, crash, twins];
}

/** One act. */
export type Act = {
  readonly title: string;
  /** What happens, for a reader who sees it for the first time. */
  readonly story: string;
  /** What was sent, in words. */
  readonly sent: string;
  /** Plays it and returns how every request ended, per sender. */
  readonly play: (stores: EmbeddedStores, order: Order) => Promise<readonly (readonly Try[])[]>;
  /** Why the retry was safe. */
  readonly why: string;
};

const doubleClick: Act = {
  title: "a double click",
  story: "A customer clicks Pay twice. The second request arrives while the card network still works on the first.",
  sent: "the same payment twice, 30 ms apart",
  play: async (stores, order) => {
    const process = await startProcess(stores, { acquirer: networkOver(stores.journal, slowNetworkMs) });
    return await playAt([process], async () => {
      const first = pay(order, [process]);
      await pause(30);
      return await Promise.all([first, pay(order, [process])]);
    });
  },
  why: "The first request claimed the key. The second found the claim, waited, and got the first one's answer.",
};

const lostAnswer: Act = {
  title: "a lost answer",
  story: "The payment is done and committed, but the connection breaks before the answer reaches the shop.",
  sent: "the payment, and after the broken connection the same payment",
  play: async (stores, order) => {
    const process = await startProcess(stores, { accident: "answer lost" });
    return await playAt([process], async () => [await pay(order, [process])]);
  },
  why: "The answer was stored under the key before it was sent. A retry is a read: it moves no money.",
};

const crash: Act = {
  title: "a crash after the first commit",
  story:
    "The process writes down what it is going to do, and dies before it calls the card network. " +
    "The shop sends the payment again, to another process.",
  sent: "the payment, and after the crash the same payment to a second process",
  play: async (stores, order) => {
    const dying = await startProcess(stores, { accident: "dies after the first commit", timings: shortLease });
    const second = await startProcess(stores, { timings: shortLease });
    return await playAt([dying, second], async () => [await pay(order, [dying, second])]);
  },
  why:
    "The dead process held the key under a lease of 400 ms. When it was over, the second one took the key with a higher number. " +
    "It found the attempt that the first one had written down, and finished it. " +
    "The card network knows the attempt by a key of its own, so even a second call for it moves no money.",
};

const twins: Act = {
  title: "100 twins",
  story: "A broken loop sends one payment 100 times at once, to two processes that share nothing but the stores.",
  sent: "the same payment 100 times in parallel",
  play: async (stores, order) => {
    const processes = [await startProcess(stores), await startProcess(stores)] as const;
    return await playAt(processes, async () => {
      const senders = Array.from({ length: 100 }, (_unused, index) => processes[index % 2 === 0 ? 0 : 1]);
      return await Promise.all(senders.map((process) => pay(order, [process])));
    });
  },
  why: "Of 100 conditional creates of one record exactly one succeeds. The 99 others wait for its answer.",
};

/** Long enough for the second click to arrive while the first payment is in flight. */
const slowNetworkMs = 150;

/** The waits of production with a lease of 400 ms instead of 30 s, so that nobody has to watch it run out. */
const shortLease: Timings = { ...defaultTimings, leaseMs: 400, callTimeoutMs: 100, pollMs: 50 };

async function playAt<Result>(processes: readonly RunningProcess[], play: () => Promise<Result>): Promise<Result> {
  try {
    return await play();
  } finally {
    for (const process of processes) process.stop();
  }
}
