/**
 * Reads webhook endpoints of one account.
 * It never shows an object of another account, and never a secret.
 */
import { noSuchEndpoint, type WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What reading needs. */
export interface ReadEndpointDependencies {
  readonly webhooks: { readonly endpoints: WebhookEndpoints };
}

/**
 * One endpoint.
 * @throws DomainError `resource_missing` with param `webhook_endpoint`
 */
export async function readEndpoint(
  deps: ReadEndpointDependencies,
  input: { readonly accountId: string; readonly endpointId: string },
): Promise<WebhookEndpoint> {
  const { endpoints } = await deps.webhooks.endpoints.read(input.accountId, null);
  const endpoint = endpoints.find(({ id }) => id === input.endpointId);
  if (endpoint === undefined) throw noSuchEndpoint(input.endpointId);
  return endpoint;
}

/** A page to list; cursors are ids (contract section 2, Lists). */
export interface EndpointListInput {
  readonly accountId: string;
  readonly limit: number;
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

/**
 * One page of endpoints, newest first: an account has so few that they are read whole.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listEndpoints(
  deps: ReadEndpointDependencies,
  input: EndpointListInput,
): Promise<{ readonly endpoints: readonly WebhookEndpoint[]; readonly hasMore: boolean }> {
  const { endpoints } = await deps.webhooks.endpoints.read(input.accountId, null);
  const position = (id: string | null, param: string) => {
    if (id === null) return undefined;
    const index = endpoints.findIndex((endpoint) => endpoint.id === id);
    if (index === -1) throw noSuchEndpoint(id, param);
    return index;
  };
  const after = position(input.startingAfter, "starting_after");
  const before = position(input.endingBefore, "ending_before");
  // Before a cursor the page nearest to it is wanted.
  const candidates = endpoints.slice((after ?? -1) + 1, before);
  const page = before === undefined ? candidates.slice(0, input.limit) : candidates.slice(-input.limit);
  return { endpoints: page, hasMore: candidates.length > page.length };
}
