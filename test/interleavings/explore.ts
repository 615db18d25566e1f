// Every schedule of a scenario, one after the other, each from its beginning: a search by depth without stored states.
// It must never skip a schedule that could end otherwise, except where a bound says so.
import type { Action } from "./stage.ts";

/** One run of a scenario, in somebody else's hands. */
export interface Run {
  actions(): readonly Action[];
  take(id: string): Promise<void>;
  /** Lets everything come to its end, and says what does not hold. */
  judge(): Promise<readonly string[]>;
}

/** What a search came to. */
export interface Explored {
  readonly schedules: number;
  readonly steps: number;
  /** True when all schedules within the bound were run. */
  readonly isWhole: boolean;
  /** The first schedule that does not hold. */
  readonly failure: { readonly schedule: readonly string[]; readonly problems: readonly string[] } | null;
}

/** Bounds of a search. */
export interface Bounds {
  /** How often a process may be stopped that could go on; null for no bound. */
  readonly preemptionsMax: number | null;
  readonly schedulesMax: number;
}

/**
 * Runs schedules until all were run, or one fails. Without a bound on preemptions, schedules are left out that differ from
 * another one only by the order of two neighbours that do not touch the same store, or both only read (sleep sets).
 */
export async function explore(open: () => Promise<Run>, bounds: Bounds): Promise<Explored> {
  const path: Node[] = [];
  let [schedules, steps] = [0, 0];
  do {
    if (schedules >= bounds.schedulesMax) return { schedules, steps, isWhole: false, failure: null };
    const run = await open();
    let isRedundant = false;
    for (let depth = 0; ; depth += 1) {
      const actions = run.actions();
      if (actions.length === 0) break;
      const node = path[depth] ?? nodeOf(actions, path.at(-1), bounds);
      if (node === undefined) {
        isRedundant = true;
        break;
      }
      if (depth === path.length) path.push(node);
      await run.take(node.taken.id);
      steps += 1;
    }
    if (!isRedundant) {
      schedules += 1;
      const problems = await run.judge();
      const failure = { schedule: path.map(({ taken }) => taken.id), problems };
      if (problems.length > 0) return { schedules, steps, isWhole: false, failure };
    }
  } while (turnToNext(path));
  return { schedules, steps, isWhole: true, failure: null };
}

interface Node {
  taken: Action;
  /** What is still to be tried here. */
  readonly left: Action[];
  /** What need not be tried: tried here before, or on another way that comes to the same. */
  readonly asleep: Action[];
  readonly preemptions: number;
  readonly couldGoOn: Action | undefined;
}

function nodeOf(actions: readonly Action[], above: Node | undefined, { preemptionsMax }: Bounds): Node | undefined {
  const isReduced = preemptionsMax === null;
  const asleep =
    isReduced && above !== undefined ? above.asleep.filter((action) => isIndependent(action, above.taken)) : [];
  const couldGoOn = actions.find(({ actor, touches }) => actor === above?.taken.actor && touches !== "time");
  const preemptions = above === undefined ? 0 : above.preemptions + preemptionOf(above);
  const left = actions.filter((action) => {
    if (asleep.some(({ id }) => id === action.id)) return false;
    const isPreempting = couldGoOn !== undefined && action.actor !== couldGoOn.actor;
    return preemptionsMax === null || !isPreempting || preemptions < preemptionsMax;
  });
  // Whoever runs goes on first, so that the first schedules are those with the fewest changes.
  left.sort((one, other) => Number(other.actor === couldGoOn?.actor) - Number(one.actor === couldGoOn?.actor));
  const taken = left.shift();
  return taken && { taken, left, asleep, preemptions, couldGoOn };
}

function preemptionOf({ couldGoOn, taken }: Node): number {
  return couldGoOn !== undefined && taken.actor !== couldGoOn.actor ? 1 : 0;
}

/** Moves to the next schedule; false when there is none. */
function turnToNext(path: Node[]): boolean {
  for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
    node.asleep.push(node.taken);
    const next = node.left.shift();
    if (next !== undefined) {
      node.taken = next;
      return true;
    }
    path.pop();
  }
  return false;
}

function isIndependent(one: Action, other: Action): boolean {
  if (one.actor === other.actor || one.touches === "time" || other.touches === "time") return false;
  return one.touches !== other.touches || (!one.isWrite && !other.isWrite);
}
