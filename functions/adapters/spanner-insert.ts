/**
 * Inserts without a transaction: one commit, one round trip, sent again only when Spanner says that it did nothing.
 * It must never call an insert failed that may stand, nor take "exists" for somebody else's row: it may be our own.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Database, MutationSet } from "@google-cloud/spanner";
import { refuse } from "../domain/errors.ts";
import { grpcCodeOf, grpcCodes, translate } from "./spanner-errors.ts";
import type { MutationTarget } from "./spanner-rows.ts";

/**
 * Inserts what `add` puts into the set, all or nothing.
 * @returns `exists` when a row was there: nothing was written now, but perhaps by this call's own try, its reply lost
 * @throws DomainError as `translate` says
 */
export async function insertBlindly(
  deps: { readonly database: Database; readonly tag: string },
  add: (target: MutationTarget) => void,
): Promise<"inserted" | "exists"> {
  // The client passes the tag on, though its types know of no tag here.
  const options: object = { requestOptions: { transactionTag: deps.tag } };
  for (let attempt = 1; ; attempt += 1) {
    const { mutations, taken } = watchedMutations(add);
    try {
      await deps.database.writeAtLeastOnce(mutations, options);
      return "inserted";
    } catch (error) {
      const code = grpcCodeOf(error);
      if (code === grpcCodes.alreadyExists) return "exists";
      if (code !== grpcCodes.aborted) throw translate(taken() ? "commit" : "before", error);
      // Not `store_unavailable`: the client below may have sent it before, and lost that reply.
      if (attempt === insertsMax) throw refuse("commit_unknown", "Spanner aborted every insert.", { cause: error });
    }
    await delay(Math.random() * Math.min(pauseMs * 2 ** attempt, pauseMaxMs));
  }
}

/** How often an aborted insert is sent. */
const insertsMax = 10;

/** Half the longest pause after the first abort, in milliseconds; it doubles, so that ten tries wait 1.3 s at most. */
const pauseMs = 5;

/** Longest pause between two tries, in milliseconds. */
const pauseMaxMs = 250;

/** The client takes the mutations once it holds a session, right before it sends them: until then nothing was written. */
function watchedMutations(add: (target: MutationTarget) => void): { mutations: MutationSet; taken: () => boolean } {
  const mutations = new MutationSet();
  add(mutations);
  let isTaken = false;
  const proto = mutations.proto.bind(mutations);
  mutations.proto = () => {
    isTaken = true;
    return proto();
  };
  return { mutations, taken: () => isTaken };
}
