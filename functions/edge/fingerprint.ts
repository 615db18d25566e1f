/**
 * The fingerprint of a request, from its parameters as the API understands them.
 * It never tells apart what means the same: `USD` and `usd`, or two orders of `expand`.
 */
import { requestFingerprint } from "../domain/idempotency.ts";
import { canonicalParameters } from "./canonical.ts";
import { listEntries, type ParameterMap } from "./parameter-tree.ts";

/** Fingerprint over method, path and parameters (design section 4; contract section 3.4). */
export function parameterFingerprint(method: string, path: string, parameters: ParameterMap): string {
  const folded = new Map(parameters);
  const currency = folded.get("currency");
  if (typeof currency === "string") folded.set("currency", currency.toLowerCase());
  const expand = folded.get("expand");
  if (expand !== undefined && typeof expand !== "string") {
    const paths = (listEntries(expand) ?? []).map(([, path]) => (typeof path === "string" ? path : ""));
    folded.set("expand", [...new Set(paths)].sort().join(","));
  }
  return requestFingerprint(method, path, canonicalParameters(folded));
}
