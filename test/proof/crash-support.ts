// Words that the proofs of crashes and fences share.
// It must never touch a store.
import type { Fault } from "../support/interception.ts";

/** The process dies at a call. */
export function died(at: "before" | "after"): Fault {
  return { at, act: "die" };
}

/** A door that a test opens: calls wait at it until then. */
export function door(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
