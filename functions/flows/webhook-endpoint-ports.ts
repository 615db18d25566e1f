/**
 * What the flows need for webhook endpoints: their store and their answers, types only.
 * It never names a product; the memory twin and Firestore satisfy these types under one contract suite.
 */
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { WebhookEndpoint } from "../domain/webhook-endpoint.ts";

/**
 * The endpoints of all accounts. An account's endpoints change one change at a time: a commit names the version that it
 * was decided on. Every method may reject with `store_unavailable` or `permission_denied`.
 */
export interface WebhookEndpoints {
  /** An account's endpoints, newest first, with their version, and the outcome of a change that was committed before. */
  read(accountId: string, changeId: string | null): Promise<AccountEndpoints>;
  /**
   * Commits one change, with its outcome, in one step; `conflict` touches nothing: the account's endpoints are at another
   * version, or a change of this id stands already. A lost reply of one's own commit is a conflict too, and the next
   * `read` shows its outcome.
   */
  commit(commit: EndpointCommit): Promise<"committed" | "conflict">;
}

/** What stands there. */
export interface AccountEndpoints {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Opaque; null when the account never had an endpoint. */
  readonly version: string | null;
  /** Outcome of the asked change; undefined when it was not committed, or none was asked. */
  readonly done: StoredOutcome | undefined;
}

/** One change of an account's endpoints. */
export interface EndpointCommit {
  readonly accountId: string;
  /** The version it was decided on. */
  readonly version: string | null;
  readonly write:
    | { readonly op: "create" | "update"; readonly endpoint: WebhookEndpoint }
    | { readonly op: "delete"; readonly endpointId: string };
  /** The idempotent request that asked for it; null for a change of our own, which its own reason makes safe to repeat. */
  readonly change: {
    readonly id: string;
    readonly outcome: StoredOutcome;
    /** Milliseconds since the epoch. */
    readonly createdAtMs: number;
  } | null;
}

/** Answers about endpoints as bytes; the edge implements it. */
export interface EndpointRenderer {
  /** A 200 answer; `secret` is shown when it is not null, which is only right after it was made. */
  endpointAnswer(endpoint: WebhookEndpoint, secret: string | null): StoredOutcome;
  /** A 200 answer for what is gone. */
  deletedAnswer(endpointId: string): StoredOutcome;
}
