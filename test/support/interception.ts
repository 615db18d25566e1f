// Stands between a flow and a port, so that a test can make the n-th call of a method fail, hang or die.
// It must never change an answer by itself: without a rule every call passes through.

/** What happens at a call. `before` means the effect did not happen, `after` that it did and the caller hears something else. */
export type Fault =
  | { readonly at: "before" | "after"; readonly act: "throw"; readonly error: unknown }
  /** The process dies: the call never returns, and nothing after it runs; `takes` ends whatever else runs in it. */
  | { readonly at: "before" | "after"; readonly act: "die"; readonly takes?: () => void }
  /** The call waits until the promise resolves, and goes on as if nothing had happened. */
  | { readonly at: "before" | "after"; readonly act: "wait"; readonly until: Promise<unknown> };

/** A port whose calls can be disturbed, and counted. */
export interface Intercepted<Port> {
  readonly port: Port;
  /** Names of the methods called, in order. */
  readonly calls: string[];
  /** Disturbs the `nth` call (1 is the next one) of `method`, once. */
  disturb(method: keyof Port & string, fault: Fault, nth?: number): void;
  /** Disturbs the `nth` call (1 is the next one) of whatever method, once. */
  disturbCall(nth: number, fault: Fault): void;
  /** Disturbs every call of every method until the returned function is called. */
  disturbAll(fault: Fault): () => void;
}

/** Stands for each method; no port has one of this name. */
const anyMethod = "*";

/** Wraps a port's methods. */
export function intercept<Port extends object>(port: Port): Intercepted<Port> {
  const calls: string[] = [];
  const rules: { method: string; fault: Fault; left: number }[] = [];
  let always: Fault | undefined;

  const faultFor = (method: string): Fault | undefined => {
    for (const [index, rule] of rules.entries()) {
      if (rule.method !== method && rule.method !== anyMethod) continue;
      rule.left -= 1;
      if (rule.left > 0) continue;
      rules.splice(index, 1);
      return rule.fault;
    }
    return always;
  };
  const wrapped = new Proxy(port, {
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return async (...inputs: unknown[]) => {
        calls.push(name);
        const fault = faultFor(name);
        if (fault?.at === "before") await suffer(fault);
        const answer = await Reflect.apply(member, target, inputs);
        if (fault?.at === "after") await suffer(fault);
        return answer;
      };
    },
  });
  return {
    port: wrapped,
    calls,
    disturb: (method, fault, nth = 1) => void rules.push({ method, fault, left: nth }),
    disturbCall: (nth, fault) => void rules.push({ method: anyMethod, fault, left: nth }),
    disturbAll: (fault) => {
      always = fault;
      return () => {
        always = undefined;
      };
    },
  };
}

async function suffer(fault: Fault): Promise<void> {
  if (fault.act === "throw") throw fault.error;
  if (fault.act === "die") fault.takes?.();
  await (fault.act === "wait" ? fault.until : new Promise(() => {}));
}
