/**
 * Puts one attempt of a delivery into a request: the headers a receiver expects, and both families of signatures.
 * It never changes the body: every attempt sends the bytes that were frozen at fan-out.
 */
import { signatureHeaders } from "./signature.ts";

/**
 * The request for an attempt that starts at `signedAtMs`; made anew for each attempt, for the signatures' sake. Its shape is
 * what the port `Egress` takes.
 * @throws Error as `signatureHeaders` does
 */
export function deliveryRequest(delivery: SignedDelivery, secrets: readonly string[], signedAtMs: number): Post {
  const { url, eventId, body } = delivery;
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": userAgent,
    // As the official service sends it (contract section 8.2).
    Accept: "*/*; q=0.5, application/xml",
    // Nothing of the answer is ever unpacked.
    "Accept-Encoding": "identity",
    "Cache-Control": "no-cache",
    ...signatureHeaders({ id: eventId, body, signedAtMs }, secrets),
  };
  return { url, headers, body };
}

/** What is delivered, and where. */
export interface SignedDelivery {
  /** The endpoint's URL as the merchant gave it. */
  readonly url: string;
  /** Id of the event, without a full stop. */
  readonly eventId: string;
  /** The rendered event, frozen. */
  readonly body: Uint8Array;
}

/** One POST. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Merchants find us by it in their logs and let it pass their firewalls. */
export const userAgent = "Payments-Webhooks/1.0";
