// What every store of dead letters must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { DeadLetter } from "../../functions/domain/dead-letter.ts";
import type { DeadLetters } from "../../functions/flows/dead-letter-ports.ts";

/** A store for one suite, empty at its start. */
export type DeadLettersUnderTest = { readonly deadLetters: DeadLetters; close(): Promise<void> };

/** Registers the suite. */
export function deadLettersContract(open: () => Promise<DeadLettersUnderTest>): void {
  let subject: DeadLettersUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const recorded = async (fields: Partial<DeadLetter> = {}): Promise<DeadLetter> => {
    const letter = aLetter(fields);
    await subject.deadLetters.record(letter);
    return letter;
  };
  const waitingIds = async () => (await subject.deadLetters.waiting(1_000)).map(({ id }) => id);

  test("a letter waits once it is recorded, and is seen without its content", async () => {
    const letter = aLetter();

    expect(await subject.deadLetters.record(letter)).toBe("recorded");

    const { id, source, eventId, eventType } = letter;
    expect(await subject.deadLetters.waiting(1_000)).toContainEqual({ id, source, eventId, eventType, isKept: true });
  });

  test("a letter that is buried again is known, and stays as it was", async () => {
    const letter = await recorded();

    expect(await subject.deadLetters.record({ ...letter, deliveries: 7, recordedAtMs: letter.recordedAtMs + 1 })).toBe(
      "known",
    );

    expect(await subject.deadLetters.take([letter.id], "r1")).toMatchObject([{ deliveries: 100 }]);
  });

  test("a letter that is recorded again with its own time is recorded: its reply was lost", async () => {
    const letter = await recorded();

    expect(["recorded", "known"]).toContain(await subject.deadLetters.record(letter));
    expect((await waitingIds()).filter((id) => id === letter.id)).toHaveLength(1);
  });

  test("a letter without an event, and one without its content, wait as such", async () => {
    const none = await recorded({ eventId: null, eventType: null });
    const large = await recorded({ data: null });

    const waiting = await subject.deadLetters.waiting(1_000);

    expect(waiting.find(({ id }) => id === none.id)).toMatchObject({ eventId: null, eventType: null, isKept: true });
    expect(waiting.find(({ id }) => id === large.id)).toMatchObject({ isKept: false });
  });

  test("letters that are taken wait no more, and come as they stood, with content and attributes", async () => {
    const letter = await recorded();

    const taken = await subject.deadLetters.take([letter.id], "r1");

    expect(taken).toEqual([{ ...letter, state: "waiting", redriveId: null }]);
    expect(await waitingIds()).not.toContain(letter.id);
    expect(await subject.deadLetters.take([letter.id], "r1")).toMatchObject([{ state: "sending", redriveId: "r1" }]);
  });

  test("letters of one redrive are not taken, nor settled, by another", async () => {
    const letter = await recorded();
    await subject.deadLetters.take([letter.id], "r1");

    expect(await subject.deadLetters.take([letter.id], "r2")).toMatchObject([{ state: "sending", redriveId: "r1" }]);
    await subject.deadLetters.settle([letter.id], "r2");
    expect(await subject.deadLetters.take([letter.id], "r1")).toMatchObject([{ state: "sending", redriveId: "r1" }]);
    await subject.deadLetters.settle([letter.id], "r1");
    expect(await subject.deadLetters.take([letter.id], "r1")).toMatchObject([{ state: "sent", redriveId: "r1" }]);
  });

  test("of two redrives at once each letter has one", async () => {
    const letters = await Promise.all(Array.from({ length: 5 }, async () => (await recorded()).id));

    const [one, other] = await Promise.all([
      subject.deadLetters.take(letters, "r1"),
      subject.deadLetters.take(letters, "r2"),
    ]);

    const won = [one, other].map((taken) => taken?.filter(({ state }) => state === "waiting").length);
    expect(won.sort()).toEqual([0, 5]);
  });

  test("no letters are taken and settled without a fault", async () => {
    expect(await subject.deadLetters.take([], "r1")).toEqual([]);
    await subject.deadLetters.settle([], "r1");
  });

  test("the list is no longer than asked", async () => {
    for (let count = 0; count < 3; count += 1) await recorded();

    expect(await subject.deadLetters.waiting(2)).toHaveLength(2);
  });

  test("a redrive stands as it was begun, until it has its receipt", async () => {
    const id = newId();
    const events = [{ eventId: "evt_1", eventType: "charge.succeeded", sources: ["a"], letterIds: ["l1", "l2"] }];
    const redrive = { id, events, startedAtMs: 1_772_366_400_000, receipt: null };
    const receipt = {
      redriveId: id,
      sent: 1,
      elsewhere: 0,
      duplicates: 1,
      sentTwice: 0,
      finishedAtMs: 1_772_366_401_000,
    };

    expect(await subject.deadLetters.findRedrive(id)).toBeUndefined();
    expect(await subject.deadLetters.startRedrive(redrive)).toEqual(redrive);
    expect(await subject.deadLetters.startRedrive({ ...redrive, startedAtMs: 1 })).toEqual(redrive);
    await subject.deadLetters.finishRedrive(id, receipt);
    expect(await subject.deadLetters.findRedrive(id)).toEqual({ ...redrive, receipt });
  });
}

function aLetter(fields: Partial<DeadLetter> = {}): DeadLetter {
  return {
    id: newId(),
    source: "payment-events-to-invoice",
    eventId: newId(),
    eventType: "payment_intent.succeeded",
    deliveries: 100,
    recordedAtMs: 1_772_366_400_000,
    attributes: { event_type: "payment_intent.succeeded" },
    data: new Uint8Array([123, 0, 255]),
    ...fields,
  };
}

function newId(): string {
  return randomBytes(16).toString("hex");
}
