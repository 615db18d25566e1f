// Things in the order of their time, so that a queue with 100,000 tasks finds the next one as fast as one with a hundred.
// It must never change the order of two things of the same time: the one that came first leaves first.

/** Things by their time. */
export type Heap<Thing> = {
  push(dueMs: number, thing: Thing): void;
  /** The first one, left where it is. */
  first(): Entry<Thing> | undefined;
  /** Takes the first one out. */
  pop(): Entry<Thing> | undefined;
  clear(): void;
};

/** A thing and its time in milliseconds. */
export type Entry<Thing> = { dueMs: number; thing: Thing };

/** An empty heap. */
export function heap<Thing>(): Heap<Thing> {
  const entries: Placed<Thing>[] = [];
  let pushes = 0;
  return {
    push: (dueMs, thing) => {
      pushes += 1;
      entries.push({ dueMs, thing, turn: pushes });
      rise(entries, entries.length - 1);
    },
    first: () => entries[0],
    pop: () => {
      const [first] = entries;
      const last = entries.pop();
      if (last !== undefined && entries.length > 0) {
        entries[0] = last;
        sink(entries, 0);
      }
      return first;
    },
    clear: () => void entries.splice(0),
  };
}

/** `turn` tells who came first. */
type Placed<Thing> = Entry<Thing> & { turn: number };

function isBefore(one: Placed<unknown> | undefined, other: Placed<unknown> | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.turn < other.turn);
}

function rise<Thing>(entries: Placed<Thing>[], from: number): void {
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(entries[place], entries[parent])) return;
    swap(entries, place, parent);
    place = parent;
  }
}

function sink<Thing>(entries: Placed<Thing>[], from: number): void {
  let place = from;
  for (;;) {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    const child = isBefore(entries[right], entries[left]) ? right : left;
    if (!isBefore(entries[child], entries[place])) return;
    swap(entries, place, child);
    place = child;
  }
}

function swap<Thing>(entries: Placed<Thing>[], one: number, other: number): void {
  const [first, second] = [entries[one], entries[other]];
  if (first === undefined || second === undefined) return;
  entries[one] = second;
  entries[other] = first;
}
