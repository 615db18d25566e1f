/**
 * Consumers' markers and documents in memory, for the laptop and for tests: same answers as Firestore's, call by call.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Marker, verdictOn } from "../../domain/consumption.ts";
import type { ConsumerStore, EffectDocument, HeldMarkers, MarkerOffer } from "../../flows/consumer-ports.ts";
import type { MemoryDocuments } from "./documents.ts";

/** An empty set of markers beside the given documents. */
export function memoryConsumerStore(documents: MemoryDocuments): MemoryConsumerStore {
  const markers = new Map<string, { marker: Marker; version: string }>();
  let writes = 0;
  const write = (ids: readonly string[], marker: Marker): HeldMarkers => {
    writes += 1;
    const version = String(writes);
    for (const id of ids) markers.set(id, { marker: { ...marker }, version });
    return { ids, versions: ids.map(() => version), marker };
  };
  const isHeld = ({ ids, versions }: HeldMarkers) =>
    ids.every((id, index) => markers.get(id)?.version === versions[index]);
  const stands = ({ collection, id, write: how }: EffectDocument) => how === "create" && documents.has(collection, id);
  return {
    put: async ({ ids, marker, documents: offered }: MarkerOffer, nowMs) => {
      await nextTurn();
      const found = ids.flatMap((id) => markers.get(id) ?? []);
      const verdict = verdictOn(
        found.map((one) => one.marker),
        marker.token,
        nowMs,
      );
      if (verdict === "ours")
        return { kind: "written", held: { ids, versions: found.map((one) => one.version), marker } };
      if (verdict !== "free") return { kind: verdict };
      if (offered.some(stands)) return { kind: "done" };
      for (const document of offered) documents.put(document);
      return { kind: "written", held: write(ids, marker) };
    },
    finish: async (held, marker) => {
      await nextTurn();
      const isOwnLostReply = held.ids.every((id) => {
        const standing = markers.get(id)?.marker;
        return standing?.token === marker.token && standing.state === "done";
      });
      if (isOwnLostReply) return "finished";
      if (!isHeld(held)) return "lost";
      write(held.ids, marker);
      return "finished";
    },
    release: async (held) => {
      await nextTurn();
      if (isHeld(held)) for (const id of held.ids) markers.delete(id);
    },
    markers: () => [...markers.values()].map(({ marker }) => ({ ...marker })),
    forgetMarkers: () => markers.clear(),
  };
}

/** The store with what tests may do beyond the port. */
export interface MemoryConsumerStore extends ConsumerStore {
  /** A copy of every marker. */
  markers(): readonly Marker[];
  /** Forgets them all, as expiry does. */
  forgetMarkers(): void;
}
