/**
 * Creates, changes and deletes webhook endpoints and rotates their secrets, each once per idempotency key.
 * It never lets a secret out but in the answer of the request that made it, and stores that answer sealed.
 */

import { openSecrets, sealSecrets } from "../domain/endpoint-secrets.ts";
import { type DomainError, hasCode, refuse } from "../domain/errors.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { KeyRow } from "../domain/rows.ts";
import { type SecretBox, sealOutcome } from "../domain/secret-box.ts";
import { rotateSecret, signingSecretFrom } from "../domain/signature.ts";
import {
  changedEndpoint,
  type EnabledEvent,
  type EndpointChanges,
  endpointsMax,
  intentionId,
  noSuchEndpoint,
  tooManyEndpoints,
  type WebhookEndpoint,
} from "../domain/webhook-endpoint.ts";
import type { IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Clock, Renderer } from "./ports.ts";
import type { EndpointCommit, EndpointRenderer, WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What changing endpoints needs. */
export interface EndpointChangeDependencies {
  readonly clock: Clock;
  readonly renderer: Renderer;
  readonly webhooks: {
    readonly endpoints: WebhookEndpoints;
    readonly box: SecretBox;
    readonly renderer: EndpointRenderer;
  };
}

/** A valid new endpoint. */
export interface EndpointInput {
  readonly url: string;
  readonly enabledEvents: readonly EnabledEvent[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly apiVersion: string | null;
}

/** The work of a create; its answer shows the signing secret, once. */
export function createEndpoint(
  deps: EndpointChangeDependencies,
  request: IdempotentRequest,
  input: EndpointInput,
): Work {
  return changing(deps, request, (current, row) => {
    if (current.length >= endpointsMax) return tooManyEndpoints();
    const id = intentionId("we", row);
    const secret = signingSecretFrom(deps.webhooks.box.randomBytes(32));
    const nowMs = deps.clock.now();
    const endpoint: WebhookEndpoint = {
      ...input,
      id,
      accountId: request.accountId,
      status: "enabled",
      disabledBecause: null,
      createdAtMs: nowMs,
      enabledAtMs: nowMs,
      sealedSecrets: sealSecrets(deps.webhooks.box, id, [{ secret, endsAtMs: null }]),
    };
    return {
      write: { op: "create", endpoint },
      outcome: showing(deps, row, endpoint, secret),
    };
  });
}

/** The work of an update. */
export function changeEndpoint(
  deps: EndpointChangeDependencies,
  request: IdempotentRequest,
  input: { readonly endpointId: string; readonly changes: EndpointChanges },
): Work {
  return changing(deps, request, (current) => {
    const endpoint = changedEndpoint(ownEndpoint(current, input.endpointId), input.changes, deps.clock.now());
    return { write: { op: "update", endpoint }, outcome: deps.webhooks.renderer.endpointAnswer(endpoint, null) };
  });
}

/** The work of a delete. */
export function deleteEndpoint(
  deps: EndpointChangeDependencies,
  request: IdempotentRequest,
  { endpointId }: { readonly endpointId: string },
): Work {
  return changing(deps, request, (current) => {
    ownEndpoint(current, endpointId);
    return { write: { op: "delete", endpointId }, outcome: deps.webhooks.renderer.deletedAnswer(endpointId) };
  });
}

/** The work of a rotation: a new secret, shown once, and the ones before it for `overlapMs` more. */
export function rotateEndpointSecret(
  deps: EndpointChangeDependencies,
  request: IdempotentRequest,
  input: { readonly endpointId: string; readonly overlapMs: number; readonly param: string },
): Work {
  const { box } = deps.webhooks;
  return changing(deps, request, (current, row) => {
    const before = ownEndpoint(current, input.endpointId);
    const secret = signingSecretFrom(box.randomBytes(32));
    const { overlapMs, param } = input;
    const secrets = rotateSecret(openSecrets(box, before), { secret, overlapMs, param, nowMs: deps.clock.now() });
    const endpoint = { ...before, sealedSecrets: sealSecrets(box, before.id, secrets) };
    return { write: { op: "update", endpoint }, outcome: showing(deps, row, endpoint, secret) };
  });
}

function showing(
  { webhooks }: EndpointChangeDependencies,
  row: KeyRow,
  endpoint: WebhookEndpoint,
  secret: string,
): StoredOutcome {
  return sealOutcome(webhooks.box, row.keyHash, webhooks.renderer.endpointAnswer(endpoint, secret));
}

/** What to write and what to answer; an error, returned or thrown as one of `refusals`, is the answer alone. */
type Decide = (
  current: readonly WebhookEndpoint[],
  row: KeyRow,
) => { readonly write: EndpointCommit["write"]; readonly outcome: StoredOutcome } | DomainError;

/** The key row is the intention; the change is committed with its outcome, guarded by a `create` on its id. */
function changing(deps: EndpointChangeDependencies, request: IdempotentRequest, decide: Decide): Work {
  const intention = { kind: "intention", changes: [], resourceId: null } as const;
  return {
    reads: {},
    blind: () => intention,
    begin: async () => intention,
    perform: (row) => perform(deps, request, row, decide),
  };
}

/** Of changes that meet one always wins, so a client that makes all its endpoints at once loses fifteen times at most. */
const runsMax = 20;

async function perform(
  deps: EndpointChangeDependencies,
  { accountId }: IdempotentRequest,
  row: KeyRow,
  decide: Decide,
): Promise<StoredOutcome> {
  const { endpoints: store } = deps.webhooks;
  const id = intentionId("wc", row);
  for (let run = 1; run <= runsMax; run += 1) {
    const { endpoints, version, done } = await store.read(accountId, id);
    if (done !== undefined) return done;
    const decision = decided(() => decide(endpoints, row));
    if (decision instanceof Error) return deps.renderer.errorAnswer(decision, null);
    const { write, outcome } = decision;
    const change = { id, outcome, createdAtMs: deps.clock.now() };
    if ((await store.commit({ accountId, version, write, change })) === "committed") return outcome;
  }
  throw refuse("lock_timeout", "The webhook endpoints are being changed by another request. Please retry.");
}

function decided(decide: () => ReturnType<Decide>): ReturnType<Decide> {
  try {
    return decide();
  } catch (error) {
    if (hasCode(error, "resource_missing", "parameter_invalid")) return error;
    throw error;
  }
}

function ownEndpoint(current: readonly WebhookEndpoint[], endpointId: string): WebhookEndpoint {
  const endpoint = current.find(({ id }) => id === endpointId);
  if (endpoint === undefined) throw noSuchEndpoint(endpointId);
  return endpoint;
}
