/**
 * Reads deliveries of one account, with their attempts.
 * It never shows an object of another account, and nothing of what was sent but ids.
 */
import { noSuchDelivery, type WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { Deliveries, DeliveryQuery } from "./delivery-ports.ts";

/** What reading needs. */
export interface ReadDeliveryDependencies {
  readonly webhooks: { readonly deliveries: Deliveries };
}

/**
 * One delivery.
 * @throws DomainError `resource_missing` with the named param
 */
export async function readDelivery(
  { webhooks }: ReadDeliveryDependencies,
  input: { readonly accountId: string; readonly deliveryId: string },
  param = "webhook_delivery",
): Promise<WebhookDelivery> {
  const found = await webhooks.deliveries.read(input.deliveryId);
  if (found === undefined || found.delivery.accountId !== input.accountId)
    throw noSuchDelivery(input.deliveryId, param);
  return found.delivery;
}

/** A page to list; cursors are ids (contract section 2, Lists). */
export interface DeliveryListInput extends Omit<DeliveryQuery, "startingAfter" | "endingBefore"> {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

/**
 * One page of deliveries, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listDeliveries(deps: ReadDeliveryDependencies, input: DeliveryListInput) {
  const cursor = async (deliveryId: string | null, param: string) =>
    deliveryId === null ? null : await readDelivery(deps, { accountId: input.accountId, deliveryId }, param);
  const startingAfter = await cursor(input.startingAfter, "starting_after");
  const endingBefore = await cursor(input.endingBefore, "ending_before");
  return await deps.webhooks.deliveries.list({ ...input, startingAfter, endingBefore });
}
