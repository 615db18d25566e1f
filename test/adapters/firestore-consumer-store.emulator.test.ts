// What a consumer's store costs on the wire, and that a reply lost there neither repeats an effect nor blocks it.
// It must never reach a real project: the support file insists on the emulator.
import { randomBytes } from "node:crypto";
import { firestoreConsumerStore } from "../../functions/adapters/firestore-consumer-store.ts";
import { firestoreDocuments } from "../../functions/adapters/firestore-documents.ts";
import { type Marker, markerIds } from "../../functions/domain/consumption.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";

/** UNAVAILABLE, which the client tries again by itself. */
const unavailable = 14;
const nowMs = 1_772_366_400_000;

let firestore: EmulatedFirestore;
beforeAll(async () => {
  firestore = await openEmulatedFirestore();
  await firestore.database.collection(firestore.collection).doc("warm-up").get();
});
beforeEach(() => firestore.proxy.reset());
afterAll(async () => await firestore.close());

const storeOf = ({ database, collection }: EmulatedFirestore) =>
  firestoreConsumerStore({ database, collection, deleteAfterField: "deleteAfter" });

function offer(state: Marker["state"]) {
  const name = randomBytes(12).toString("hex");
  const marker: Marker = {
    ...{ consumer: "invoice", eventId: `evt_${name}`, action: `invoice:pi_${name}`, token: name, state },
    ...{ leaseUntilMs: state === "done" ? 0 : nowMs + 9_000, outcome: state === "done" ? "issued" : null },
    deleteAfterMs: nowMs + 1,
  };
  const collection = `${firestore.collection}-effects`;
  const document = { collection, id: `pi_${name}`, write: "create", fields: { number: "INV-1" } } as const;
  return { ids: markerIds(marker), marker, documents: state === "done" ? [document] : [], collection, name };
}

test("an own effect is one call, and finding it done are two", async () => {
  const first = offer("done");

  await storeOf(firestore).put(first, nowMs);
  expect(firestore.proxy.sequence()).toEqual(["Commit"]);
  await storeOf(firestore).put({ ...first, marker: { ...first.marker, token: "other" } }, nowMs);
  expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit", "BatchGetDocuments"]);
});

test("an outside effect is two calls around it", async () => {
  const { marker, ...claim } = offer("in_progress");
  const claimed = await storeOf(firestore).put({ ...claim, marker }, nowMs);
  if (claimed.kind !== "written") throw new Error("The claim was not won.");

  await storeOf(firestore).finish(claimed.held, { ...marker, state: "done", outcome: "handed_over" });

  expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit"]);
});

test("an own effect whose reply was lost is recognised as written, and stands once", async () => {
  const lost = offer("done");
  firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: unavailable });

  expect((await storeOf(firestore).put(lost, nowMs)).kind).toBe("written");

  expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit", "BatchGetDocuments"]);
  expect(await firestoreDocuments(firestore.database).find(lost.collection, `pi_${lost.name}`)).toMatchObject({
    fields: { number: "INV-1" },
  });
});

test("a claim whose reply was lost can be finished, and a finish whose reply was lost is finished", async () => {
  const { marker, ...claim } = offer("in_progress");
  firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: unavailable });
  const claimed = await storeOf(firestore).put({ ...claim, marker }, nowMs);
  if (claimed.kind !== "written") throw new Error("The claim was not won.");
  firestore.proxy.reset();
  firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: unavailable });

  const done: Marker = { ...marker, state: "done", outcome: "handed_over" };

  expect(await storeOf(firestore).finish(claimed.held, done)).toBe("finished");
  const again = { ...claim, marker: { ...marker, token: "other" } };
  expect((await storeOf(firestore).put(again, nowMs)).kind).toBe("done");
});
