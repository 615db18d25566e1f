/**
 * Entry of test-acquirer: reads the settings, opens its journal, puts the test acquirer behind its front door, registers it.
 * It must never be deployed where real money moves: it approves whatever it is asked to.
 */
import { http } from "@google-cloud/functions-framework";
import { firestoreAcquirerJournal } from "./adapters/firestore-acquirer-journal.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { jsonLog, systemClock } from "./adapters/system.ts";
import { environmentNames, firestoreNames, requiredVariable } from "./config.ts";
import { shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { testAcquirer } from "./edge/test-acquirer.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });

const handler = testAcquirer({
  journal: firestoreAcquirerJournal({ database: firestore.database, collection: firestoreNames.acquirerJournal }),
  clock: systemClock,
  log: jsonLog,
  secret: setting("acquirerSecret"),
});

const door = installFrontDoor(handler);
shutDownGracefully(door, { onDrained: () => firestore.close() });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("test-acquirer", () => {});
