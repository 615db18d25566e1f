/**
 * What the dashboard needs from the outside: the payments API as the merchant who is signed in calls it.
 * It holds types only.
 */

/** The payments API, called with a merchant's own key: whatever that key may not see, the dashboard cannot show. */
export interface MerchantApi {
  /** One call. It never rejects: what goes wrong on the way is an answer of the kind `silent`. */
  call(request: MerchantCall): Promise<MerchantAnswer>;
}

/** One call of the API. */
export interface MerchantCall {
  readonly apiKey: string;
  /** Path from `/v1/`, each of its parts percent-encoded. */
  readonly path: string;
  /** Query of a GET. */
  readonly query?: Readonly<Record<string, string>>;
  /** A POST with this form under this idempotency key; without it the call is a GET. */
  readonly send?: { readonly form: Readonly<Record<string, string>>; readonly idempotencyKey: string };
  /** Headers beyond those of every call, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came of a call. */
export type MerchantAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** What the JSON of the answer holds; undefined when it holds none. */
      readonly body: unknown;
      /** `Request-Id` of the answer; null when it has none. */
      readonly requestId: string | null;
      /** True when the API gave a stored answer again. */
      readonly isReplay: boolean;
    }
  | { readonly kind: "silent"; readonly reason: "slow" | "unreachable" | "too_long" };
