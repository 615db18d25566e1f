/**
 * What a consumer of events needs from its store: markers and its own documents, in one commit.
 * It holds types only, and never an increment: what a consumer writes must be the same whoever writes it.
 */
import type { Marker } from "../domain/consumption.ts";

/** What a field of a document may hold. Amounts of money are decimal text, which no store rounds. */
export type FieldValue = string | number | boolean | null | Date | Uint8Array | readonly string[];

/** One document of a consumer's own store. */
export interface EffectDocument {
  readonly collection: string;
  /** Derived from the business action, never random: that is what makes a repetition harmless. */
  readonly id: string;
  /** `create`: where it stands already, the action was done. `put`: everybody who writes it writes the same. */
  readonly write: "create" | "put";
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/**
 * The two kinds of effect and what is promised of each (design section 6).
 * `own`: documents of our own store, committed together with the markers: exactly once.
 * `outside`: something that no commit of ours can hold: at least once, and a second time only when the process died
 * between the effect and its marker. It must carry a key of its own, the same each time, by which the other side can tell,
 * and end within `outsideEffectMs`. It resolves to how it ended, in one word that is safe to log.
 */
export type Effect =
  | { readonly kind: "own"; readonly prepare: () => Promise<Prepared> }
  | { readonly kind: "outside"; readonly run: () => Promise<string> };

/** Documents to commit, and how it ended once they are, in one word that is safe to log. At most 450 documents. */
export interface Prepared {
  readonly outcome: string;
  readonly documents: readonly EffectDocument[];
}

/** What is to be done. */
export interface BusinessAction {
  /** What is done once whatever events ask for it, for example `invoice:pi_…`. */
  readonly name: string;
  readonly effect: Effect;
}

/** A marker to be written under its two ids, together with documents. */
export interface MarkerOffer {
  readonly ids: readonly string[];
  readonly marker: Marker;
  readonly documents: readonly EffectDocument[];
}

/** A claim that was won: what `finish` and `release` are conditional on. `versions` belong to `ids`, one each. */
export interface HeldMarkers {
  readonly ids: readonly string[];
  readonly versions: readonly string[];
  readonly marker: Marker;
}

/** Markers and effects. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface ConsumerStore {
  /**
   * Writes the markers and all documents in one commit, or nothing. `done`: another delivery did it, or a document to be
   * created stands already; `busy`: another delivery holds it at `nowMs`. One's own write, seen again after a lost reply,
   * is `written`.
   */
  put(
    offer: MarkerOffer,
    nowMs: number,
  ): Promise<{ readonly kind: "written"; readonly held: HeldMarkers } | { readonly kind: "done" | "busy" }>;
  /** Replaces held markers; `lost` when another delivery took them over meanwhile, and then nothing was written. */
  finish(held: HeldMarkers, marker: Marker): Promise<"finished" | "lost">;
  /** Takes held markers away, so that the next delivery need not wait; those of another delivery stay. */
  release(held: HeldMarkers): Promise<void>;
}
