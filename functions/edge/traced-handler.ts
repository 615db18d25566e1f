/**
 * Puts a request into its trace before its handler sees it: the caller's, or a new one.
 * It must never change the request or the answer, and names a span by the route, never by an id or a customer's text.
 */
import type { Tracer } from "../flows/trace-ports.ts";
import { headerValues, pathOf, type WireHandler } from "./wire.ts";

/** The handler in its trace; health checks are in none. */
export function tracedHandler(tracer: Tracer, handler: WireHandler): WireHandler {
  return async (request) => {
    const path = pathOf(request.target);
    if (path === "/health") return await handler(request);
    const fields = { "http.request.method": request.method };
    const name = `${request.method.slice(0, 10)} ${routeOf(path)}`;
    const traceparent = headerValues(request, "traceparent");
    return await tracer.request({ name, kind: "server", traceparent, fields }, async (span) => {
      const response = await handler(request);
      const trips = tracer.roundTrips() ?? 0;
      span.set({ "http.response.status_code": response.status, storeRoundTrips: trips });
      return response;
    });
  };
}

/** The path with everything that is not a plain word of a route replaced: ids, keys, numbers, escapes. */
function routeOf(path: string): string {
  const pieces = path.split("/").slice(0, piecesMax);
  return pieces.map((piece) => (/^(v1|[a-z][a-z_-]{0,40}(\.[a-z]+)?)?$/.test(piece) ? piece : "{id}")).join("/");
}

/** The longest route has five words. */
const piecesMax = 8;
