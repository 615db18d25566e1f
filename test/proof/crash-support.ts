// Words that the proofs of crashes and fences share.
// It must never touch a store.
import type { Fault } from "../support/interception.ts";
import type { World } from "../support/world.ts";

/** The process dies at a call. */
export function died(at: "before" | "after"): Fault {
  return { at, act: "die" };
}

/** The whole process dies at a call: what waits for a deadline instead of the call never gets to its next one either. */
export function diedWhole(server: Pick<World, "ports">, at: "before" | "after"): Fault {
  const takes = () => {
    for (const port of Object.values(server.ports)) port.disturbAll(died("before"));
  };
  return { at, act: "die", takes };
}

/** A door that a test opens: calls wait at it until then. */
export function door(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
