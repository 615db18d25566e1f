/**
 * Entry of payments-api: checks the settings, opens the front door, and registers it. What it takes to make a payment is
 * loaded behind the door (payments-service.ts). It must never load a client of a store: that takes longer than all else.
 */
import { http } from "@google-cloud/functions-framework";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracing } from "./adapters/trace-open.ts";
import { paymentsSettingsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { openedLater } from "./edge/opened-later.ts";

// At once, because what is missing or wrong must end a deployment and not the first payment.
const settings = paymentsSettingsIn(process.env);
aesSecretBox(settings.endpointSecretKey);

const seen = openTracing("payments-api", settings.tracing);
const open = async () => (await import("./payments-service.ts")).openPayments(settings, seen);
const service = openedLater(open, { clock: systemClock, log: seen.log });
const door = installFrontDoor(service.handler, {
  ...seen,
  ownHeaders: () => ({ "Request-Id": systemRandom.id("req") }),
});
shutDownGracefully(door, { onDrained: closing(service, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("payments-api", () => {});
