// The peers' libraries as their own documentation sets them up, on stores like ours: a Map that answers in its next turn.
// It must never switch off what they need to compare payloads, nor let them write to the console at each call.
import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesOf, type Contender, request, responseOf } from "./work.ts";

/** Only what is used of a persistence layer's record. */
type PowertoolsRecord = { idempotencyKey: string; status: string; [field: string]: unknown };

type Powertools = {
  makeIdempotent(
    handler: (event: Event) => Promise<unknown>,
    options: { persistenceStore: unknown; config: unknown },
  ): (event: Event) => Promise<unknown>;
  IdempotencyConfig: new (settings: Record<string, unknown>) => unknown;
  IdempotencyItemAlreadyExistsError: new (message: string, record: unknown) => Error;
};
type PowertoolsPersistence = {
  BasePersistenceLayer: new () => object;
  IdempotencyRecord: new (fields: unknown) => object;
};
type Event = { headers: Record<string, string>; body: typeof request.body };

/** Powertools for AWS Lambda: a conditional write that brings the old record back, payload validation switched on. */
export function powertools(load: NodeJS.Require): Contender {
  const library = load("@aws-lambda-powertools/idempotency") as Powertools;
  const persistence = load("@aws-lambda-powertools/idempotency/persistence") as PowertoolsPersistence;
  class MemoryLayer extends persistence.BasePersistenceLayer {
    readonly records = new Map<string, PowertoolsRecord>();
    async _putRecord(record: PowertoolsRecord) {
      await nextTurn();
      const found = this.records.get(record.idempotencyKey);
      if (found === undefined) return void this.records.set(record.idempotencyKey, { ...record });
      const standing = new persistence.IdempotencyRecord(found);
      throw new library.IdempotencyItemAlreadyExistsError("exists", standing);
    }
    async _updateRecord(record: PowertoolsRecord) {
      await nextTurn();
      this.records.set(record.idempotencyKey, { ...record });
    }
    async _getRecord(key: string) {
      await nextTurn();
      return new persistence.IdempotencyRecord(this.records.get(key));
    }
    async _deleteRecord({ idempotencyKey }: PowertoolsRecord) {
      await nextTurn();
      this.records.delete(idempotencyKey);
    }
  }
  return {
    name: "Powertools",
    open: () => {
      const config = new library.IdempotencyConfig({
        eventKeyJmesPath: 'headers."idempotency-key"',
        payloadValidationJmesPath: "body",
        hashFunction: "sha256",
        throwOnNoIdempotencyKey: true,
        lambdaContext: { getRemainingTimeInMillis: () => 30_000 },
      });
      let made = 0;
      const handler = async (event: Event) => {
        made += 1;
        return responseOf(event.headers["idempotency-key"] ?? "");
      };
      const run = library.makeIdempotent(handler, { persistenceStore: new MemoryLayer(), config });
      return async (key) => {
        const before = made;
        const answer = await run({ headers: { "idempotency-key": key }, body: request.body });
        return { replayed: made === before, bytes: bytesOf(answer) };
      };
    },
  };
}

type NodeIdempotency = {
  Idempotency: new (
    storage: unknown,
  ) => {
    onRequest(request: unknown): Promise<{ body: unknown } | undefined>;
    onResponse(request: unknown, response: unknown): Promise<void>;
  };
};

/** node-idempotency: set-if-absent, then a read when something stands there. */
export function nodeIdempotency(load: NodeJS.Require): Contender {
  const { Idempotency } = load("@node-idempotency/core") as NodeIdempotency;
  return {
    name: "node-idempotency",
    open: () => {
      const records = new Map<string, string>();
      const storage = {
        setIfNotExists: async (key: string, value: string) => {
          await nextTurn();
          if (records.has(key)) return false;
          records.set(key, value);
          return true;
        },
        set: async (key: string, value: string) => {
          await nextTurn();
          records.set(key, value);
        },
        get: async (key: string) => {
          await nextTurn();
          return records.get(key);
        },
      };
      const library = new Idempotency(storage);
      return async (key) => {
        const asked = { ...request, headers: { "idempotency-key": key } };
        const standing = await library.onRequest(asked);
        if (standing !== undefined) return { replayed: true, bytes: bytesOf(standing.body) };
        const response = { body: responseOf(key), additional: { statusCode: 200 } };
        await library.onResponse(asked, response);
        return { replayed: false, bytes: bytesOf(response.body) };
      };
    },
  };
}
