/**
 * The fingerprint of a request, from its parameters as the API understands them.
 * It never tells apart what means the same: `USD` and `usd`, or two orders of `expand`.
 */
import { requestFingerprint } from "../domain/idempotency.ts";
import { canonicalParameters } from "./canonical.ts";
import { listEntries, type ParameterMap } from "./parameter-tree.ts";

/** Fingerprint over method, path and parameters (design section 4; contract section 3.4). */
export function parameterFingerprint(method: string, path: string, parameters: ParameterMap): string {
  const currency = parameters.get("currency");
  const expand = parameters.get("expand");
  const isFolded = (typeof currency !== "string" || currency === currency.toLowerCase()) && expand === undefined;
  if (isFolded) return requestFingerprint(method, path, canonicalParameters(parameters));
  const folded = new Map(parameters);
  if (typeof currency === "string") folded.set("currency", currency.toLowerCase());
  if (expand !== undefined && typeof expand !== "string") {
    const paths = (listEntries(expand) ?? []).map(([, path]) => (typeof path === "string" ? path : ""));
    folded.set("expand", [...new Set(paths)].sort().join(","));
  }
  return requestFingerprint(method, path, canonicalParameters(folded));
}
