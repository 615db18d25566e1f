/**
 * The sample shop's webhook endpoint: bytes to a verified event, and what became of it to a status.
 * It must never read a body before its signature was verified, nor answer 2xx for an event that is not dealt with.
 */
import { eventNewsOf, fieldsOf } from "../domain/payment-news.ts";
import type { Random } from "../flows/ports.ts";
import { receiveWebhook } from "../flows/receive-webhook.ts";
import type { SeenEvents } from "../flows/receiver-ports.ts";
import { type HearingDependencies, hearNews } from "../flows/shop-hear.ts";
import { jsonResponse, type WireRequest, type WireResponse } from "./wire.ts";

/** What receiving needs beside the orders. */
export interface WebhookPorts extends HearingDependencies {
  readonly seen: SeenEvents;
  readonly random: Random;
}

/**
 * The answer to one delivery: 200 once the event is dealt with, now or before; 409 while another delivery of it is; 400 when
 * it proves nothing; 503 while the shop knows no secret yet. What a store throws is thrown on, and the sender tries again.
 */
export async function takeWebhook(ports: WebhookPorts, request: WireRequest): Promise<WireResponse> {
  const endpoint = await ports.endpoints.read();
  if (endpoint === undefined) return jsonResponse(503, { error: "This shop has no endpoint yet." });
  const headers = Object.fromEntries(
    [...request.headers].map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
  const received = await receiveWebhook(
    {
      ...ports,
      secrets: [endpoint.secret],
      handle: async (_eventId, body) => {
        const told = eventNewsOf(fieldsOf(JSON.parse(Buffer.from(body).toString("utf8"))));
        if (told !== undefined) await hearNews(ports, told);
      },
    },
    { headers, rawBody: request.body },
  );
  switch (received.kind) {
    case "handled":
    case "duplicate":
      return jsonResponse(200, { received: true });
    case "busy":
      return jsonResponse(409, { error: "busy" }, { "Retry-After": String(received.retryAfterSeconds) });
    case "refused":
      ports.log("WARNING", "webhook refused", { reason: received.reason });
      return jsonResponse(400, { error: received.reason });
  }
}
