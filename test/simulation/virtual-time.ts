// Time that jumps from one event to the next, and the one place where anything in a simulation is started.
// It must never look at the machine's clock, and never start an event before all that the last one woke up has run.

/** Time of one simulation, in milliseconds since the epoch. */
export interface VirtualTime {
  now(): number;
  /** Runs something at a time; `owner` decides then whether it is let run, put off or dropped. Returns how to cancel it. */
  at(atMs: number, run: () => void, owner?: Owner): () => void;
  sleep(milliseconds: number): Promise<void>;
  /** Runs an operation on a store; nothing else starts until it has ended. */
  operate<Answer>(operation: () => Promise<Answer>): Promise<Answer>;
  /** Tells that an operation waits for other events, until `resumed`. */
  suspended(): void;
  resumed(): void;
  /** Runs events until none is left before `untilMs`, and leaves time there; or until `isOver` says so. */
  runUntil(untilMs: number, isOver?: () => boolean): Promise<void>;
  /** Events that ran so far. */
  steps(): number;
}

/** Whose event it is: a process that may be dead, or not running for a while. */
export interface Owner {
  /** Null when it is dead; else from when on it runs, which may have passed. */
  runsFromMs(): number | null;
}

/** Time that begins at `beginMs`; `tieBreak` decides between events of the same millisecond. */
export function virtualTime(beginMs: number, tieBreak: () => number): VirtualTime {
  let nowMs = beginMs;
  let operating = 0;
  let steps = 0;
  const queue = eventQueue();
  const at = (atMs: number, run: () => void, owner?: Owner) => {
    const event: Planned = { atMs: Math.max(nowMs, Math.ceil(atMs)), tie: tieBreak(), run, owner, isCancelled: false };
    queue.push(event);
    return () => {
      event.isCancelled = true;
    };
  };
  /** Until nothing runs any more: microtasks end before the turn does, operations say when they have ended. */
  const letRun = async () => {
    let turns = 0;
    do {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
      if (turns > turnsMax) throw new Error("An operation on a store does not end.");
    } while (operating > 0);
  };
  return {
    now: () => nowMs,
    at,
    sleep: (milliseconds) => new Promise((resolve) => void at(nowMs + milliseconds, resolve)),
    operate: async (operation) => {
      operating += 1;
      try {
        return await operation();
      } finally {
        operating -= 1;
      }
    },
    suspended: () => {
      operating -= 1;
    },
    resumed: () => {
      operating += 1;
    },
    runUntil: async (untilMs, isOver = () => false) => {
      await letRun();
      for (let event = queue.peek(); event !== undefined && event.atMs <= untilMs; event = queue.peek()) {
        queue.pop();
        if (event.isCancelled) continue;
        const runsFromMs = event.owner === undefined ? 0 : event.owner.runsFromMs();
        if (runsFromMs === null) continue;
        if (runsFromMs > event.atMs) {
          event.atMs = runsFromMs;
          queue.push(event);
          continue;
        }
        nowMs = Math.max(nowMs, event.atMs);
        steps += 1;
        event.run();
        await letRun();
        if (isOver()) return;
      }
      nowMs = Math.max(nowMs, untilMs);
    },
    steps: () => steps,
  };
}

/** An operation takes a turn or two, one that compresses some dozens; this many are a bug. */
const turnsMax = 100_000;

interface Planned {
  atMs: number;
  readonly tie: number;
  readonly run: () => void;
  readonly owner: Owner | undefined;
  isCancelled: boolean;
}

/** A binary heap, earliest first. */
function eventQueue() {
  const heap: Planned[] = [];
  const isBefore = (one: Planned, other: Planned) =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie);
  const nodeAt = (index: number) => heap[index] as Planned;
  const swap = (one: number, other: number) => {
    const held = nodeAt(one);
    heap[one] = nodeAt(other);
    heap[other] = held;
  };
  const sink = () => {
    for (let index = 0; ; ) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && isBefore(nodeAt(child), nodeAt(least))) least = child;
      }
      if (least === index) return;
      swap(index, least);
      index = least;
    }
  };
  return {
    peek: () => heap[0],
    push: (event: Planned) => {
      heap.push(event);
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(nodeAt(index), nodeAt(parent))) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop: () => {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      heap[0] = last;
      sink();
    },
  };
}
