// Runs the contract of seen events on the real client library against Google's Firestore emulator, then loses replies.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreSeenEvents } from "../../functions/adapters/firestore-seen-events.ts";
import type { SeenEvents } from "../../functions/flows/receiver-ports.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { seenEventsContract } from "./seen-events-contract.ts";

seenEventsContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return { seen: firestoreSeenEvents({ database, collection }), close };
});

/** gRPC's code for a call that may or may not have been applied; the client repeats it by itself. */
const UNAVAILABLE = 14;

describe("replies that get lost", () => {
  let firestore: EmulatedFirestore;
  let seen: SeenEvents;
  beforeAll(async () => {
    firestore = await openEmulatedFirestore();
    seen = firestoreSeenEvents(firestore);
    // The client connects with its first call, which is no part of any test's sequence.
    await seen.release("evt_0", "nobody");
  });
  beforeEach(() => firestore.proxy.reset());
  afterAll(async () => await firestore.close());

  const nowMs = 1_800_000_000_000;
  const claim = (owner: string, atMs = nowMs) => ({ owner, nowMs: atMs, leaseUntilMs: atMs + 30_000 });
  const end = { doneAtMs: nowMs + 1_000, deleteAfterMs: nowMs + 1_000_000 };
  const loseCommit = (nth = 1) => firestore.proxy.fault({ method: "Commit", nth, when: "after", status: UNAVAILABLE });

  test("a claim that was applied but not answered is one's own", async () => {
    loseCommit();

    expect(await seen.begin("evt_1", claim("one"))).toBe("begun");
    expect(firestore.proxy.sequence()).toEqual(["Commit", "Commit", "BatchGetDocuments"]);
  });

  test("a takeover that was applied but not answered is one's own", async () => {
    await seen.begin("evt_2", claim("dead"));
    loseCommit(2);

    expect(await seen.begin("evt_2", claim("two", nowMs + 40_000))).toBe("begun");
    expect(await seen.finish("evt_2", "two", end)).toBe("finished");
  });

  test("a mark that was applied but not answered stands", async () => {
    await seen.begin("evt_3", claim("one"));
    loseCommit();

    expect(await seen.finish("evt_3", "one", end)).toBe("finished");
    expect(await seen.begin("evt_3", claim("two"))).toBe("done");
  });

  test("a claim that was given back without an answer is free", async () => {
    await seen.begin("evt_4", claim("one"));
    loseCommit();

    await seen.release("evt_4", "one");
    expect(await seen.begin("evt_4", claim("two"))).toBe("begun");
  });
});
