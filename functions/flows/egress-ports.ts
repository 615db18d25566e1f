/**
 * What the flows need to reach a merchant's receiver: types only.
 * It never names a product, and no flow gets a way to call a URL but this one.
 */
import type { Exchange } from "../domain/exchange.ts";

/** One POST to a URL that a customer chose. */
export interface EgressRequest {
  /** As the customer gave it; it is read by `parseWebhookUrl` and by nothing else. */
  readonly url: string;
  /** Without `Host`, `Content-Length` and `Connection`, which the guard sets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The guard: the only way out to a customer's URL. */
export interface Egress {
  /**
   * Sends once; follows nothing, repeats nothing. Whatever the receiver or the network does is a value; rejects only for a
   * request that cannot be put into bytes, which is our own fault.
   */
  post(request: EgressRequest): Promise<Exchange>;
}
