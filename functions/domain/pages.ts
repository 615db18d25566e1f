/**
 * Lists as they are asked for and given: a page of an account's objects, newest first (contract section 2, Lists).
 * It holds types only.
 */
import type { EventType, PaymentEvent } from "./events.ts";
import type { BookingKind, LedgerTransaction } from "./ledger.ts";
import type { Currency } from "./money.ts";
import type { PaymentIntent } from "./payment-intent.ts";
import type { Refund } from "./refund.ts";

/** A page of intents to read (contract section 2, Lists). */
export interface IntentQuery {
  readonly accountId: string;
  /** 1 to 100. */
  readonly limit: number;
  /** The page after or before this intent, in the order newest first; both null for the first page. */
  readonly startingAfter: PaymentIntent | null;
  readonly endingBefore: PaymentIntent | null;
  readonly customer: string | null;
  /** Bounds on `createdAtMs`, each null when open: at or after, and before. */
  readonly createdFromMs: number | null;
  readonly createdBeforeMs: number | null;
}

/** A page of refunds to read. */
export interface RefundQuery extends Omit<IntentQuery, "startingAfter" | "endingBefore" | "customer"> {
  readonly intentId: string | null;
  readonly chargeId: string | null;
  readonly startingAfter: Refund | null;
  readonly endingBefore: Refund | null;
}

/** A page of events to read. */
export interface EventQuery extends Omit<IntentQuery, "startingAfter" | "endingBefore" | "customer"> {
  readonly types: readonly EventType[] | null;
  readonly startingAfter: PaymentEvent | null;
  readonly endingBefore: PaymentEvent | null;
}

/** A page of bookings to read; each filter matches everything when it is null. */
export interface BookingQuery extends Omit<IntentQuery, "startingAfter" | "endingBefore" | "customer"> {
  readonly kind: BookingKind | null;
  readonly sourceId: string | null;
  readonly currency: Currency | null;
  readonly startingAfter: LedgerTransaction | null;
  readonly endingBefore: LedgerTransaction | null;
}

/** A page, newest first, and whether more follow in the direction asked. */
export interface IntentPage {
  readonly intents: readonly PaymentIntent[];
  readonly hasMore: boolean;
}
