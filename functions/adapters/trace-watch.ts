/**
 * Puts a span around each call of a port, and counts the round trips of a store's for the request that makes them.
 * It must never change what is asked or answered, nor make a call of its own.
 */
import type { IdempotencyCache, Ledger } from "../flows/ports.ts";
import type { OpenSpan, SpanFields, SpanKind, Tracer } from "../flows/trace-ports.ts";

/** What is behind a port. */
export interface Watched {
  /** The port, first part of its spans' names, for example `deliveries`. */
  readonly name: string;
  readonly kind?: SpanKind;
  /** The product, and whatever else is the same for all calls. */
  readonly fields?: SpanFields;
  /** Round trips to a store that a call makes; none for what is no store. */
  readonly trips?: number;
  /** Fields that a call tells by itself: ids only. */
  readonly tell?: (inputs: readonly unknown[]) => SpanFields;
}

/** The port with all of its methods watched; each of them must give a promise. */
export function watched<Port extends object>(tracer: Tracer, about: Watched, port: Port): Port {
  const { name, kind = "client", fields = {}, trips = 1, tell } = about;
  const methods = Object.entries(port).map(([method, call]) => [
    method,
    (...inputs: unknown[]) => {
      if (trips > 0) tracer.countRoundTrips(trips);
      const told = tell === undefined ? fields : { ...fields, ...tell(inputs) };
      return tracer.span({ name: `${name}.${method}`, kind, fields: told }, () => call(...inputs));
    },
  ]);
  return Object.fromEntries(methods) as Port;
}

/** The ledger: a transaction's reads and its commit are round trips of their own, and its tag is told. */
export function watchedLedger(tracer: Tracer, fields: SpanFields, ledger: Ledger): Ledger {
  const span = <Result>(method: string, more: SpanFields, work: (span: OpenSpan) => Promise<Result>) =>
    tracer.span({ name: `ledger.${method}`, kind: "client", fields: { ...fields, ...more } }, work);
  const counted = <Result>(method: string, more: SpanFields, work: () => Promise<Result>) => {
    tracer.countRoundTrips(1);
    return span(method, more, work);
  };
  return {
    ...watched(tracer, { name: "ledger", fields }, ledger),
    insert: (tag, changes) => counted("insert", { tag }, () => ledger.insert(tag, stamped(tracer, changes))),
    transact: (tag, body) =>
      span("transact", { tag }, async () => {
        let runs = 0;
        const result = await ledger.transact(tag, async (scope) => {
          runs += 1;
          return await body({
            read: (keys) => counted("read", { tag, run: runs }, () => scope.read(keys)),
            write: (changes) => scope.write(stamped(tracer, changes)),
          });
        });
        tracer.countRoundTrips(1);
        return result;
      }),
    scan: (tag, body) => span("scan", { tag }, () => ledger.scan(tag, body)),
  };
}

/**
 * The cache: a replace that is lost reads the record as well. A claim is one trip: where the store needs a create and a
 * read for it, they go side by side, and nobody waits for two.
 */
export function watchedCache(tracer: Tracer, fields: SpanFields, cache: IdempotencyCache): IdempotencyCache {
  const plain = watched(tracer, { name: "cache", fields }, cache);
  return {
    ...plain,
    replace: async (keyHash, version, record) => {
      const replaced = await plain.replace(keyHash, version, record);
      if (replaced.kind === "lost") tracer.countRoundTrips(1);
      return replaced;
    },
  };
}

type Changes = Parameters<Ledger["insert"]>[1];

/** Events keep the trace of the work that commits them: whoever publishes them later goes on with it. */
function stamped(tracer: Tracer, changes: Changes): Changes {
  const traceparent = tracer.traceparent();
  if (traceparent === undefined) return changes;
  return changes.map((change) =>
    change.op === "insert" && change.table === "events" ? { ...change, row: { ...change.row, traceparent } } : change,
  );
}
