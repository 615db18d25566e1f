/**
 * Ports of an instance that can die: from its end on no call of it begins, and no call that is under way comes back.
 * It must never undo or finish anything: what stands in the stores stays as it is, as after a crash.
 */
import type { PaymentsApiPorts } from "./payments-api.ts";

/** One life. */
export interface Life {
  /** True for the call behind which the life ends. */
  readonly isFatal: (call: EndedCall) => boolean;
  /** Resolves at its end, and never without one. */
  readonly ended: Promise<void>;
  readonly end: () => void;
  readonly isOver: () => boolean;
}

/** A call of a port that has come back. */
export interface EndedCall {
  readonly port: "ledger" | "cache" | "acquirer" | "other";
  readonly method: string;
  /** The first argument of a call of the ledger, which names what it is for. */
  readonly tag: unknown;
  readonly result: unknown;
}

/** A life that ends behind the first fatal call. */
export function openLife(isFatal: Life["isFatal"]): Life {
  const { promise, resolve } = Promise.withResolvers<void>();
  let over = false;
  const end = () => {
    over = true;
    resolve();
  };
  return { isFatal, ended: promise, end, isOver: () => over };
}

/** The ports, as long as the life lasts. The clock goes on: a deadline that strikes then leads to a call that never begins. */
export function mortalPorts(ports: PaymentsApiPorts, life: Life): PaymentsApiPorts {
  const { webhooks, tasks } = ports;
  return {
    ...ports,
    ledger: mortal("ledger", ports.ledger, life),
    cache: mortal("cache", ports.cache, life),
    acquirer: mortal("acquirer", ports.acquirer, life),
    webhooks: {
      ...webhooks,
      endpoints: mortal("other", webhooks.endpoints, life),
      deliveries: mortal("other", webhooks.deliveries, life),
      tasks: mortal("other", webhooks.tasks, life),
    },
    ...(tasks === undefined ? {} : { tasks: mortal("other", tasks, life) }),
    log: (...line) => {
      if (!life.isOver()) ports.log(...line);
    },
  };
}

/** A promise that nobody can wait for: the process that would go on is gone. */
const never = (): Promise<never> => new Promise(() => {});

/** All methods of these ports are asynchronous. */
function mortal<Port extends object>(name: EndedCall["port"], port: Port, life: Life): Port {
  return new Proxy(port, {
    get: (target, method, receiver) => {
      const member: unknown = Reflect.get(target, method, receiver);
      if (typeof member !== "function") return member;
      return async (...inputs: unknown[]): Promise<unknown> => {
        if (life.isOver()) return await never();
        const result = await outcomeOf(() => Reflect.apply(member, target, inputs) as unknown);
        if (life.isOver()) return await never();
        if (result.kind === "threw") throw result.error;
        if (life.isFatal({ port: name, method: String(method), tag: inputs[0], result: result.value })) {
          life.end();
          return await never();
        }
        return result.value;
      };
    },
  });
}

async function outcomeOf(
  call: () => unknown,
): Promise<{ readonly kind: "gave"; readonly value: unknown } | { readonly kind: "threw"; readonly error: unknown }> {
  try {
    return { kind: "gave", value: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}
