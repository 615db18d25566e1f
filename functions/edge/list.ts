/**
 * The envelope of a list (contract section 2, Lists).
 * It never sorts, filters or cuts: the page arrives as it is shown.
 */
import type Stripe from "stripe";

/** The list as the client's type has it. */
export function listBody<Item>(page: ListPage<Item>): Stripe.ApiList<Item> {
  return {
    object: "list",
    url: page.url,
    // The client's paging throws on an empty page that promises more.
    has_more: page.hasMore && page.data.length > 0,
    data: [...page.data],
  };
}

/** A page of a list, with its items rendered. */
export interface ListPage<Item> {
  /** Path of the list, without a query: `/v1/payment_intents`. */
  readonly url: string;
  /** Items newest first. */
  readonly data: readonly Item[];
  /** Whether more follow in the direction asked. */
  readonly hasMore: boolean;
}
