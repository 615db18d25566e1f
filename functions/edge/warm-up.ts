/**
 * Lets a new instance meet its stores before its first request does: a client's first call opens its connection, which
 * takes 0.2 to 4 s, longer than a request waits for its cache.
 * It must never hold a request for longer than its bound, nor fail one: a store that stays away is the request's own affair.
 */
import type { Clock, Log } from "../flows/ports.ts";
import { pathOf, type WireHandler } from "./wire.ts";

/**
 * Starts `meetStores` at once, and lets requests through to the handler once it has ended, failed, or taken too long.
 * Health checks do not wait: they ask whether the process lives.
 */
export function warmedUp(
  handler: WireHandler,
  meetStores: () => Promise<unknown>,
  deps: { readonly clock: Clock; readonly log: Log },
): WireHandler {
  const warm = warmUp(meetStores, deps);
  return async (request) => {
    if (pathOf(request.target) !== "/health") await warm;
    return await handler(request);
  };
}

/** 2 s: most first calls have ended by then, and a client that waits for a cold start does not notice two more. */
export const warmUpMsMax = 2_000;

/** Never rejects. */
function warmUp(
  meetStores: () => Promise<unknown>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  const startedAtMs = clock.now();
  return new Promise((resolve) => {
    const end = (severity: "INFO" | "WARNING", message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      cancel();
      log(severity, message, { ...fields, durationMs: clock.now() - startedAtMs });
      resolve();
    };
    const cancel = clock.after(warmUpMsMax, () => end("WARNING", "warm-up goes on behind the first request"));
    // What comes after the bound is logged as well: it tells how slow a first call was.
    (async () => await meetStores())().then(
      () => end("INFO", "warm-up done"),
      (error: unknown) => end("WARNING", "warm-up failed", { reason: codeOf(error) }),
    );
  });
}

/** A code; never the text of a foreign error. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unexpected";
}
