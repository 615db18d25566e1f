/**
 * The origin under which a client reached this function: `https://` and the request's Host (design section 2).
 * It never comes from a setting: a function cannot know its own address before it is deployed.
 */
import { headerValues, type WireRequest } from "./wire.ts";

/** The origin, without a trailing slash; plain http for loopback, where the laptop and the tests are. */
export function baseUrlOf(request: WireRequest): string {
  const host = headerValues(request, "host")[0] ?? "localhost";
  return `${isLoopback.test(host) ? "http" : "https"}://${host}`;
}

const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
