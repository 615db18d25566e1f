// This project's idempotency alone: identity, fingerprint, claim, fenced row, stored answer; a handler that does nothing.
// It must never leave out a step that a payment takes: it is the same flow.
import { systemClock, systemRandom } from "../../../functions/adapters/system.ts";
import { defaultTimings, keyIdentity } from "../../../functions/domain/idempotency.ts";
import { parameterFingerprint } from "../../../functions/edge/fingerprint.ts";
import type { ParameterMap } from "../../../functions/edge/parameter-tree.ts";
import { guardCache } from "../../../functions/flows/cache-guard.ts";
import { idempotently } from "../../../functions/flows/idempotently.ts";
import type { IdempotencyDependencies } from "../../../functions/flows/idempotently-types.ts";
import type { IdempotencyCache, Ledger } from "../../../functions/flows/ports.ts";
import { absentLedger, mapCache, mapLedger } from "./stores.ts";
import { bytesOf, type Contender, request, responseOf } from "./work.ts";

/** Claim, fingerprint, handler and stored answer: what the others do too. */
export const ours: Contender = { name: "this project", open: () => openFlow(absentLedger(), mapCache()) };

/** The same with the fenced row in the ledger, by which an answer outlives its cache. */
export const oursWithRow: Contender = {
  name: "this project, with its ledger row",
  open: () => openFlow(mapLedger(), mapCache()),
};

/** The timer of each cache call is part of the work; that a busy machine lets it run out is not. */
const unhurriedMs = 20_000;

/** What runs one request under a key over these stores. */
export function openFlow(ledger: Ledger, store: IdempotencyCache): ReturnType<Contender["open"]> {
  const machine = { clock: systemClock, random: systemRandom, log: () => {} };
  const cache = guardCache({ cache: store, ...machine }, { deadlineMs: unhurriedMs });
  const settle = () => Promise.reject(new Error("nothing is settled here"));
  const deps: IdempotencyDependencies = { ...machine, cache, ledger, settle, timings: defaultTimings };
  const parameters: ParameterMap = new Map<string, string | ParameterMap>(
    Object.entries(request.body).map(([name, value]) => [
      name,
      typeof value === "string" ? value : new Map(Object.entries(value)),
    ]),
  );
  return async (key) => {
    const answer = await idempotently(
      deps,
      {
        accountId: "acct_1",
        idempotencyKey: key,
        keyHash: keyIdentity("acct_1", false, key),
        fingerprint: parameterFingerprint(request.method, request.path, parameters),
        method: request.method,
        path: request.path,
        requestId: "req_1",
        expand: [],
        waitMs: 0,
      },
      { reads: {}, blind: () => decided(key), begin: async () => decided(key) },
    );
    return { replayed: answer.replayed, bytes: answer.outcome.body };
  };
}

function decided(key: string) {
  const outcome = { status: 200, body: bytesOf(responseOf(key)) };
  return { kind: "decided", changes: [], outcome, resourceId: null } as const;
}
