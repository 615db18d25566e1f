/**
 * What one POST to a merchant's URL came to: an answer, or the reason why there is none.
 * It never holds a header or the whole body of a stranger, only what an attempt's log may show.
 */

/** The result of one POST. A merchant's failure is a value here, never an exception. */
export type Exchange = Answered | NotAnswered;

/** A status line and all headers arrived in time. */
export interface Answered {
  readonly kind: "answered";
  /** 200 to 599; interim answers (1xx) do not count. */
  readonly status: number;
  /** The header as it came, at most 64 characters; null when there was none, or a longer or repeated one. */
  readonly retryAfter: string | null;
  /**
   * The beginning of the body, made inert: printable text without control or direction characters, `excerptLengthMax`
   * characters at most. Whoever shows it still escapes it for its own medium.
   */
  readonly excerpt: string;
  /**
   * How reading the body ended. It never changes success or failure: with its status the receiver has spoken, and the body
   * is for people only. `cut`: more came than is read, or it came too slowly; `broken`: the connection ended inside it.
   */
  readonly bodyEnd: "complete" | "cut" | "broken";
  /** From the start until nothing more was read. */
  readonly durationMs: number;
}

/** No complete answer came. */
export interface NotAnswered {
  readonly kind: "not_answered";
  readonly failure: TransportFailure;
  /** Why, in our own words or as a library's code (`ECONNREFUSED`), at most 100 characters; holds nothing of a stranger's. */
  readonly reason: string;
  readonly durationMs: number;
}

/**
 * Why no answer came.
 * - `blocked_destination`: the URL or the address behind its name is one that we never dial; no byte left
 * - `dns_error`: the name has no address, or its servers do not answer
 * - `connection_error`: refused, reset or closed before the answer
 * - `tls_error`: no agreement on TLS, or a certificate that is wrong, expired or signed by nobody known
 * - `timeout`: the deadline of the whole attempt passed, wherever it was
 * - `protocol_error`: what came back is no HTTP answer, or its headers are larger than we read
 */
export type TransportFailure =
  | "blocked_destination"
  | "dns_error"
  | "connection_error"
  | "tls_error"
  | "timeout"
  | "protocol_error";

/** Characters of a body that an attempt's log keeps: enough for an error message, too few to store data with us. */
export const excerptLengthMax = 500;

/** Bounds of one POST; a lease on an attempt must be longer than `deadlineMs` and `bodyWaitMs` together. */
export interface ExchangeLimits {
  /** From the start to the end of the headers, in milliseconds: names, connecting, TLS and sending included. */
  readonly deadlineMs: number;
  /** How long the body may take once the headers are there, in milliseconds. */
  readonly bodyWaitMs: number;
  /** Bytes of the body that are read. */
  readonly bodyBytesMax: number;
  /** Bytes of status line and headers that are read. */
  readonly headerBytesMax: number;
}

/**
 * Why these numbers: Standard Webhooks recommends 15 to 30 s for a receiver; the body is for people only and not worth a
 * slot; 16 KiB are plenty for an error message, and the size of Node's own limit for headers.
 */
export const exchangeLimits: ExchangeLimits = {
  deadlineMs: 15_000,
  bodyWaitMs: 2_000,
  bodyBytesMax: 16 * 1024,
  headerBytesMax: 16 * 1024,
};
