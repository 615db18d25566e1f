/**
 * Entry of dead-letter-recorder: reads the settings, opens its store, puts it behind its front door, registers it.
 * It must never be open to the public: only its subscription's account may invoke it, and it checks that again itself.
 */
import { http } from "@google-cloud/functions-framework";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreDeadLetters } from "./adapters/firestore-dead-letters.ts";
import { jsonLog, systemClock } from "./adapters/system.ts";
import { environmentNames, firestoreNames, requiredVariable } from "./config.ts";
import { deadLetterRecorder } from "./edge/dead-letter-recorder.ts";
import { shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });

const handler = deadLetterRecorder({
  deadLetters: firestoreDeadLetters({
    database: firestore.database,
    letters: firestoreNames.deadLetters,
    redrives: firestoreNames.redrives,
    deleteAfterField: firestoreNames.deleteAfter,
  }),
  clock: systemClock,
  log: jsonLog,
  callerAccount: setting("callerAccount"),
});

const door = installFrontDoor(handler);
shutDownGracefully(door, { onDrained: () => firestore.close() });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("dead-letter-recorder", () => {});
