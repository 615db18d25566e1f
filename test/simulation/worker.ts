// One process of the system: its ports, its clock, and what becomes of both when it dies or stands still.
// It must never let a dead process do anything, nor a living one see a port without its faults.
import type { Clock, Random } from "../../functions/flows/ports.ts";
import { deadlinesMs, type FaultKind, type Faults, failureOf, type PortName } from "./faults.ts";
import { randomFrom } from "./seeded-random.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** One process. */
export interface Worker extends Owner {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** A port as this process sees it. */
  bind<Port extends object>(name: PortName, port: Port): Port;
  isAlive(): boolean;
  /** It dies: nothing of it runs on, and who waits for it hears of it. */
  kill(): void;
  /** Calls back when it dies, unless the returned function was called. */
  onDeath(callback: () => void): () => void;
}

/** What a process runs in. */
export interface Surroundings {
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** Tells one step, for whoever watches a seed. */
  readonly tell: (line: () => string) => void;
  /** Where answers of a function's own making are written down: they are bugs. */
  readonly broken: string[];
  /** Whether the cache answers now. */
  readonly isCacheDown: () => "errors" | "silent" | null;
}

/** Starts a process. */
export function startWorker(around: Surroundings, name: string): Worker {
  const { time, faults } = around;
  let isAlive = true;
  let stoppedUntilMs = 0;
  const watchers = new Set<() => void>();
  // Two clocks of one zone differ by milliseconds; a second is a machine whose synchronisation is broken.
  const skewMs = faults.happens("clock skew", 0.3) ? faults.chance.whole(-1_000, 1_000) : 0;
  const owner: Owner = { runsFromMs: () => (isAlive ? stoppedUntilMs : null) };
  const worker: Worker = {
    ...owner,
    name,
    clock: {
      now: () => time.now() + skewMs,
      sleep: (milliseconds) => new Promise((resolve) => void time.at(time.now() + milliseconds, resolve, owner)),
      after: (milliseconds, callback) => time.at(time.now() + milliseconds, callback, owner),
    },
    random: randomFrom(faults.chance.fork(name)),
    isAlive: () => isAlive,
    kill: () => {
      if (!isAlive) return;
      isAlive = false;
      for (const watcher of [...watchers]) watcher();
      watchers.clear();
    },
    onDeath: (callback) => {
      watchers.add(callback);
      return () => void watchers.delete(callback);
    },
    bind: (port, target) => bound({ ...around, worker, owner, stop: stopUntil }, port, target),
  };
  const stopUntil = (untilMs: number) => {
    stoppedUntilMs = Math.max(stoppedUntilMs, untilMs);
  };
  return worker;
}

interface Binding extends Surroundings {
  readonly worker: Worker;
  readonly owner: Owner;
  readonly stop: (untilMs: number) => void;
}

function bound<Port extends object>(binding: Binding, name: PortName, target: Port): Port {
  const methods = new Map<string, unknown>();
  return new Proxy(target, {
    get: (port, method) => {
      const member = Reflect.get(port, method);
      if (typeof member !== "function" || typeof method !== "string") return member;
      const known = methods.get(method);
      if (known !== undefined) return known;
      const wrapped = (...inputs: unknown[]) => call(binding, name, method, member.bind(port), inputs);
      methods.set(method, wrapped);
      return wrapped;
    },
  });
}

type Operation = (...inputs: unknown[]) => Promise<unknown>;

/** One call: it takes a while, suffers what its fate is, and answers if its caller still lives. */
function call(binding: Binding, port: PortName, method: string, operation: Operation, inputs: unknown[]) {
  const { time, faults, worker, owner, tell } = binding;
  // Once faults are over a call is no event any more: that it takes a while changes nothing, and days are to pass.
  if (faults.isOver() && (owner.runsFromMs() ?? Number.POSITIVE_INFINITY) <= time.now())
    return time.operate(() => operation(...inputs));
  return new Promise((resolve, reject) => {
    if (!worker.isAlive()) return;
    const fate = faults.atCall(port, method);
    const place = `${worker.name} ${port}.${method}`;
    if (fate !== undefined) {
      faults.disturb(worker.name);
      tell(() => `${place}: ${fate}`);
    }
    const settle = (settling: () => void, lateMs: number) =>
      lateMs === 0 ? worker.isAlive() && settling() : time.at(time.now() + lateMs, settling, owner);
    const deadlineMs = deadlinesMs[port];
    const endsAtMs = deadlineMs === undefined ? Number.POSITIVE_INFINITY : time.now() + deadlineMs;
    const cancel =
      deadlineMs === undefined ? () => {} : time.at(endsAtMs, () => reject(failureOf(port, method)), owner);
    const run = async () => {
      if (port === "mailer" && time.now() >= endsAtMs) return;
      const down = port === "cache" ? binding.isCacheDown() : null;
      if (down === "silent") return;
      if (down === "errors" || fate === "refused") return reject(failureOf(port, method));
      if (fate === "crash before") return worker.kill();
      const isStale = fate === "stale lease";
      // Before the effect or after it: both are worth meeting.
      const isBefore = isStale && faults.chance.happens(0.5);
      if (isBefore) {
        stopFor(binding);
        time.at(time.now(), () => void effect(isStale), owner);
        return;
      }
      await effect(isStale);
    };
    const effect = async (isStale: boolean) => {
      let end = await ending(binding, operation, inputs);
      if (fate === "duplicate") end = await ending(binding, operation, inputs);
      tell(() => `${place} ${end.kind === "answered" ? shortly(end.answer) : `threw ${String(end.error)}`}`);
      if (fate === "crash after") return worker.kill();
      if (isStale) stopFor(binding);
      const lateMs =
        fate === "delay" && faults.chance.happens(0.5) ? faults.chance.whole(200, 25_000) : Number(isStale);
      if (fate === "lost reply") return void settle(() => reject(failureOf(port, method)), lateMs);
      const { kind } = end;
      const answer = () => {
        cancel();
        if (kind === "answered") resolve(end.answer);
        else reject(end.error);
      };
      settle(answer, lateMs);
    };
    time.at(time.now() + latencyMs(faults, fate), () => void run(), owner);
  });
}

/** A call within a zone takes some milliseconds. */
function latencyMs({ chance }: Faults, fate: FaultKind | undefined): number {
  if (fate === "delay" && chance.happens(0.5)) return chance.whole(200, 25_000);
  // Long enough for other calls to overtake it, too short for a deadline.
  if (fate === "reorder") return chance.whole(30, 250);
  return chance.whole(1, 12);
}

/** Longer than the lease of a claim (30 s) with its grace (10 s), and than those of consumers and deliveries. */
function stopFor({ time, faults, stop }: Binding): void {
  stop(time.now() + faults.chance.whole(31_000, 100_000));
}

type Ending =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "threw"; readonly error: unknown };

async function ending(binding: Binding, operation: Operation, inputs: unknown[]): Promise<Ending> {
  const { time } = binding;
  try {
    return {
      kind: "answered",
      answer: await time.operate(() => operation(...inputs.map((one) => asSteps(binding, one)))),
    };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/** A body that an operation runs, a transaction's for example: each of its reads is a step, and so is its end. */
function asSteps(binding: Binding, input: unknown): unknown {
  if (typeof input !== "function") return input;
  const { time } = binding;
  return async (scope: unknown) => {
    const isTransaction = typeof scope === "object" && scope !== null && "write" in scope;
    const step = async (operation: () => Promise<unknown>) => {
      // What reads a moment of the past meets nobody.
      if (isTransaction) await pause(binding);
      return await time.operate(operation);
    };
    time.suspended();
    try {
      return await input(scopeOf(scope, step));
    } finally {
      if (isTransaction) await pause(binding);
      time.resumed();
    }
  };
}

function scopeOf(scope: unknown, step: (operation: () => Promise<unknown>) => Promise<unknown>): unknown {
  if (typeof scope === "function") return (...inputs: unknown[]) => step(() => scope(...inputs));
  if (typeof scope !== "object" || scope === null) return scope;
  return Object.fromEntries(
    Object.entries(scope).map(([name, member]) => {
      if (typeof member !== "function" || name === "write") return [name, member];
      return [name, (...inputs: unknown[]) => step(() => member(...inputs))];
    }),
  );
}

/** A round trip in the middle of a transaction; the process may die there or stand still, and the transaction with it. */
async function pause({ time, faults, worker, owner, stop, tell }: Binding): Promise<void> {
  if (!worker.isAlive()) await new Promise(() => {});
  if (faults.happens("stale lease", 0.001)) {
    faults.disturb(worker.name);
    tell(() => `${worker.name} in a transaction: stale lease`);
    stop(time.now() + faults.chance.whole(31_000, 100_000));
  } else if (faults.happens("crash before", 0.002)) {
    tell(() => `${worker.name} in a transaction: crash`);
    worker.kill();
  }
  await new Promise<void>((resolve) => void time.at(time.now() + faults.chance.whole(1, 6), resolve, owner));
}

function shortly(answer: unknown): string {
  const text = JSON.stringify(answer, (_, value) =>
    typeof value === "bigint" ? String(value) : value instanceof Uint8Array ? `${value.length} bytes` : value,
  );
  return text === undefined ? "" : text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
