/**
 * A bus in memory that only keeps what it was given, for tests: the same answers as Pub/Sub's.
 * It must never hand out bytes that somebody else can change, nor answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { refuse } from "../../domain/errors.ts";
import type { BusMessage, Publisher } from "../../flows/bus-ports.ts";

/** A publisher with what tests may see beyond the port. */
export interface MemoryPublisher extends Publisher {
  /** All messages so far, in the order in which they came. */
  messages(): readonly BusMessage[];
}

/** An empty bus. */
export function memoryPublisher(): MemoryPublisher {
  const kept: BusMessage[] = [];
  return {
    publish: async (messages) => {
      const copies = messages.map(({ data, attributes }) => ({
        data: Uint8Array.from(data),
        attributes: { ...attributes },
      }));
      await nextTurn();
      if (copies.some(isEmpty)) throw refuse("internal", "A message needs data or an attribute.");
      kept.push(...copies);
    },
    messages: () => [...kept],
  };
}

/** Pub/Sub takes no message without anything in it. */
function isEmpty({ data, attributes }: BusMessage): boolean {
  return data.length === 0 && Object.keys(attributes).length === 0;
}
