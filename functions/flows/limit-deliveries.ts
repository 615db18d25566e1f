/**
 * Remembers, in one instance, how much each endpoint is taking, and lets attempts through or gives them a later time.
 * It never asks a store: a shared counter for each endpoint would be its hottest document.
 */

import { jitterOf } from "../domain/delivery-schedule.ts";
import {
  enter,
  failingLimits,
  type GateLimits,
  type GateState,
  healthyLimits,
  leave,
  openGate,
} from "../domain/endpoint-gate.ts";
import type { DeliveryGate } from "./delivery-ports.ts";
import type { Clock } from "./ports.ts";

/** The gate of one instance; `limits` are other ones in tests only. */
export function deliveryGate(
  { clock }: { readonly clock: Pick<Clock, "now"> },
  limits: { readonly healthy: GateLimits; readonly failing: GateLimits } = {
    healthy: healthyLimits,
    failing: failingLimits,
  },
): DeliveryGate {
  const gates = new Map<string, GateState>();
  return {
    enter: (endpointId, isHealthy, seed) => {
      const nowMs = clock.now();
      if (gates.size >= gatesMax) forgetIdle(gates, nowMs);
      const state = gates.get(endpointId) ?? openGate;
      const entry = enter(state, isHealthy ? limits.healthy : limits.failing, nowMs, jitterOf(seed));
      gates.set(endpointId, entry.state);
      return entry.kind === "enters" ? { kind: "enters" } : { kind: "waits", atMs: entry.atMs };
    },
    leave: (endpointId) => {
      const state = gates.get(endpointId);
      if (state !== undefined) gates.set(endpointId, leave(state));
    },
  };
}

/** A state is under 100 bytes, so ten thousand are a megabyte. */
const gatesMax = 10_000;

function forgetIdle(gates: Map<string, GateState>, nowMs: number): void {
  for (const [endpointId, state] of gates) {
    if (state.inFlight === 0 && state.paidUntilMs <= nowMs && state.reservedAtMs <= nowMs) gates.delete(endpointId);
  }
}
