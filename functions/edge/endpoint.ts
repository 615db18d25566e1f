/**
 * What an endpoint of the payments API is given: who calls, with which parameters, and what it may use.
 * It holds types only.
 */

import type { SecretBox } from "../domain/secret-box.ts";
import type { UrlPolicy } from "../domain/webhook-url.ts";
import type { Balances } from "../flows/balance-ports.ts";
import type { Deliveries, DeliveryRenderer } from "../flows/delivery-ports.ts";
import type { IdempotentRequest, Work } from "../flows/idempotently-types.ts";
import type { Clock, GuardedCache, Ledger, Random, Renderer } from "../flows/ports.ts";
import type { Stories } from "../flows/story-ports.ts";
import type { TaskQueues } from "../flows/task-ports.ts";
import type { EndpointRenderer, WebhookEndpoints } from "../flows/webhook-endpoint-ports.ts";
import type { ParameterMap } from "./parameter-tree.ts";

/** What an endpoint is given. */
export interface Call {
  readonly accountId: string;
  /** Id from the path; empty when the path has none. */
  readonly id: string;
  readonly parameters: ParameterMap;
  /** Origin under which the client reached this API, without a trailing slash. */
  readonly baseUrl: string;
}

/** What endpoints need. */
export interface EndpointDependencies {
  readonly ledger: Ledger;
  readonly balances: Balances;
  readonly clock: Clock;
  readonly random: Random;
  readonly renderer: Renderer;
  readonly stories: Stories;
  /** For looking at a claim only; the idempotent path writes it. */
  readonly cache: Pick<GuardedCache, "read">;
  /** How long a lease is, in milliseconds. */
  readonly leaseMs: number;
  readonly webhooks: WebhookApiPorts & {
    readonly renderer: EndpointRenderer;
    readonly deliveryRenderer: DeliveryRenderer;
  };
}

/** What the calls on webhooks need from the outside. */
export interface WebhookApiPorts {
  readonly endpoints: WebhookEndpoints;
  readonly deliveries: Deliveries;
  /** Queues that wake the dispatcher. */
  readonly tasks: TaskQueues;
  readonly box: SecretBox;
  /** Which URLs may be registered. */
  readonly urlRules: UrlPolicy;
}

/** Typed input of an endpoint, with the paths to expand in its answer. */
export interface Parsed<Input> {
  readonly expand: readonly string[];
  readonly input: Input;
}

/** What serving a route takes: a read, or a write as work for the idempotent path. */
export type Serve =
  | { readonly kind: "read"; readonly read: (deps: EndpointDependencies, call: Call) => Promise<object> }
  | { readonly kind: "write"; readonly write: (call: Call) => Write };

/** A validated write. */
export interface Write {
  readonly expand: readonly string[];
  readonly work: (deps: EndpointDependencies, request: IdempotentRequest) => Work;
}
