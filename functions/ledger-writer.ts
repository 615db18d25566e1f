/**
 * Entry of ledger-writer: reads the settings, opens the ledger, puts the writer behind its front door, and registers it.
 * It must never be open to the public: only its schedule and its queue may invoke it, and it checks that again itself.
 */
import { http } from "@google-cloud/functions-framework";
import { httpAcquirer } from "./adapters/acquirer.ts";
import { openTaskQueues } from "./adapters/cloud-tasks-client.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { spannerBalances } from "./adapters/spanner-balances.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerLedger } from "./adapters/spanner-ledger.ts";
import { spannerOperators } from "./adapters/spanner-operators.ts";
import { spannerOutbox } from "./adapters/spanner-outbox.ts";
import { spannerReconciliation } from "./adapters/spanner-reconciliation.ts";
import { spannerSeals } from "./adapters/spanner-seals.ts";
import { jsonLog, systemClock, systemRandom } from "./adapters/system.ts";
import { settingsIn } from "./config.ts";
import { acquirerNamesIn, ledgerNamesIn, ledgerTermsOf, settlementsIn } from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { ledgerWriter } from "./edge/ledger-writer.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

const setting = settingsIn(process.env);

const projectId = setting("project");
const spanner = openSpanner(ledgerNamesIn(process.env), jsonLog);
const ledger = spannerLedger(spanner);
const bus = openPubsub({ projectId, topic: setting("eventsTopic") }, process.env);
const { audience, ...acquirer } = acquirerNamesIn(process.env);
const machine = { clock: systemClock, log: jsonLog };
const tasks = openTaskQueues({ ...machine, ...settlementsIn(process.env) });
const outlet = eventOutlet({ ...machine, ledger, publisher: bus, render: busMessageOf });

const handler = ledgerWriter({
  ...machine,
  ...{ ledger, balances: spannerBalances(spanner) },
  seals: spannerSeals(spanner),
  reconciliation: spannerReconciliation(spanner),
  operators: spannerOperators(spanner),
  outbox: spannerOutbox(spanner),
  publisher: bus,
  outlet,
  acquirer: httpAcquirer({ ...acquirer, identityToken: identityTokenFor({ audience, clock: systemClock }) }),
  random: systemRandom,
  tasks: tasks.calling,
  callerAccount: setting("callerAccount"),
  settlementsCaller: setting("settlementsCaller"),
  terms: ledgerTermsOf(process.env),
});

const door = installFrontDoor(handler);
shutDownGracefully(door, { onDrained: closing(outlet, spanner, bus, tasks) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("ledger-writer", () => {});
