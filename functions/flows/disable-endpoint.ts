/**
 * Switches off an endpoint that asked for it, or that failed for days, and says so by an event (design section 7).
 * It never tells twice: the notice has one id for one time that the endpoint was enabled.
 */
import { refuse } from "../domain/errors.ts";
import { type DisabledBecause, disabledNoticeId, type WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { Publisher } from "./bus-ports.ts";
import type { RenderNotice } from "./delivery-ports.ts";
import type { Clock, Log } from "./ports.ts";
import type { WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What disabling needs. */
export interface DisableDependencies {
  readonly endpoints: WebhookEndpoints;
  readonly publisher: Publisher;
  readonly renderNotice: RenderNotice;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/** Makes the verb; an endpoint that is disabled, changed or gone by now is left alone. */
export function disableEndpoint(deps: DisableDependencies) {
  return async (seen: WebhookEndpoint, because: DisabledBecause): Promise<void> => {
    for (let run = 1; run <= runsMax; run += 1) {
      const { endpoints, version } = await deps.endpoints.read(seen.accountId, null);
      const endpoint = endpoints.find(({ id }) => id === seen.id);
      // Another URL is another receiver, and one that was enabled since is wanted again.
      if (endpoint === undefined || endpoint.status === "disabled" || endpoint.url !== seen.url) return;
      if (endpoint.enabledAtMs !== seen.enabledAtMs) return;
      const disabled: WebhookEndpoint = { ...endpoint, status: "disabled", disabledBecause: because };
      // Before the change: whoever dies between the two comes again, and tells the same under the same id.
      const eventId = disabledNoticeId(endpoint);
      await deps.publisher.publish([deps.renderNotice({ eventId, endpoint: disabled, atMs: deps.clock.now() })]);
      const write = { op: "update", endpoint: disabled } as const;
      const end = await deps.endpoints.commit({ accountId: endpoint.accountId, version, write, change: null });
      if (end === "conflict") continue;
      deps.log("WARNING", "webhook endpoint disabled", { endpointId: endpoint.id, because, eventId });
      return;
    }
    throw refuse("store_unavailable", "The endpoint is being changed by others all the time.");
  };
}

/** Changes of one account's endpoints are rare; whoever loses so often meets something else. */
const runsMax = 5;
