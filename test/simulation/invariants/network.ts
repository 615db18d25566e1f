// The acquirer's journal as effects: what happened to the buyers' money, seen from outside.
// It must never look into the ledger.
import type { JournalLine } from "../../../functions/flows/acquirer-ports.ts";
import { lookUpOrder } from "../../../functions/flows/look-up-order.ts";
import type { Aftermath } from "../aftermath.ts";
import { outsideClock } from "../stores.ts";

/** An order that the acquirer knows, with its result as it stands now. */
export interface NetworkOrder extends JournalLine {
  /** It was authorized and let go since. */
  readonly isVoided: boolean;
}

/** What it looks at. */
export type Remains = Pick<Aftermath, "stores"> & { readonly time: Parameters<typeof outsideClock>[0] };

/** All orders. The late void of a key is part of that key's story. */
export async function ordersOf({ stores, time }: Remains): Promise<readonly NetworkOrder[]> {
  const lines = await stores.journal.list(10_000);
  const orders = lines.filter(({ kind, key }) => orderKinds.has(kind) && !key.endsWith("_late_void"));
  const deps = { journal: stores.journal, clock: outsideClock(time) };
  return await Promise.all(
    orders.map(async (line) => {
      const found = await lookUpOrder(deps, line.key);
      return found.kind === "found"
        ? { ...line, result: found.result, isVoided: found.isVoided }
        : { ...line, isVoided: false };
    }),
  );
}

const orderKinds: ReadonlySet<string> = new Set(["authorize", "capture", "void", "refund"]);

/** It lasts: approved, and not let go. */
export function lasts({ result, isVoided }: NetworkOrder): boolean {
  return result.kind === "approved" && !isVoided;
}

/** Money was taken from a buyer. */
export function takes(order: NetworkOrder): boolean {
  return lasts(order) && (order.kind === "capture" || (order.kind === "authorize" && !order.captureLater));
}

/** Money goes back to a buyer, or is on its way. */
export function returns({ kind, result }: NetworkOrder): boolean {
  return kind === "refund" && result.kind !== "declined";
}

/** The sum of some orders. */
export function totalOf(orders: readonly NetworkOrder[]): bigint {
  return orders.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}
