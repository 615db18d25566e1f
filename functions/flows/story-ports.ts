/**
 * What telling the life of a key or of a payment needs of the ledger's store: types only.
 * It never names a product; adapters satisfy these types and a memory twin proves them.
 */
import type { AccountBooks, KeyRecord, PaymentRecords } from "../domain/story.ts";

/** Reads what stands around keys and payments. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface Stories {
  /** A key's row and its payment, both at one moment; undefined when there is no row. */
  ofKey(keyHash: string): Promise<KeyStory | undefined>;
  /** A payment with all its records, at one moment; undefined when there is none. */
  ofPayment(intentId: string): Promise<PaymentRecords | undefined>;
  /** The books of an account and how far they are sealed, at one moment. */
  ofBooks(accountId: string): Promise<AccountBooks>;
}

/** What the ledger has of a key. */
export interface KeyStory {
  readonly row: KeyRecord;
  /** The payment that its request was about, whosever it is; null when it was about none. */
  readonly payment: PaymentRecords | null;
}
