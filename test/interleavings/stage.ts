// A stage for a few processes on one set of stores, on which every store call waits until somebody lets it happen.
// It must never let anything happen by itself: not a call, not the passing of time.
import type { Clock } from "../../functions/flows/ports.ts";
import { failureOf, type PortName } from "../simulation/faults.ts";
import { chanceOf, randomFrom } from "../simulation/seeded-random.ts";
import { openStores } from "../simulation/stores.ts";

/** Something that may happen next. */
export interface Action {
  /** The same action has the same name in every run that came to it on the same way. */
  readonly id: string;
  /** Whose it is: letting somebody else on while it could happen is a preemption. */
  readonly actor: string;
  /** What it touches; `time` moves the clock and is felt by everybody. */
  readonly touches: PortName | "time";
  readonly isWrite: boolean;
}

/** How a process on the stage fares. */
export interface Fate {
  /** It dies before its call of this number; never when absent. */
  readonly diesAtCall?: number;
  /** The reply of its call of this number is lost, and the call itself lands whenever the schedule says. */
  readonly lateCall?: number;
}

interface Pending extends Action {
  readonly happen: () => void;
}

/** One run of a scenario. */
export type Stage = ReturnType<typeof openStage>;

/** 2026-01-15 12:00:00 UTC. */
const beginMs = Date.UTC(2026, 0, 15, 12, 0, 0);

/** An empty stage. */
export function openStage() {
  let nowMs = beginMs;
  let operating = 0;
  let isFree = false;
  const pending = new Map<string, Pending>();
  const timers = new Map<string, { readonly atMs: number; readonly actor: string; readonly ring: () => void }>();
  const counts = new Map<string, number>();
  const numbered = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name} ${count}`;
  };
  const setTimer = (actor: string, milliseconds: number, ring: () => void) => {
    const id = numbered(`${actor} timer`);
    timers.set(id, { atMs: nowMs + Math.max(0, milliseconds), actor, ring });
    return () => void timers.delete(id);
  };
  const letRun = async () => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (operating > 0);
  };
  const moveTo = (atMs: number) => {
    nowMs = Math.max(nowMs, atMs);
    const due = [...timers]
      .filter(([, timer]) => timer.atMs <= nowMs)
      .sort(([, one], [, other]) => one.atMs - other.atMs);
    for (const [id, timer] of due) {
      // One that rang may have cancelled another.
      if (timers.delete(id)) timer.ring();
    }
  };
  const operate = async <Answer>(operation: () => Promise<Answer>): Promise<Answer> => {
    operating += 1;
    try {
      return await operation();
    } finally {
      operating -= 1;
    }
  };
  const suspended = () => {
    operating -= 1;
  };
  const resumed = () => {
    operating += 1;
  };
  const outside = {
    now: () => nowMs,
    operate,
    suspended,
    resumed,
    at: (atMs: number, run: () => void) => setTimer("outside", atMs - nowMs, run),
  };
  const stores = openStores(outside);

  /** A process; its calls are numbered from 1. */
  const enter = (name: string, fate: Fate = {}) => {
    let calls = 0;
    let isDead = false;
    /** Waits for its turn; `lost` hears that nobody will hear of it. */
    const turn = (port: PortName, method: string, lost: () => void): Promise<void> =>
      new Promise((resolve) => {
        calls += 1;
        if (fate.diesAtCall === calls) isDead = true;
        if (isDead) return;
        if (isFree) return resolve();
        const isLate = fate.lateCall === calls;
        const action = { touches: port, isWrite: !readers.has(method) };
        const id = `${name} ${calls} ${port}.${method}`;
        const land = () => resolve();
        if (!isLate) return void pending.set(id, { ...action, id, actor: name, happen: land });
        const lose = () => {
          lost();
          pending.set(`late ${id}`, { ...action, id: `late ${id}`, actor: "late", happen: land });
        };
        pending.set(id, { ...action, isWrite: false, id, actor: name, happen: lose });
      });
    const call = (port: PortName, method: string, operation: (...inputs: unknown[]) => Promise<unknown>) => {
      return (...inputs: unknown[]) =>
        new Promise((resolve, reject) => {
          const lost = () => reject(failureOf(port, method));
          const [body] = inputs.filter((input) => typeof input === "function");
          const run = () => void operate(() => operation(...inputs)).then(resolve, reject);
          if (body === undefined) return void turn(port, method, lost).then(run);
          const transaction = bodyInSteps(body as (scope: unknown) => Promise<unknown>, {
            port,
            turn,
            suspended,
            resumed,
            lost,
          });
          void turn(port, "read", lost).then(() => {
            void operate(() => operation(...inputs.map((input) => (input === body ? transaction : input)))).then(
              resolve,
              reject,
            );
          });
        });
    };
    const bind = <Port extends object>(port: PortName, target: Port): Port =>
      new Proxy(target, {
        get: (own, method) => {
          const member = Reflect.get(own, method);
          if (typeof member !== "function" || typeof method !== "string") return member;
          return call(port, method, member.bind(own));
        },
      });
    const clock: Clock = {
      now: () => nowMs,
      sleep: (milliseconds) => new Promise((resolve) => void setTimer(name, milliseconds, () => isDead || resolve())),
      after: (milliseconds, callback) => setTimer("deadline", milliseconds, () => isDead || callback()),
    };
    /** A port whose calls happen at once, because nothing that is looked at depends on them. */
    const passing = <Port extends object>(target: Port): Port =>
      new Proxy(target, {
        get: (own, method) => {
          const member = Reflect.get(own, method);
          if (typeof member !== "function") return member;
          return (...inputs: unknown[]) => operate(() => Reflect.apply(member, own, inputs));
        },
      });
    return { bind, passing, clock, random: randomFrom(chanceOf(1).fork(name)), log: () => {} };
  };

  return {
    stores,
    outside,
    enter,
    letRun,
    now: () => nowMs,
    moveTo,
    /** Something that is nobody's call, and may happen at any time from here on, once. */
    event: (id: string, touches: PortName, happen: () => void) =>
      void pending.set(id, { id, actor: id, touches, isWrite: true, happen }),
    /** What may happen now: calls, and the waking of whoever sleeps. */
    actions: (): readonly Action[] => [
      ...[...pending.values()].map(({ id, actor, touches, isWrite }) => ({ id, actor, touches, isWrite })),
      ...[...timers]
        .filter(([, { actor }]) => actor !== "deadline")
        .map(([id, { actor }]) => ({ id, actor, touches: "time", isWrite: true }) as const),
    ],
    take: async (id: string) => {
      const call = pending.get(id);
      const timer = timers.get(id);
      if (call === undefined && timer === undefined) throw new Error(`Nothing like ${id} can happen.`);
      pending.delete(id);
      if (call !== undefined) call.happen();
      else if (timer !== undefined) moveTo(timer.atMs);
      await letRun();
    },
    /** From here on every call happens at once, and time moves to the next timer when nothing else can. */
    free: () => {
      isFree = true;
    },
    /** And from here on every call waits again. */
    hold: () => {
      isFree = false;
    },
    settled: async <Answer>(promise: Promise<Answer>): Promise<Answer> => {
      let isSettled = false;
      const end = promise.finally(() => {
        isSettled = true;
      });
      end.catch(() => {});
      for (;;) {
        await letRun();
        if (isSettled) return await end;
        const next = Math.min(...[...timers.values()].map(({ atMs }) => atMs));
        if (!Number.isFinite(next)) throw new Error("Nothing will ever happen.");
        moveTo(next);
      }
    },
  };
}

/** Methods that change nothing; two of them on one store may change places. */
const readers: ReadonlySet<string> = new Set(["read", "lookup", "overdueAttempts", "abandonedIntentions"]);

/** The body of a transaction: its first read happened with its begin; further ones, and its commit, are steps. */
function bodyInSteps(
  body: (scope: unknown) => Promise<unknown>,
  at: {
    readonly port: PortName;
    readonly turn: (port: PortName, method: string, lost: () => void) => Promise<void>;
    readonly suspended: () => void;
    readonly resumed: () => void;
    readonly lost: () => void;
  },
) {
  let isLost = false;
  const lost = () => {
    isLost = true;
    at.lost();
  };
  return async (scope: { read: (keys: unknown) => Promise<unknown>; write: (changes: unknown) => void }) => {
    // A commit that lands late and is refused is not tried again: nobody is there to do so.
    if (isLost) {
      at.suspended();
      await new Promise(() => {});
    }
    let reads = 0;
    let writes = 0;
    const read = async (keys: unknown) => {
      reads += 1;
      if (reads === 1) return await scope.read(keys);
      at.suspended();
      await at.turn(at.port, "read", lost);
      at.resumed();
      return await scope.read(keys);
    };
    const write = (changes: unknown) => {
      writes += 1;
      scope.write(changes);
    };
    const result = await body({ read, write });
    if (writes > 0) {
      at.suspended();
      await at.turn(at.port, "commit", lost);
      at.resumed();
    }
    return result;
  };
}
