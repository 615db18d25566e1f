/**
 * How a claim is kept where a document is small: which body still fits, and how one's own write is recognised.
 * It never stores or compresses anything itself, and it never cuts a body short.
 */
import type { ClaimState, Fence } from "./idempotency.ts";

/**
 * The form in which a body is kept: as it is, else compressed, else not at all (design section 4.7).
 * @param compress gives the compressed bytes, or rejects; called only for a body that does not fit as it is
 */
export async function packBody(
  body: Uint8Array,
  compress: (body: Uint8Array) => Promise<Uint8Array>,
): Promise<PackedBody> {
  if (body.byteLength <= storedBytesMax) return { form: "raw", bytes: body };
  if (body.byteLength > bodyBytesMax) return { form: "in_ledger" };
  const compressed = await compress(body);
  return compressed.byteLength <= storedBytesMax ? { form: "gzip", bytes: compressed } : { form: "in_ledger" };
}

/** A body ready to be stored; `in_ledger` when only the ledger can hold it. */
export type PackedBody = { readonly form: "raw" | "gzip"; readonly bytes: Uint8Array } | { readonly form: "in_ledger" };

/** 900 KiB: a Firestore document holds 1 MiB with its name and all fields, and the other fields need under 2 KiB. */
export const storedBytesMax = 900 * 1024;

/** 10 MiB, the most a Spanner cell holds: nobody keeps a longer body, so it is not worth compressing or unpacking. */
export const bodyBytesMax = 10 * 1024 * 1024;

/**
 * True when a record that was found instead of a success is what we wrote ourselves: the first reply was lost, and the
 * client library's own retry met our write (design section 4.2). Owners are never reused, so a twin cannot match.
 */
export function isOwnWrite(found: StoredClaim, written: StoredClaim): boolean {
  return found.owner === written.owner && found.generation === written.generation && found.state === written.state;
}

type StoredClaim = Pick<Fence, "owner" | "generation"> & { readonly state: ClaimState };
