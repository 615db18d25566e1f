// What ledger-writer asks the dispatcher to carry out, without a socket between them: the real bytes and the real gate.
// It must never carry anything out itself.
import { carryOutPath, intendedText, outcomeIn } from "../../functions/adapters/intentions.ts";
import { memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import { completeIntentions, type IntentionSweep } from "../../functions/flows/complete-intentions.ts";
import type { IntentionCarrier } from "../../functions/flows/intention-ports.ts";
import { diedWhole } from "../proof/crash-support.ts";
import { deadDelivery, deadEndpoint } from "./dead-deliveries.ts";
import { clientOf, openWorld, type World, webhookPorts } from "./world.ts";

/** As whom ledger-writer calls in tests. */
export const intentionsCaller = "ledger-writer@project.iam.gserviceaccount.com";

/** The port over a dispatcher's handler. */
export function carrierTo(handler: WireHandler, caller: string = intentionsCaller): IntentionCarrier {
  const host = "webhook-dispatcher.example";
  const claims = { iss: "https://accounts.google.com", aud: `https://${host}`, email: caller, email_verified: true };
  const token = Buffer.from(JSON.stringify({ ...claims, exp: 4e9 })).toString("base64url");
  const headers = { host, authorization: `Bearer e30.${token}.SIGNATURE_REMOVED_BY_GOOGLE` };
  return {
    carryOut: async (use, intention) => {
      const { status, text } = await clientOf(handler).send("POST", carryOutPath, intendedText(use, intention), {
        headers,
      });
      return outcomeIn(status, text);
    },
  };
}

/** A dispatcher over the world's stores, or over some that a test disturbs. */
export function dispatcherOf(
  world: World,
  { endpoints = world.webhookEndpoints, deliveries = world.deliveries }: Partial<Disturbable> = {},
): WireHandler {
  const { clock, log, wakeUps } = world;
  return webhookDispatcher({
    ...{ endpoints, deliveries, clock, log, random: systemRandom, publisher: world.bus },
    ...{ health: memoryEndpointHealth(), box: webhookPorts().box, tasks: () => wakeUps },
    egress: { post: async () => Promise.reject(new Error("Nothing is sent here.")) },
    ...{ callerAccount: "nobody@project.iam.gserviceaccount.com", intentionsCaller },
  });
}

type Disturbable = Pick<Parameters<typeof webhookDispatcher>[0], "endpoints" | "deliveries">;

/** One sweep of the completer over what dead workers announced. */
export async function sweepIntentions(
  world: World,
  intentions: IntentionCarrier = carrierTo(dispatcherOf(world)),
): Promise<IntentionSweep> {
  const { ledger, clock, log } = world;
  return await completeIntentions({ ledger, intentions, clock, random: systemRandom, timings: defaultTimings, log });
}

/** Every write whose effect is outside the ledger, on an endpoint with a delivery that was given up. */
export const intentions: Readonly<
  Record<string, (endpointId: string, deliveryId: string) => [path: string, form: string]>
> = {
  "a creation": () => ["/v1/webhook_endpoints", "url=https://shop.example/hooks&enabled_events[]=*"],
  "an update": (endpointId) => [
    `/v1/webhook_endpoints/${endpointId}`,
    "description=changed&metadata[b]=1&metadata[a]=2",
  ],
  "a rotation": (endpointId) => [`/v1/webhook_endpoints/${endpointId}/rotate_secret`, ""],
  "a test event": (endpointId) => [`/v1/webhook_endpoints/${endpointId}/send_test_event`, ""],
  "a resend": (_, deliveryId) => [`/v1/webhook_deliveries/${deliveryId}/resend`, ""],
  "a redrive": (_, deliveryId) => [`/v1/webhook_deliveries/${deliveryId}/redrive`, ""],
};

/** A world in which the worker of one of them died: before it did anything, or when all was done but the key row. */
export async function abandoned(name: string, death: "before it" | "after it") {
  const world = await openWorld();
  const endpointId = await deadEndpoint(world);
  const deliveryId = await deadDelivery(world, endpointId);
  const [path, form] = intentions[name]?.(endpointId, deliveryId) ?? ["", ""];
  const ask = (server: Server) => server.post(path, form, { key: "left" });
  const dying = world.startServer();
  dying.ports.ledger.disturbCall(
    death === "before it" ? 1 : 2,
    diedWhole(dying, death === "before it" ? "after" : "before"),
  );
  void ask(dying);
  await world.clock.advance(0);
  return { world, ask };
}

type Server = Pick<World, "post" | "ports">;
