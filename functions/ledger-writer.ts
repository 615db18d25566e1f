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
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { settingsIn } from "./config.ts";
import { acquirerNamesIn, ledgerNamesIn, ledgerTermsOf, settlementsIn, traceSettingsIn } from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { ledgerWriter } from "./edge/ledger-writer.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

const setting = settingsIn(process.env);

const projectId = setting("project");
const seen = openTracingWithClients("ledger-writer", traceSettingsIn(process.env));
const spanner = openSpanner(ledgerNamesIn(process.env), seen.log);
const bus = openPubsub({ projectId, topic: setting("eventsTopic") }, process.env);
const { ledger, publisher } = seen.watch({ ledger: spannerLedger(spanner), publisher: bus });
const { audience, ...acquirer } = acquirerNamesIn(process.env);
const machine = { clock: systemClock, log: seen.log, tracer: seen.tracer };
const tasks = openTaskQueues({ ...machine, ...settlementsIn(process.env) });
const outlet = eventOutlet({ ...machine, ledger, publisher, render: busMessageOf });

const handler = ledgerWriter({
  ...machine,
  ...{ ledger, publisher, outlet, random: systemRandom },
  ...seen.watch({
    balances: spannerBalances(spanner),
    seals: spannerSeals(spanner),
    reconciliation: spannerReconciliation(spanner),
    operators: spannerOperators(spanner),
    outbox: spannerOutbox(spanner),
    acquirer: httpAcquirer({ ...acquirer, ...seen.onward, identityToken: identityTokenFor({ audience, ...machine }) }),
    tasks: tasks.calling,
  }),
  callerAccount: setting("callerAccount"),
  settlementsCaller: setting("settlementsCaller"),
  terms: ledgerTermsOf(process.env),
});

const door = installFrontDoor(handler, machine);
shutDownGracefully(door, { onDrained: closing(outlet, spanner, bus, tasks, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("ledger-writer", () => {});
