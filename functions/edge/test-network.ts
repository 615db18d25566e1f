/**
 * The test acquirer without HTTP between, for what runs in one process with it.
 * It must never differ from the one behind HTTP: both call the same flows.
 */
import { noAuthorization } from "../domain/test-network.ts";
import type { Acquirer, FollowUpOrder, JournalKind } from "../flows/acquirer-ports.ts";
import { answerOrder, type OrderDependencies } from "../flows/answer-order.ts";
import { lookUpOrder, voidKey } from "../flows/look-up-order.ts";
import type { AcquirerListing } from "../flows/reconciliation-ports.ts";
import { orderListing } from "./acquirer-list.ts";

/** The acquirer over a journal; its pages are under `baseUrl`, which matters to a browser only. */
export function networkOver(
  ports: Omit<OrderDependencies, "baseUrl">,
  baseUrl = "https://acquirer.example.test",
): Acquirer & AcquirerListing {
  const deps = { ...ports, baseUrl };
  const about = (kind: JournalKind) => async (order: FollowUpOrder) =>
    (await answerOrder(deps, { ...order, ...noAuthorization, kind })).result;
  return {
    authorize: async (order) => (await answerOrder(deps, { ...order, kind: "authorize", reference: null })).result,
    capture: about("capture"),
    void: about("void"),
    refund: about("refund"),
    lookup: (key) => lookUpOrder(deps, key),
    voidKey: (order) => voidKey(deps, order),
    ...orderListing(deps),
  };
}
