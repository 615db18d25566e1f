/**
 * The ledger-writer over HTTP: the platform's schedule calls it, nobody else.
 * It never answers a customer, and never says more than how a sweep went.
 */
import { refuse } from "../domain/errors.ts";
import { defaultTimings, type Timings } from "../domain/idempotency.ts";
import { type LedgerTerms, standardTerms } from "../domain/ledger-terms.ts";
import type { Acquirer } from "../flows/acquirer-ports.ts";
import type { Balances } from "../flows/balance-ports.ts";
import type { Outbox, Publisher } from "../flows/bus-ports.ts";
import { carryOutActions } from "../flows/carry-out-actions.ts";
import { checkpointBalances } from "../flows/checkpoint-balances.ts";
import { completeAttempt, completeAttempts } from "../flows/complete-attempts.ts";
import { completeIntentions } from "../flows/complete-intentions.ts";
import { expireHolds } from "../flows/expire-holds.ts";
import { finishChallenge } from "../flows/finish-challenge.ts";
import type { IntentionCarrier } from "../flows/intention-ports.ts";
import type { OperatorStore } from "../flows/operator-ports.ts";
import type { Clock, Ledger, Log, Random } from "../flows/ports.ts";
import type { EventOutlet } from "../flows/publish-commits.ts";
import { reconcile } from "../flows/reconcile.ts";
import type { AcquirerListing, ReconciliationStore } from "../flows/reconciliation-ports.ts";
import { relayOutbox } from "../flows/relay-outbox.ts";
import { sealLedger } from "../flows/seal-ledger.ts";
import type { LedgerSeals } from "../flows/seal-ports.ts";
import { commitResult, settleAttempt } from "../flows/settle-attempt.ts";
import type { TaskQueuesCalling } from "../flows/task-ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import { verifyLedger } from "../flows/verify-ledger.ts";
import { busMessageOf } from "./bus-message.ts";
import { errorFields } from "./error-line.ts";
import { errorResponseOf } from "./error-table.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { wireRenderer } from "./renderer.ts";
import { jsonResponse, pathOf, type WireHandler, type WireRequest } from "./wire.ts";

/** What the ledger-writer needs from the outside. */
export interface LedgerWriterPorts {
  readonly ledger: Ledger;
  readonly balances: Balances;
  readonly seals: LedgerSeals;
  readonly acquirer: Acquirer & AcquirerListing;
  readonly reconciliation: ReconciliationStore;
  readonly operators: OperatorStore;
  /** Who carries out what a dead worker announced outside the ledger. */
  readonly intentions: IntentionCarrier;
  /** What stands in the ledger to be published, and where to. */
  readonly outbox: Outbox;
  readonly publisher: Publisher;
  /** Publishes what jobs commit to the same ledger. */
  readonly outlet: EventOutlet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Wakes settlements that come later; without it the sweep alone finds them. */
  readonly tasks?: TaskQueuesCalling;
  /** Service account whose tokens it accepts: the schedule's. */
  readonly callerAccount: string;
  /** The same of the queue of settlements, which may ask for nothing else: whoever enqueues may act as it. */
  readonly settlementsCaller: string;
  /** Goes on with the trace that a task carries. */
  readonly tracer?: Tracer | undefined;
  /** On what terms payments are booked, the same as those of payments-api; the standard ones when it is not given. */
  readonly terms?: LedgerTerms;
}

/** The handler: each job of `jobsOf` at its path by POST, and `GET /health`. */
export function ledgerWriter(ports: LedgerWriterPorts, timings: Timings = defaultTimings): WireHandler {
  return async (request) => {
    if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
    const commits = ports.outlet.open();
    const startedAtMs = ports.clock.now();
    const path = pathOf(request.target);
    try {
      const caller = path === settlePath ? ports.settlementsCaller : ports.callerAccount;
      const ownUrl = requirePlatformCaller(request, caller, ports.clock.now());
      const job = jobIn(jobsOf({ ...ports, ledger: commits.ledger }, timings, ownUrl), request);
      const result = await job.run(request);
      ports.log("INFO", job.done, { ...result, path, durationMs: ports.clock.now() - startedAtMs });
      return jsonResponse(200, result);
    } catch (error) {
      const response = errorResponseOf(error);
      ports.log("ERROR", "job failed", {
        path: path.slice(0, 200),
        ...{ status: response.status, ...errorFields(error) },
        durationMs: ports.clock.now() - startedAtMs,
      });
      return response;
    } finally {
      await commits.settled();
    }
  };
}

/** One job of the schedule or a queue: what it does, and the line that tells how it went. */
interface Job {
  readonly done: string;
  readonly run: (request: WireRequest) => Promise<object>;
}

/** Where the queue of settlements calls. */
const settlePath = "/settle";

/** What the schedule and the queue of settlements may ask for, by path; the tasks of a job come back to `ownUrl`. */
function jobsOf(ports: LedgerWriterPorts, timings: Timings, ownUrl: string): ReadonlyMap<string, Job> {
  const { tasks, ...others } = ports;
  const waking = tasks === undefined ? {} : { tasks: tasks(ownUrl) };
  const renderer = wireRenderer();
  const terms = ports.terms ?? standardTerms;
  const shared = { ...others, ...waking, terms, renderer, render: busMessageOf, timings };
  const settle = settleAttempt(shared);
  const commit = commitResult(shared);
  const deps = { ...shared, settle, commit, finishChallenge: finishChallenge({ ...shared, settle }) };
  const reconciling = { ...ports, store: ports.reconciliation, listing: ports.acquirer };
  return new Map<string, Job>([
    [
      "/complete",
      {
        done: "attempts completed",
        // Money first.
        run: async () => ({ ...(await completeAttempts(deps)), ...(await completeIntentions(deps)) }),
      },
    ],
    [
      settlePath,
      {
        done: "settlement looked at",
        run: async (request) => {
          const { attemptId, traceparent } = taskIn(request);
          ports.tracer?.continueFrom(traceparent);
          return await completeAttempt(deps, attemptId);
        },
      },
    ],
    ["/expire", { done: "holds expired", run: () => expireHolds(deps) }],
    ["/checkpoint", { done: "balances checkpointed", run: () => checkpointBalances(deps) }],
    ["/seal", { done: "ledger sealing ended", run: () => sealLedger(deps) }],
    ["/reconcile", { done: "reconciliation ended", run: () => reconcile(reconciling) }],
    ["/operate", { done: "operator actions carried out", run: () => carryOutActions(deps) }],
    ["/relay", { done: "outbox relayed", run: () => relayOutbox(deps) }],
    ["/verify", { done: "ledger verification ended", run: () => verifyLedger(deps) }],
  ]);
}

/** A task's body names the attempt that is due, and the trace that it belongs to; the row says what is to be done. */
function taskIn({ body }: WireRequest): { readonly attemptId: string; readonly traceparent: string | undefined } {
  let told: unknown;
  try {
    told = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw refuse("body_invalid", "The body is not JSON.", { cause: error });
  }
  const { attempt_id: attemptId, traceparent } = Object(told) as Readonly<Record<string, unknown>>;
  if (typeof attemptId === "string" && /^att_\w{1,60}$/.test(attemptId))
    return { attemptId, traceparent: typeof traceparent === "string" ? traceparent : undefined };
  throw refuse("parameter_invalid", "attempt_id must be the id of an attempt.", { param: "attempt_id" });
}

function jobIn(jobs: ReadonlyMap<string, Job>, request: WireRequest): Job {
  const path = pathOf(request.target);
  const job = jobs.get(path);
  if (job === undefined)
    throw refuse("route_unknown", `Unrecognized request URL (${request.method}: ${path.slice(0, 200)}).`);
  if (request.method !== "POST") throw refuse("method_not_allowed", "Only POST is allowed here.");
  return job;
}
