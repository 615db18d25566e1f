// The two places where the life of a key can be asked for: the laptop that runs on this machine, and a deployed stage.
// It must never fall back from one place to the other, nor hold a store open behind its answer.

import { systemClock } from "../../functions/adapters/system.ts";
import { type KeyDeskAnswer, type KeyDeskRequest, keyDesk } from "../../functions/edge/key-desk.ts";
import { laptopCall, openStageKeys } from "../doors.ts";

/** A place to ask. */
export type KeyDoor = {
  ask(request: KeyDeskRequest): Promise<KeyDeskAnswer>;
  /** What to say where no log could be asked. */
  withoutLogs(keyId: string): string;
};

/** Opens the door; throws an Error for people when there is no laptop, or no stage is named. */
export async function keyDoor(environment: NodeJS.ProcessEnv, stage: boolean): Promise<KeyDoor> {
  if (!stage) {
    const call = laptopCall(environment);
    return {
      ask: (request) => call<KeyDeskAnswer>("/key", request),
      withoutLogs: () => "the laptop's history did not answer, so twins and replays are not told",
    };
  }
  const { projectId, close, ...stores } = await openStageKeys(environment);
  return {
    ask: async (request) => {
      try {
        return await keyDesk({ ...stores, clock: systemClock }, request);
      } finally {
        await close();
      }
    },
    withoutLogs: (keyId) =>
      `the history did not answer; twins and replays stand in the logs: gcloud logging read 'jsonPayload.keyId="${keyId}"' --project=${projectId}`,
  };
}
