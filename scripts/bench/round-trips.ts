// Runs each kind of request once and counts its round trips to the stores.
// It must never count a request that did not end as its kind must: the counts of a failure prove nothing.
import { systemRandom } from "../../functions/adapters/system.ts";
import type { Reply, Service } from "./service.ts";
import { keyLookUp, type Tally, type Trip } from "./tally.ts";

/** Counts every kind, one after another. */
export async function countRoundTrips(service: Service, tally: Tally): Promise<readonly Counted[]> {
  const opening = await countOpening(service, tally);
  const counted: Counted[] = [{ ...kinds.opening, trips: opening }];
  const key = newKey();
  const first = await pay(service, key);
  const count = async (kind: Kind, run: () => Promise<Reply>, isRight: (reply: Reply) => boolean) => {
    tally.take();
    const reply = await run();
    if (!isRight(reply)) throw new Error(`${kind.name}: status ${reply.status}, replayed: ${reply.replayed}`);
    counted.push({ ...kind, trips: tally.take() });
  };

  await count(kinds.payment, () => pay(service, newKey()), isNew(200));
  await count(
    kinds.replay,
    () => pay(service, key),
    (reply) => reply.replayed && reply.text === first.text,
  );
  await count(kinds.mismatch, () => pay(service, key, declined), isNew(400));
  await count(
    kinds.twin,
    () => twinThatWaitsOnce(service, tally),
    (reply) => reply.replayed,
  );
  await count(kinds.decline, () => pay(service, newKey(), declined), isNew(402));
  const { id } = JSON.parse(first.text) as { id: string };
  const update = `${path}/${id}`;
  await count(kinds.update, () => service.send("POST", update, "metadata[order]=6735", newKey()), isNew(200));
  return counted;
}

/** A kind of request and its round trips. */
export type Counted = Kind & { readonly trips: readonly Trip[] };

/** What is promised of a kind of request (the budgets of the project's first issue). */
export type Kind = {
  readonly name: string;
  /** Most calls of the stores; null where nothing is promised. */
  readonly callsMax: number | null;
  /** Most of them that wait for one another; null where nothing is promised. */
  readonly oneByOneMax: number | null;
  /** Most writes; null where nothing is promised. */
  readonly writesMax: number | null;
};

/** Sends a create+confirm. */
export async function pay(service: Service, key: string, form = approved): Promise<Reply> {
  return await service.send("POST", path, form, key);
}

/** An idempotency key that nobody used. */
export function newKey(): string {
  return systemRandom.id("bench");
}

const path = "/v1/payment_intents";
const approved = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa";
/** A create+confirm with other parameters, which the card network declines. */
export const declined = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa_chargeDeclined";

const kinds = {
  opening: {
    name: "the first request of a process, before its work",
    callsMax: null,
    oneByOneMax: null,
    writesMax: null,
  },
  payment: { name: "new payment, created and confirmed", callsMax: 6, oneByOneMax: 6, writesMax: null },
  replay: { name: "replay", callsMax: 2, oneByOneMax: 1, writesMax: 0 },
  mismatch: { name: "mismatch", callsMax: 2, oneByOneMax: 1, writesMax: 0 },
  twin: { name: "twin that waits once", callsMax: 3, oneByOneMax: 2, writesMax: 0 },
  decline: { name: "declined payment", callsMax: 6, oneByOneMax: 6, writesMax: null },
  update: { name: "update", callsMax: null, oneByOneMax: null, writesMax: null },
} satisfies Record<string, Kind>;

/** A request that goes no further than its API key: the sessions it opens and the look-up are remembered by the process. */
async function countOpening(service: Service, tally: Tally): Promise<readonly Trip[]> {
  const sessions = tally.take().filter(({ store }) => store === "apart");
  await service.send("GET", "/v1/nothing");
  const others = tally.take();
  const apart = others.map(
    (trip): Trip => ({ ...trip, store: "apart", name: trip.store === "ledger" ? keyLookUp : trip.name }),
  );
  return [...sessions, ...apart];
}

/** The first request is held at the card network until its twin waits; only the twin's own trips are counted. */
async function twinThatWaitsOnce(service: Service, tally: Tally): Promise<Reply> {
  const key = newKey();
  const network = service.network.hold();
  const waits = service.waits.hold();
  tally.pause();
  const first = pay(service, key);
  await network.arrived;
  tally.resume();
  const twin = pay(service, key);
  await waits.arrived;
  tally.pause();
  network.release();
  await first;
  tally.resume();
  waits.release();
  return await twin;
}

function isNew(status: number): (reply: Reply) => boolean {
  return (reply) => reply.status === status && !reply.replayed;
}
