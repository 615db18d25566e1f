/**
 * Entry of ledger-writer: reads the settings, opens the ledger, puts the writer behind its front door, and registers it.
 * It must never be open to the public: only its schedule and its queue may invoke it, and it checks that again itself.
 */
import { http } from "@google-cloud/functions-framework";
import { httpAcquirer } from "./adapters/acquirer.ts";
import { openTaskQueues } from "./adapters/cloud-tasks-client.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { httpIntentions } from "./adapters/intentions.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerJobStores } from "./adapters/spanner-job-stores.ts";
import { spannerLedger } from "./adapters/spanner-ledger.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { ledgerWriterSettingsIn } from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { ledgerWriter } from "./edge/ledger-writer.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

const settings = ledgerWriterSettingsIn(process.env);

const seen = openTracingWithClients("ledger-writer", settings.tracing);
const spanner = openSpanner(settings.ledger, seen.log);
const bus = openPubsub(settings.bus, process.env);
const { ledger, publisher } = seen.watch({ ledger: spannerLedger(spanner), publisher: bus });
const { audience, ...acquirer } = settings.acquirer;
const { token, ...carrier } = settings.intentions;
const machine = { clock: systemClock, log: seen.log, tracer: seen.tracer };
const tasks = openTaskQueues({ ...machine, ...settings.settlements });
const outlet = eventOutlet({ ...machine, ledger, publisher, render: busMessageOf });

const handler = ledgerWriter({
  ...machine,
  ...{ ledger, publisher, outlet, random: systemRandom },
  ...seen.watch({
    ...spannerJobStores(spanner),
    acquirer: httpAcquirer({ ...acquirer, ...seen.onward, identityToken: identityTokenFor({ audience, ...machine }) }),
    intentions: httpIntentions({
      ...carrier,
      ...seen.onward,
      identityToken: identityTokenFor({ ...token, ...machine }),
    }),
    tasks: tasks.calling,
  }),
  ...settings.callers,
  terms: settings.terms,
});

const door = installFrontDoor(handler, machine);
shutDownGracefully(door, { onDrained: closing(outlet, spanner, bus, tasks, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("ledger-writer", () => {});
