// The payments API over given stores on the machine's clock, stoppable at the acquirer and at the pauses of a twin.
// It must never wait by itself: a pause ends at once, or when the test ends it.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Accounts, IdempotencyCache, Ledger } from "../../functions/flows/ports.ts";
import { eventOutlet } from "../../functions/flows/publish-commits.ts";
import { apiKeys, clientOf, type Reply, webhookPorts } from "./world.ts";

/** Opens the API with one account in it; what it commits is published, and the rows of that are taken away by commits. */
export async function openHeldApi(stores: { ledger: Ledger; cache: IdempotencyCache; accounts: Accounts }) {
  const accountId = await addAccount(stores.accounts);
  const [atAcquirer, atPause] = [place(), place()];
  const journal = memoryAcquirerJournal();
  const log = () => {};
  const network = networkOver({ journal, clock: systemClock, log });
  const publishing = { publisher: memoryPublisher(), render: busMessageOf, clock: systemClock, log };
  const outlet = eventOutlet({ ...publishing, ledger: stores.ledger });
  const handler = paymentsApi(
    {
      ...stores,
      // Not what is counted here.
      balances: memoryBalances(memoryTables()),
      stories: memoryStories(memoryTables()),
      webhooks: webhookPorts(),
      acquirer: {
        ...network,
        authorize: async (order) => {
          await atAcquirer.pass();
          return await network.authorize(order);
        },
      },
      clock: { ...systemClock, sleep: atPause.pass },
      random: systemRandom,
      log,
      outlet,
    },
    // A cold connection of an emulator can take seconds, and a call that was given up would be made good by others.
    { ...defaultTimings, cacheDeadlineMs: 10_000 },
  );
  const { post } = clientOf(handler);
  return {
    accountId,
    pay: (key: string, form: string): Promise<Reply> => post("/v1/payment_intents", form, { key }),
    holdAcquirer: atAcquirer.hold,
    holdPauses: atPause.hold,
    /** Ends the timer that would take away what no commit did. */
    close: () => outlet.close(),
  };
}

async function addAccount(accounts: Accounts): Promise<string> {
  const createdAtMs = systemClock.now();
  const { id } = await accounts.ensureAccount({ id: systemRandom.id("acct"), name: "held", createdAtMs });
  const digest = apiKeyDigest(apiKeys.first);
  await accounts.addKey({ digest, accountId: id, lastFour: apiKeys.first.slice(-4), createdAtMs, revokedAtMs: null });
  return id;
}

/** A place where calls pass, or wait while it is held. */
function place() {
  let held: { arrival: PromiseWithResolvers<void>; exit: PromiseWithResolvers<void> } | undefined;
  return {
    pass: async () => {
      held?.arrival.resolve();
      await held?.exit.promise;
    },
    hold: () => {
      const { arrival, exit } = { arrival: Promise.withResolvers<void>(), exit: Promise.withResolvers<void>() };
      held = { arrival, exit };
      const release = () => {
        held = undefined;
        exit.resolve();
      };
      return { arrived: arrival.promise, release };
    },
  };
}
