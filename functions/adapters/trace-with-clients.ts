/**
 * Opens tracing for an entry that opens its clients at once: theirs are recorded from the first call.
 * It must never be used by an entry that loads its clients late, because it loads what they share.
 */
import { recordClientSpans } from "./trace-client-spans.ts";
import { type OpenTracing, openTracing, type TraceSettings } from "./trace-open.ts";

/** As `openTracing`, and the spans of Spanner's and Firestore's clients with it. */
export function openTracingWithClients(service: string, settings: TraceSettings): OpenTracing {
  const seen = openTracing(service, settings);
  recordClientSpans(seen.clientSpans);
  return seen;
}
