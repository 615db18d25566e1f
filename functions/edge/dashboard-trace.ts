/**
 * Where a trace can be looked at: Cloud Trace's explorer, for those whom the project lets in.
 * It must never hold more of a trace than its id.
 */

/** From a trace's 32 hexadecimal digits to its page in the console of this project. */
export function cloudTraceUrl(projectId: string): (traceId: string) => string {
  return (traceId) =>
    `https://console.cloud.google.com/traces/list?project=${encodeURIComponent(projectId)}&tid=${traceId}`;
}
