/**
 * The ledger-writer over HTTP: the platform's schedule calls it, nobody else.
 * It never answers a customer, and never says more than how a sweep went.
 */
import { refuse } from "../domain/errors.ts";
import { defaultTimings, type Timings } from "../domain/idempotency.ts";
import { completeAttempts } from "../flows/complete-attempts.ts";
import type { Acquirer, Clock, Ledger, Log, Random } from "../flows/ports.ts";
import { settleAttempt } from "../flows/settle-attempt.ts";
import { errorResponseOf } from "./error-table.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { wireRenderer } from "./renderer.ts";
import { jsonResponse, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/** What the ledger-writer needs from the outside. */
export interface LedgerWriterPorts {
  readonly ledger: Ledger;
  readonly acquirer: Acquirer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Service account whose tokens it accepts: the schedule's. */
  readonly callerAccount: string;
}

/** The handler. Its routes: `POST /complete` settles abandoned attempts, `GET /health`. */
export function ledgerWriter(ports: LedgerWriterPorts, timings: Timings = defaultTimings): WireHandler {
  const settle = settleAttempt({ ...ports, renderer: wireRenderer(), timings });
  return async (request) => {
    if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
    try {
      requirePlatformCaller(request, ports.callerAccount, ports.clock.now());
      return await route(request, async () => {
        const sweep = await completeAttempts({ ...ports, settle, timings });
        ports.log("INFO", "attempts completed", { ...sweep });
        return sweep;
      });
    } catch (error) {
      const response = errorResponseOf(error);
      ports.log("ERROR", "sweep failed", {
        status: response.status,
        reason: error instanceof Error ? error.message : "unknown",
      });
      return response;
    }
  };
}

async function route(request: WireRequest, complete: () => Promise<object>): Promise<WireResponse> {
  const path = pathOf(request.target);
  if (path !== "/complete")
    throw refuse("route_unknown", `Unrecognized request URL (${request.method}: ${path.slice(0, 200)}).`);
  if (request.method !== "POST") throw refuse("method_not_allowed", "Only POST is allowed here.");
  return jsonResponse(200, await complete());
}
