/**
 * The crash tour, for people who want to see what a crash leaves behind: a header makes one request lose its answer, stop
 * dead behind a step, or run twice. It stands around the API and its ports, so no flow knows of it.
 * It must never be open in prod, and never stop anything but the request that asked for it.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import { defaultTimings, type Timings } from "../domain/idempotency.ts";
import { answerHeaders } from "./answer-headers.ts";
import { errorResponseOf } from "./error-table.ts";
import { type Life, mortalPorts, openLife } from "./mortal-ports.ts";
import { type PaymentsApiPorts, paymentsApi } from "./payments-api.ts";
import { hangUp, headerValues, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/**
 * The payments API with the tour in front of it. Where it is not open, a request that asks for it is refused: whoever
 * sends the header means a test, and nothing here must run as if it were none.
 */
export function crashTour(isOpen: boolean, ports: PaymentsApiPorts, timings: Timings = defaultTimings): WireHandler {
  const api = paymentsApi(ports, timings);
  return async (request) => {
    const asked = headerValues(request, crashTourHeader);
    if (asked.length === 0) return await api(request);
    try {
      return await tours[stopIn(asked, request, isOpen)]({ api, ports, timings }, request);
    } catch (error) {
      const facts = { requestId: ports.random.id("req"), stripeVersion: undefined, idempotencyKey: undefined };
      const response = errorResponseOf(error);
      const origin = { kind: "unstored", shouldRetry: false } as const;
      return { ...response, headers: { ...response.headers, ...answerHeaders({ ...facts, origin }) } };
    }
  };
}

/** The header that asks for it. */
export const crashTourHeader = "Crash-Tour";

/** What can be asked for. */
export const crashStops = [
  "lose-answer",
  "crash-after-claim",
  "crash-after-t1",
  "crash-after-acquirer",
  "crash-after-t2",
  "run-twice",
] as const;

type Stop = (typeof crashStops)[number];

/**
 * A doomed request holds its key for 3 s instead of 30, so that nobody waits long for the retry that takes it over; and
 * calls start only in the first two of them, as always by the end of the lease less the longest call.
 */
const doomedTimings = { leaseMs: 3_000, callTimeoutMs: 1_000 };

/** What a first commit that wrote something gives: a blind one its word, a guarded one what it began. */
function wrote(result: unknown): boolean {
  if (typeof result === "string") return result === "inserted";
  const { kind } = (result ?? {}) as { readonly kind?: unknown };
  return kind === "attempt" || kind === "intention" || kind === "decided";
}

interface Touring {
  readonly api: WireHandler;
  readonly ports: PaymentsApiPorts;
  readonly timings: Timings;
}

type Tour = (touring: Touring, request: WireRequest) => Promise<WireResponse>;

const tours: Readonly<Record<Stop, Tour>> = {
  "lose-answer": async ({ api, ports }, request) => {
    await api(request);
    tell(ports, "lose-answer", request);
    return hangUp;
  },
  // Of the two the one that was first in the house answers; what the other one got stands in a header.
  "run-twice": async ({ api, ports }, request) => {
    const [first, second] = await Promise.all([api(request), api(request)]);
    tell(ports, "run-twice", request);
    const twin = `${second.status}${second.headers["Idempotent-Replayed"] === "true" ? " replayed" : ""}`;
    return { ...first, headers: { ...first.headers, "Crash-Tour-Twin": twin } };
  },
  "crash-after-claim": doomed("crash-after-claim", ({ port, method, result }) => {
    const { kind } = (result ?? {}) as { readonly kind?: unknown };
    return port === "cache" && ((method === "claim" && kind === "claimed") || kind === "replaced");
  }),
  "crash-after-t1": doomed("crash-after-t1", ({ port, tag, result }) => {
    return port === "ledger" && tag === "first-commit" && wrote(result);
  }),
  "crash-after-acquirer": doomed(
    "crash-after-acquirer",
    ({ port, method }) => port === "acquirer" && method !== "lookup",
  ),
  "crash-after-t2": doomed("crash-after-t2", ({ port, tag }) => {
    return port === "ledger" && (tag === "settle" || tag === "seal-intention");
  }),
};

/**
 * Runs the request in an instance of its own that dies behind the step: no later call has an effect, nothing is cleaned
 * up, and no answer leaves. A request that never comes to the step is answered as always. The instance publishes nothing:
 * what it committed is the relay's, as after a crash.
 */
function doomed(stop: Stop, isFatal: Life["isFatal"]): Tour {
  return async ({ ports: { outlet: _none, ...ports }, timings }, request) => {
    const life = openLife(isFatal);
    const instance = paymentsApi(mortalPorts(ports, life), { ...timings, ...doomedTimings });
    const died = life.ended.then(() => {
      tell(ports, stop, request);
      return hangUp;
    });
    return await Promise.race([instance(request), died]);
  };
}

function stopIn([text = "", ...more]: readonly string[], request: WireRequest, isOpen: boolean): Stop {
  if (!isOpen) throw bad("is not available here: the crash tour is closed");
  if (more.length > 0) throw bad("was sent more than once");
  const stop = crashStops.find((known) => known === text);
  if (stop === undefined) throw bad(`must be one of ${crashStops.join(", ")}`);
  if (request.method !== "POST" || headerValues(request, "idempotency-key").length === 0)
    throw bad("needs a POST with an Idempotency-Key: by that key the retry finds what was done");
  return stop;
}

function bad(problem: string): DomainError {
  return refuse("parameter_invalid", `The ${crashTourHeader} header ${problem}.`, { param: crashTourHeader });
}

/** An instance that died says nothing more; so that nobody takes this for a real crash, the tour says that it was one. */
function tell({ log }: Pick<PaymentsApiPorts, "log">, stop: Stop, { method, target }: WireRequest): void {
  log("INFO", "crash tour", { stop, method, path: pathOf(target) });
}
