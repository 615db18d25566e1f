/**
 * What one transaction commits of a decision about a payment.
 * It holds the type only: decisions are made in `decide.ts`, `settle.ts` and `challenge.ts`.
 */
import type { Attempt } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import type { EventDraft } from "./events.ts";
import type { LedgerTransaction } from "./ledger.ts";
import type { PaymentIntent } from "./payment-intent.ts";

/** A decision as rows to be; what is absent does not change. */
export interface Changed {
  readonly intent: PaymentIntent;
  readonly events: readonly EventDraft[];
  /** The attempt that begins (open) or goes on (anything else). */
  readonly attempt?: Attempt;
  /** A challenged attempt that ends here, beside the one that begins. */
  readonly superseded?: Attempt;
  /** The charge that is made or changed; null or absent when none is. */
  readonly charge?: Charge | null;
  readonly booking?: LedgerTransaction;
  /** Why the acquirer refused to capture or void, after which the intent is as it was. */
  readonly refusal?: Charge["failure"];
}
