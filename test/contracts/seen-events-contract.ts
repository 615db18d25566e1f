// What every memory of seen events must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { SeenEvents } from "../../functions/flows/receiver-ports.ts";

/** A memory for one suite. */
export type SeenUnderTest = { readonly seen: SeenEvents; close(): Promise<void> };

/** Registers the suite. */
export function seenEventsContract(open: () => Promise<SeenUnderTest>): void {
  let subject: SeenUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const nowMs = 1_800_000_000_000;
  const claim = (owner: string, atMs = nowMs) => ({ owner, nowMs: atMs, leaseUntilMs: atMs + 30_000 });
  const end = { doneAtMs: nowMs + 1_000, deleteAfterMs: nowMs + 1_000_000 };
  const newId = () => `evt_${randomBytes(12).toString("hex")}`;

  test("a new event is begun, and once it is finished it is done for everybody", async () => {
    const id = newId();

    expect(await subject.seen.begin(id, claim("one"))).toBe("begun");
    expect(await subject.seen.finish(id, "one", end)).toBe("finished");
    expect(await subject.seen.begin(id, claim("two", nowMs + 99_000_000))).toBe("done");
    expect(await subject.seen.begin(id, claim("one"))).toBe("done");
  });

  test("an event that somebody works on is busy until the lease ends, then the next one takes it over", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("one"));

    expect(await subject.seen.begin(id, claim("two", nowMs + 29_999))).toBe("busy");
    expect(await subject.seen.begin(id, claim("two", nowMs + 30_000))).toBe("begun");
    expect(await subject.seen.finish(id, "one", end)).toBe("lost");
    expect(await subject.seen.finish(id, "two", end)).toBe("finished");
  });

  test("a claim that is sent again by its owner, after a lost reply, is its own", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("one"));

    expect(await subject.seen.begin(id, claim("one"))).toBe("begun");
  });

  test("a mark that is sent again by its owner, after a lost reply, stands", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("one"));
    await subject.seen.finish(id, "one", end);

    expect(await subject.seen.finish(id, "one", end)).toBe("finished");
  });

  test("a claim that was given back is free at once", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("one"));
    await subject.seen.release(id, "one");

    expect(await subject.seen.begin(id, claim("two"))).toBe("begun");
  });

  test("nobody gives back what is another's or done", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("one"));
    await subject.seen.release(id, "two");
    expect(await subject.seen.begin(id, claim("two"))).toBe("busy");

    await subject.seen.finish(id, "one", end);
    await subject.seen.release(id, "one");
    expect(await subject.seen.begin(id, claim("two"))).toBe("done");
  });

  test("nothing is finished or given back that was never begun", async () => {
    const id = newId();

    await subject.seen.release(id, "one");
    expect(await subject.seen.finish(id, "one", end)).toBe("lost");
  });

  test("of 20 workers that begin at once one does", async () => {
    const id = newId();
    const owners = Array.from({ length: 20 }, (_, index) => `worker_${index}`);

    const begun = await Promise.all(owners.map((owner) => subject.seen.begin(id, claim(owner))));

    expect(begun.filter((how) => how === "begun")).toHaveLength(1);
    expect(begun.filter((how) => how === "busy")).toHaveLength(19);
  });

  test("of 20 workers that take over at once one does", async () => {
    const id = newId();
    await subject.seen.begin(id, claim("dead"));
    const owners = Array.from({ length: 20 }, (_, index) => `worker_${index}`);

    const begun = await Promise.all(owners.map((owner) => subject.seen.begin(id, claim(owner, nowMs + 40_000))));

    expect(begun.filter((how) => how === "begun")).toHaveLength(1);
  });

  test.each(["a/b", "..", "__reserved__", "событие"])(
    "an id that a store would refuse as a name is an id: %s",
    async (id) => {
      expect(await subject.seen.begin(`${id}`, claim("one"))).toBe("begun");
      expect(await subject.seen.begin(`${id}`, claim("two"))).toBe("busy");
    },
  );
}
