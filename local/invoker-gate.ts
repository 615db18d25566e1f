// Plays the platform in front of a function: only who may invoke its service gets through.
// It must never read or change what it lets through.

import { doorError } from "../functions/edge/front-door.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { Plan, PlannedFunction } from "./plan.ts";
import { isGranted } from "./plan-grants.ts";

/** The handler, or a refusal of every request when the plan does not let everybody invoke the service. */
export function invokerGate(plan: Plan, { name, service }: PlannedFunction, handler: WireHandler): WireHandler {
  const right = { member: "allUsers", permission: "run.routes.invoke", resource: service };
  if (isGranted(plan.grants, right)) return handler;
  const message = `PERMISSION_DENIED: allUsers lacks run.routes.invoke (roles/run.invoker) on ${name}.`;
  return async () => doorError(403, "invalid_request_error", message);
}
