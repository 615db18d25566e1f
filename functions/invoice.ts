/**
 * Entry of invoice: reads the settings, opens its store, puts it behind its front door, registers it.
 * It must never be open to the public: only its subscription's account may invoke it, and it checks that again itself.
 */
import { http } from "@google-cloud/functions-framework";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreConsumerStore } from "./adapters/firestore-consumer-store.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { environmentNames, firestoreNames, requiredVariable } from "./config.ts";
import { traceSettingsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { invoice } from "./edge/invoice.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const seen = openTracingWithClients("invoice", traceSettingsIn(process.env));
const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });
const { database } = firestore;
const deleteAfterField = firestoreNames.deleteAfter;

const handler = invoice(
  seen.watch({
    store: firestoreConsumerStore({ database, collection: firestoreNames.consumerMarkers, deleteAfterField }),
    invoices: firestoreNames.invoices,
    clock: systemClock,
    random: systemRandom,
    log: seen.log,
    tracer: seen.tracer,
    callerAccount: setting("callerAccount"),
  }),
);

const door = installFrontDoor(handler, seen);
shutDownGracefully(door, { onDrained: closing(firestore, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("invoice", () => {});
