/**
 * Entry of test-acquirer: reads the settings, opens its journal, puts the test acquirer behind its front door, registers it.
 * It must never be deployed where real money moves: it approves whatever it is asked to.
 */
import { http } from "@google-cloud/functions-framework";
import { firestoreAcquirerJournal } from "./adapters/firestore-acquirer-journal.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { systemClock } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { environmentNames, firestoreNames, requiredVariable } from "./config.ts";
import { traceSettingsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { testAcquirer } from "./edge/test-acquirer.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const seen = openTracingWithClients("test-acquirer", traceSettingsIn(process.env));
const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });

const handler = testAcquirer(
  seen.watch({
    journal: firestoreAcquirerJournal({ database: firestore.database, collection: firestoreNames.acquirerJournal }),
    clock: systemClock,
    log: seen.log,
    tracer: seen.tracer,
    secret: setting("acquirerSecret"),
  }),
);

const door = installFrontDoor(handler, seen);
shutDownGracefully(door, { onDrained: closing(firestore, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("test-acquirer", () => {});
