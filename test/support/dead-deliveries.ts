// Webhook endpoints and deliveries that were given up, put into a world as three days of failures would leave them.
// It must never make one that the code could not have made.

import { newDelivery } from "../../functions/domain/delivery-record.ts";
import type { WebhookDelivery } from "../../functions/domain/webhook-delivery.ts";
import { beginMs, type World } from "./world.ts";

/** Makes an endpoint through the API; its id. */
export async function deadEndpoint(
  world: Pick<World, "post">,
  { apiKey, description = "Orders" }: { apiKey?: string; description?: string } = {},
): Promise<string> {
  const form = { url: "https://shop.example/hooks", "enabled_events[0]": "*", description };
  const sent = apiKey === undefined ? {} : { apiKey };
  return (await world.post("/v1/webhook_endpoints", new URLSearchParams(form).toString(), sent)).json.id;
}

/** Puts a dead delivery of an endpoint into the store; its id. */
export async function deadDelivery(
  { deliveries }: Pick<World, "deliveries">,
  endpointId: string,
  { accountId = "acct_first", eventId = "evt_first", excerpt = "no such page", createdAtMs = beginMs } = {},
): Promise<string> {
  const about = { accountId, endpointId, eventId, eventType: "payment_intent.succeeded", body: Buffer.from("{}") };
  const dead: WebhookDelivery = {
    ...newDelivery(about, createdAtMs),
    state: "dead",
    next: null,
    sweepAtMs: null,
    dead: { reason: "exhausted", atMs: createdAtMs + 1_000 },
    attempts: [
      {
        id: "wa_1",
        trigger: { kind: "schedule", number: 1 },
        redriveId: null,
        startedAtMs: createdAtMs,
        durationMs: 12,
        failure: "status",
        status: 404,
        excerpt,
      },
    ],
  };
  await deliveries.create(dead);
  return dead.id;
}
