// How many round trips to the stores each kind of request may make, whatever the stores are.
// It must never count a request that did not end as its kind must, nor judge by time.
import { randomUUID } from "node:crypto";
import { payForm, type Reply } from "../support/world.ts";

/** An API whose round trips are counted, and which can be stopped at two places. */
export type CountedApi = {
  pay(key: string, form: string): Promise<Reply>;
  /** Round trips to the stores since the last call, in order; look-ups of API keys, sessions and the acquirer left out. */
  take(): readonly string[];
  /** Everything in the stores that a request under the key could have changed. */
  snapshot(key: string): Promise<unknown>;
  /** From now on calls of the acquirer wait until `release`; `arrived` resolves at the first one. */
  holdAcquirer(): Held;
  /** The same for the pauses of a twin. */
  holdPauses(): Held;
  close(): Promise<void>;
};

/** A place where calls wait. */
export type Held = { readonly arrived: Promise<void>; release(): void };

/** The budgets of one kind of stores. */
export function describeRoundTrips(name: string, open: () => Promise<CountedApi>): void {
  describe(`round trips to the stores, ${name}`, () => {
    let api: CountedApi;
    beforeAll(async () => {
      api = await open();
      // The look-up of the API key is remembered for 60 s, and clients connect at their first call.
      await api.pay(randomUUID(), payForm);
    });
    beforeEach(() => void api.take());
    afterAll(async () => await api.close());

    test.each([
      ["a new payment", payForm, 200],
      ["a declined one", `${payForm}_chargeDeclined`, 402],
    ])("%s makes at most six", async (_title, form, status) => {
      const reply = await api.pay(randomUUID(), form);
      const trips = api.take();
      expect([reply.status, reply.headers["Idempotent-Replayed"]]).toEqual([status, undefined]);
      expectAtMost(6, trips);
    });

    test("a replay makes at most two, and writes nothing", async () => {
      const key = randomUUID();
      const first = await api.pay(key, payForm);
      const before = await api.snapshot(key);
      api.take();
      const reply = await api.pay(key, payForm);
      const trips = api.take();
      expect([reply.headers["Idempotent-Replayed"], reply.text]).toEqual(["true", first.text]);
      expectAtMost(2, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });

    test("a mismatch makes at most two, and writes nothing", async () => {
      const key = randomUUID();
      await api.pay(key, payForm);
      const before = await api.snapshot(key);
      api.take();
      const reply = await api.pay(key, payForm.replace("2000", "2100"));
      const trips = api.take();
      expect([reply.status, reply.json.error.type]).toEqual([400, "idempotency_error"]);
      expectAtMost(2, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });

    test("a twin that waits once makes at most three, and writes nothing", async () => {
      // given a payment that is held at the acquirer, and its twin that waits
      const key = randomUUID();
      const acquirer = api.holdAcquirer();
      const first = api.pay(key, payForm);
      await acquirer.arrived;
      const pauses = api.holdPauses();
      api.take();
      const second = api.pay(key, payForm);
      await pauses.arrived;
      const untilItWaits = api.take();
      // when the payment ends, and then the pause of the twin
      acquirer.release();
      const paid = await first;
      const before = await api.snapshot(key);
      api.take();
      pauses.release();
      const reply = await second;
      // then
      const trips = [...untilItWaits, ...api.take()];
      expect([reply.headers["Idempotent-Replayed"], reply.text]).toEqual(["true", paid.text]);
      expectAtMost(3, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });
  });
}

/** None at all means that the counting is broken; the message shows which trips were made. */
function expectAtMost(budget: number, trips: readonly string[]): void {
  expect(trips).not.toEqual([]);
  expect(trips.slice(budget)).toEqual([]);
}
