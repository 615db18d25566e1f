/**
 * Creates, changes and deletes webhook endpoints and rotates their secrets, each once per use of an idempotency key.
 * It never lets a secret out but in the answer of the request that made it, and stores that answer sealed.
 */

import { openSecrets, sealSecrets } from "../domain/endpoint-secrets.ts";
import { type DomainError, hasCode, refuse } from "../domain/errors.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse, SecretRotation } from "../domain/intention.ts";
import { type SecretBox, sealOutcome } from "../domain/secret-box.ts";
import { rotateSecret, signingSecretFrom } from "../domain/signature.ts";
import {
  changedEndpoint,
  type EndpointChanges,
  type EndpointInput,
  endpointsMax,
  intentionId,
  noSuchEndpoint,
  tooManyEndpoints,
  type WebhookEndpoint,
} from "../domain/webhook-endpoint.ts";
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

/** Creates one; the answer shows the signing secret, once. Rejects as `changing` does. */
export async function createEndpoint(
  deps: EndpointChangeDependencies,
  use: IntendedUse,
  input: EndpointInput,
): Promise<StoredOutcome> {
  return await changing(deps, use, (current) => {
    if (current.length >= endpointsMax) return tooManyEndpoints();
    const id = intentionId("we", use);
    const secret = signingSecretFrom(deps.webhooks.box.randomBytes(32));
    const nowMs = deps.clock.now();
    const endpoint: WebhookEndpoint = {
      ...input,
      id,
      accountId: use.accountId,
      status: "enabled",
      disabledBecause: null,
      createdAtMs: nowMs,
      enabledAtMs: nowMs,
      sealedSecrets: sealSecrets(deps.webhooks.box, id, [{ secret, endsAtMs: null }]),
    };
    return {
      write: { op: "create", endpoint },
      outcome: showing(deps, use, endpoint, secret),
    };
  });
}

/** Changes one. Rejects as `changing` does. */
export async function changeEndpoint(
  deps: EndpointChangeDependencies,
  use: IntendedUse,
  input: { readonly endpointId: string; readonly changes: EndpointChanges },
): Promise<StoredOutcome> {
  return await changing(deps, use, (current) => {
    const endpoint = changedEndpoint(ownEndpoint(current, input.endpointId), input.changes, deps.clock.now());
    return { write: { op: "update", endpoint }, outcome: deps.webhooks.renderer.endpointAnswer(endpoint, null) };
  });
}

/** Deletes one. Rejects as `changing` does. */
export async function deleteEndpoint(
  deps: EndpointChangeDependencies,
  use: IntendedUse,
  { endpointId }: { readonly endpointId: string },
): Promise<StoredOutcome> {
  return await changing(deps, use, (current) => {
    ownEndpoint(current, endpointId);
    return { write: { op: "delete", endpointId }, outcome: deps.webhooks.renderer.deletedAnswer(endpointId) };
  });
}

/** A new secret, shown once, and the ones before it for `overlapMs` more. Rejects as `changing` does. */
export async function rotateEndpointSecret(
  deps: EndpointChangeDependencies,
  use: IntendedUse,
  input: SecretRotation,
): Promise<StoredOutcome> {
  const { box } = deps.webhooks;
  return await changing(deps, use, (current) => {
    const before = ownEndpoint(current, input.endpointId);
    const secret = signingSecretFrom(box.randomBytes(32));
    const { overlapMs, param } = input;
    const secrets = rotateSecret(openSecrets(box, before), { secret, overlapMs, param, nowMs: deps.clock.now() });
    const endpoint = { ...before, sealedSecrets: sealSecrets(box, before.id, secrets) };
    return { write: { op: "update", endpoint }, outcome: showing(deps, use, endpoint, secret) };
  });
}

function showing(
  { webhooks }: EndpointChangeDependencies,
  { keyHash }: IntendedUse,
  endpoint: WebhookEndpoint,
  secret: string,
): StoredOutcome {
  return sealOutcome(webhooks.box, keyHash, webhooks.renderer.endpointAnswer(endpoint, secret));
}

/** What to write and what to answer; an error, returned or thrown as one of `refusals`, is the answer alone. */
type Decide = (
  current: readonly WebhookEndpoint[],
) => { readonly write: EndpointCommit["write"]; readonly outcome: StoredOutcome } | DomainError;

/** Of changes that meet one always wins, so a client that makes all its endpoints at once loses fifteen times at most. */
const runsMax = 20;

/**
 * The change is committed with its outcome, guarded by a `create` on its id, so that whoever comes later gives that outcome.
 * @throws DomainError `lock_timeout`, which is never stored, when other changes always came first
 */
async function changing(deps: EndpointChangeDependencies, use: IntendedUse, decide: Decide): Promise<StoredOutcome> {
  const { endpoints: store } = deps.webhooks;
  const { accountId } = use;
  const id = intentionId("wc", use);
  for (let run = 1; ; run += 1) {
    const { endpoints, version, done } = await store.read(accountId, id);
    // Before giving up too: a commit whose reply was lost looks like one that came too late.
    if (done !== undefined) return done;
    if (run > runsMax) throw alwaysLate();
    const decision = decided(() => decide(endpoints));
    if (decision instanceof Error) return deps.renderer.errorAnswer(decision, null);
    const { write, outcome } = decision;
    const change = { id, outcome, createdAtMs: deps.clock.now() };
    if ((await store.commit({ accountId, version, write, change })) === "committed") return outcome;
  }
}

function alwaysLate(): DomainError {
  return refuse("lock_timeout", "The webhook endpoints are being changed by another request. Please retry.");
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
