/**
 * A service that is loaded and opened behind its door: health checks are answered at once, the first request opens it.
 * It must never refuse a request because it is not open yet, nor open it twice.
 */
import type { Clock, Log } from "../flows/ports.ts";
import { jsonResponse, pathOf, type WireHandler } from "./wire.ts";

/** A service in its place. */
export interface OpenedService {
  readonly handler: WireHandler;
  /** Closes what it opened; it never rejects. */
  readonly close: () => Promise<unknown>;
}

/**
 * Opens by the first request that is no health check, or a second after the start, whichever comes first. When opening
 * fails that request's handler rejects, and the next request tries again.
 */
export function openedLater(
  open: () => Promise<OpenedService>,
  { clock, log }: { readonly clock: Pick<Clock, "after">; readonly log: Log },
): OpenedService {
  let opening: Promise<OpenedService> | undefined;
  const service = (): Promise<OpenedService> => {
    cancel();
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const cancel = clock.after(idleMs, () => {
    service().catch((error: unknown) => {
      log("ERROR", "service not opened", { error: error instanceof Error ? error.name : typeof error });
    });
  });
  return {
    handler: async (request) => {
      if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
      return await (await service()).handler(request);
    },
    close: async () => {
      cancel();
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/**
 * 1 s: an instance that is started for a request has it long before, and one that is kept warm has all the time it wants.
 * Loading takes half a second of a CPU in one piece, which the probe of a start must not wait for.
 */
const idleMs = 1_000;
