// One process of the payments API on loopback, over stores that other processes share and that outlive it.
// It must never do anything on its own after it died: its handler is abandoned and its connections are cut.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings, type Timings } from "../../functions/domain/idempotency.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import type { Acquirer } from "../../functions/flows/acquirer-ports.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import type { EmbeddedStores } from "../embedded-stores.ts";

/** Starts one. */
export async function startProcess(stores: EmbeddedStores, settings: ProcessSettings = {}): Promise<RunningProcess> {
  const { timings = defaultTimings, acquirer = stores.acquirer, accident } = settings;
  let cutsLeft = accident === "answer lost" ? 1 : 0;
  const cutConnections = () => server.closeAllConnections();
  const ledger = accident === "dies after the first commit" ? dyingLedger(stores.ledger, () => stop()) : stores.ledger;
  const { balances, stories, cache, accounts, webhooks } = stores;
  const machine = { clock: systemClock, random: systemRandom, log: () => {} };
  const api = paymentsApi({ ledger, balances, stories, cache, accounts, acquirer, webhooks, ...machine }, timings);
  const server = createFrontDoorServer(async (request) => {
    const response = await api(request);
    if (cutsLeft > 0) {
      cutsLeft -= 1;
      cutConnections();
    }
    return response;
  });
  const stop = () => {
    server.close();
    cutConnections();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** What is special about a process; nothing by default. */
export type ProcessSettings = {
  readonly timings?: Timings;
  readonly acquirer?: Acquirer;
  /** Something that goes wrong once. */
  readonly accident?: "answer lost" | "dies after the first commit";
};

/** A process that answers. */
export type RunningProcess = {
  readonly baseUrl: string;
  /** Ends it with all its connections. May be called twice. */
  stop(): void;
};

/** The first commit reaches the ledger; nothing of the process comes after it. */
function dyingLedger(ledger: Ledger, die: () => void): Ledger {
  return {
    ...ledger,
    insert: async (tag, changes) => {
      await ledger.insert(tag, changes);
      die();
      return await new Promise(() => {});
    },
  };
}
