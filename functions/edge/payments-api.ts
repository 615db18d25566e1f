/**
 * The payments API: from a request's bytes to an answer's bytes (contract sections 1 to 8).
 * It never answers anything but JSON with an `error` key for a failure, and never executes before it has validated.
 */
import { apiKeyDigest } from "../domain/accounts.ts";
import { defaultTimings, keyIdentity, type StoredOutcome, type Timings } from "../domain/idempotency.ts";
import { type LedgerTerms, standardTerms } from "../domain/ledger-terms.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import { openOutcome } from "../domain/secret-box.ts";
import type { Acquirer } from "../flows/acquirer-ports.ts";
import { type Authenticate, authenticator } from "../flows/authenticate.ts";
import type { Balances } from "../flows/balance-ports.ts";
import { guardCache } from "../flows/cache-guard.ts";
import { finishChallenge } from "../flows/finish-challenge.ts";
import { idempotently } from "../flows/idempotently.ts";
import type { IdempotencyDependencies, IdempotentRequest, KeyStory } from "../flows/idempotently-types.ts";
import { type LimitRate, rateLimiter } from "../flows/limit-rate.ts";
import type { Accounts, Clock, IdempotencyCache, Ledger, Log, Random } from "../flows/ports.ts";
import type { EventOutlet } from "../flows/publish-commits.ts";
import { settleAttempt } from "../flows/settle-attempt.ts";
import type { Stories } from "../flows/story-ports.ts";
import type { TaskQueues } from "../flows/task-ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import { type AnswerFacts, type AnswerOrigin, answerHeaders } from "./answer-headers.ts";
import { baseUrlOf } from "./base-url.ts";
import { challengeDoor } from "./challenge-door.ts";
import type { EndpointDependencies, WebhookApiPorts } from "./endpoint.ts";
import { errorResponseOf } from "./error-table.ts";
import { parameterFingerprint } from "./fingerprint.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import { allowedMethods, type Endpoint, findEndpoint } from "./payments-routes.ts";
import { keyWithoutCardData, parametersWithoutCardData, refuseCardDataInPath } from "./refuse-card-data.ts";
import { wireRenderer } from "./renderer.ts";
import { readApiKey, readIdempotencyKey, readStripeVersion, readWaitMs } from "./request-headers.ts";
import { logRequest } from "./request-line.ts";
import { wireDeliveryRenderer } from "./serialize-webhook-delivery.ts";
import { wireEndpointRenderer } from "./serialize-webhook-endpoint.ts";
import { jsonResponse, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/** What the API needs from the outside. */
export interface PaymentsApiPorts {
  readonly ledger: Ledger;
  readonly balances: Balances;
  readonly stories: Stories;
  readonly accounts: Accounts;
  readonly cache: IdempotencyCache;
  readonly acquirer: Acquirer;
  readonly webhooks: WebhookApiPorts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Wakes settlements that come later; without it the sweep alone finds them. */
  readonly tasks?: TaskQueues;
  /** Publishes what requests commit to the same ledger; without it all events are left to the relay, as benches want it. */
  readonly outlet?: EventOutlet;
  /** Requests of one API key to this instance; without it nobody is held back, as tests and benches want it. */
  readonly rateLimit?: RateLimit;
  /** Counts a request's round trips to the stores for its log line. */
  readonly tracer?: Tracer | undefined;
  /** On what terms payments are booked; the standard ones when it is not given. */
  readonly terms?: LedgerTerms;
}

/** Makes the handler. `timings` differ from production's only in demonstrations and tests. */
export function paymentsApi(ports: PaymentsApiPorts, timings: Timings = defaultTimings): WireHandler {
  const renderer = wireRenderer();
  const cache = guardCache(ports, { deadlineMs: timings.cacheDeadlineMs });
  const gates = {
    authenticate: authenticator(ports),
    limitRate: ports.rateLimit === undefined ? () => {} : rateLimiter(ports, ports.rateLimit),
  };
  const serviceOn = (ledger: Ledger): Service => {
    const on = { ...ports, terms: ports.terms ?? standardTerms, ledger, renderer, timings };
    const settle = settleAttempt(on);
    const challenges = challengeDoor({ ...on, finish: finishChallenge({ ...on, settle }) });
    const endpoints = {
      ...{ ledger, balances: ports.balances, clock: ports.clock, random: ports.random, renderer },
      ...{ stories: ports.stories, cache, leaseMs: timings.leaseMs },
      webhooks: { ...ports.webhooks, renderer: wireEndpointRenderer, deliveryRenderer: wireDeliveryRenderer },
    };
    return { ...gates, challenges, endpoints, idempotency: { ...on, cache, settle } };
  };
  return async (request) => {
    if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
    const commits = ports.outlet?.open();
    const service = serviceOn(commits?.ledger ?? ports.ledger);
    const page = await service.challenges(request);
    if (page !== undefined) {
      await commits?.settled();
      return page;
    }
    const startedAtMs = ports.clock.now();
    const facts = { requestId: ports.random.id("req"), stripeVersion: undefined, idempotencyKey: undefined };
    const { response, ...told } = await answer(service, request, facts);
    await commits?.settled();
    const durationMs = ports.clock.now() - startedAtMs;
    const storeRoundTrips = ports.tracer?.roundTrips();
    logRequest(ports.log, request, response, { requestId: facts.requestId, ...told, durationMs, storeRoundTrips });
    return response;
  };
}

interface Service {
  readonly authenticate: Authenticate;
  readonly limitRate: LimitRate;
  readonly challenges: ReturnType<typeof challengeDoor>;
  readonly endpoints: EndpointDependencies;
  readonly idempotency: IdempotencyDependencies;
}

type Facts = Omit<AnswerFacts, "origin">;

interface Answered extends Partial<KeyStory> {
  readonly response: WireResponse;
  readonly accountId?: string | undefined;
  readonly error?: unknown;
  readonly keyId?: string | undefined;
  readonly originalRequestId?: string | undefined;
}

/** Path, version, key, rate, route, parameters, in this order; each failure has the headers that were known by then. */
async function answer(service: Service, request: WireRequest, start: Facts): Promise<Answered> {
  let facts = start;
  let accountId: string | undefined;
  let keyId: string | undefined;
  let story: KeyStory | undefined;
  try {
    refuseCardDataInPath(request);
    facts = { ...facts, stripeVersion: readStripeVersion(request) };
    const apiKey = readApiKey(request);
    accountId = await service.authenticate(apiKey);
    // Only of keys that exist, so that nobody fills the memory with made-up ones.
    service.limitRate(apiKeyDigest(apiKey ?? ""));
    const endpoint = findEndpoint(request.method, pathOf(request.target));
    const idempotencyKey = request.method === "POST" ? keyWithoutCardData(readIdempotencyKey(request)) : undefined;
    facts = { ...facts, idempotencyKey };
    keyId = idempotencyKey === undefined ? undefined : keyIdentity(accountId, false, idempotencyKey);
    const parameters = parametersWithoutCardData(request);
    const tellKey = (told: KeyStory) => {
      story = told;
    };
    const ran = await run({ ...service, tellKey }, request, endpoint, { accountId, keyId, parameters, facts });
    return { ...ran, accountId, keyId, ...story };
  } catch (error) {
    return { response: failure(error, facts, pathOf(request.target)), accountId, error, keyId, ...story };
  }
}

async function run(
  service: Service & Pick<IdempotencyDependencies, "tellKey">,
  request: WireRequest,
  endpoint: Endpoint,
  known: Known,
): Promise<Pick<Answered, "response" | "originalRequestId">> {
  const { accountId, keyId, parameters, facts } = known;
  const call = { accountId, id: endpoint.id, parameters, baseUrl: baseUrlOf(request) };
  if (endpoint.kind === "read") {
    const value = await endpoint.read(service.endpoints, call);
    const headers = answerHeaders({ ...facts, origin: { kind: "unstored", shouldRetry: null } });
    return { response: jsonResponse(200, value, headers) };
  }
  const { expand, work } = endpoint.write(call);
  const path = pathOf(request.target);
  const idempotent: IdempotentRequest = {
    accountId,
    idempotencyKey: facts.idempotencyKey ?? null,
    keyHash: keyId ?? keyHashWithoutKey(service, accountId),
    fingerprint: parameterFingerprint(request.method, path, parameters),
    method: request.method,
    path,
    requestId: facts.requestId,
    expand,
    waitMs: readWaitMs(request) ?? service.idempotency.timings.twinWaitMs,
  };
  const deps = { ...service.idempotency, tellKey: service.tellKey };
  const given = await idempotently(deps, idempotent, work(service.endpoints, idempotent));
  const origin: AnswerOrigin = { kind: "stored", firstRequestId: given.originalRequestId, replayed: given.replayed };
  const outcome = openOutcome(service.endpoints.webhooks.box, idempotent.keyHash, given.outcome);
  const response = stored(outcome, answerHeaders({ ...facts, origin }));
  return facts.idempotencyKey === undefined ? { response } : { response, originalRequestId: given.originalRequestId };
}

/** What is known of a request once it was read. */
interface Known {
  readonly accountId: string;
  /** Identity of the client's key; undefined when it sent none. */
  readonly keyId: string | undefined;
  readonly parameters: ParameterMap;
  readonly facts: Facts;
}

/** Without a client's key the request runs once, under an identity that no client can name. */
function keyHashWithoutKey(service: Service, accountId: string): string {
  return keyIdentity(`${accountId} without a key`, false, service.idempotency.random.token());
}

function stored(outcome: StoredOutcome, headers: Record<string, string>): WireResponse {
  return { status: outcome.status, headers, body: Buffer.from(outcome.body ?? []) };
}

function failure(error: unknown, facts: Facts, path: string): WireResponse {
  const response = errorResponseOf(error);
  const shouldRetry = response.headers["Stripe-Should-Retry"];
  const origin: AnswerOrigin = {
    kind: "unstored",
    shouldRetry: shouldRetry === undefined ? null : shouldRetry === "true",
  };
  const allow = response.status === 405 ? { Allow: allowedMethods(path) } : {};
  return { ...response, headers: { ...response.headers, ...allow, ...answerHeaders({ ...facts, origin }) } };
}
