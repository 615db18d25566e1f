// Merchants' webhook receivers: each has its own way to fail, and writes down every POST that reached it.
// It must never be asked by the code under test what it saw: the log is an oracle.
import type { Exchange } from "../../functions/domain/exchange.ts";
import type { EgressRequest } from "../../functions/flows/egress-ports.ts";
import type { Faults } from "./faults.ts";
import type { outsideClock } from "./stores.ts";

/** One POST as a receiver got it. */
export interface Received {
  readonly atMs: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The receiver took it, whatever the sender heard. */
  readonly isTaken: boolean;
}

/** What a receiver does until it recovers. */
export const temperaments = [
  "well",
  "well",
  "flaky",
  "refuses",
  "hangs",
  "gone",
  "hopeless",
  "busy",
  "redirects",
] as const;

/** One of them. */
export type Temperament = (typeof temperaments)[number];

/** One receiver. */
export interface Receiver {
  readonly url: string;
  readonly temperament: Temperament;
  /** From when on it is well, or gone. */
  readonly turnsAtMs: number;
}

/** Receivers by URL. */
export function openReceivers(faults: Faults, clock: ReturnType<typeof outsideClock>) {
  const receivers = new Map<string, Receiver>();
  const received: Received[] = [];
  const { chance } = faults;
  const answerOf = async (receiver: Receiver): Promise<Exchange> => {
    const isTurned = clock.now() >= receiver.turnsAtMs;
    switch (receiver.temperament) {
      case "gone":
        return answered(isTurned ? 410 : 200);
      case "hopeless":
        return answered(500);
      case "redirects":
        return answered(301);
      case "flaky":
        if (isTurned || chance.happens(0.6)) return answered(200);
        return chance.happens(0.5) ? answered(503) : await hangUp();
      case "refuses":
        return isTurned ? answered(204) : { ...silence, failure: "connection_error", reason: "ECONNREFUSED" };
      case "hangs":
        return isTurned ? answered(200) : await hangUp();
      case "busy":
        return isTurned ? answered(200) : answered(429, String(chance.whole(1, 600)));
      case "well":
        return answered(200);
    }
  };
  const hangUp = async (): Promise<Exchange> => {
    await clock.sleep(15_000);
    return { ...silence, failure: "timeout", reason: "no answer in time", durationMs: 15_000 };
  };
  return {
    received: received as readonly Received[],
    add: (receiver: Receiver) => void receivers.set(receiver.url, receiver),
    at: (url: string) => receivers.get(url),
    egress: {
      post: async ({ url, headers, body }: EgressRequest): Promise<Exchange> => {
        const receiver = receivers.get(url);
        if (receiver === undefined) return { ...silence, failure: "dns_error", reason: "ENOTFOUND" };
        const atMs = clock.now();
        const exchange = await answerOf(receiver);
        const isTaken = exchange.kind === "answered" && exchange.status >= 200 && exchange.status < 300;
        received.push({ atMs, url, headers, body: Buffer.from(body).toString("utf8"), isTaken });
        // Taken, and the sender does not hear of it.
        if (faults.happens("lost reply", 0.02))
          return { ...silence, failure: "connection_error", reason: "ECONNRESET" };
        return exchange;
      },
    },
  };
}

const silence = { kind: "not_answered", durationMs: 1 } as const;

function answered(status: number, retryAfter: string | null = null): Exchange {
  return { kind: "answered", status, retryAfter, excerpt: "", bodyEnd: "complete", durationMs: 1 };
}
