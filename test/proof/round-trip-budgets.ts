// How many round trips to the stores each kind of request may make, whatever the stores are.
// It must never count a request that did not end as its kind must, nor judge by time.
import { randomUUID } from "node:crypto";
import { payForm, type Reply } from "../support/world.ts";

/** An API whose round trips are counted, and which can be stopped at two places. */
export type CountedApi = {
  pay(key: string, form: string): Promise<Reply>;
  /** Calls of the stores since the last `take`, in order; look-ups of API keys, sessions and the acquirer left out. */
  take(): readonly StoreCall[];
  /** Everything in the stores that a request under the key could have changed. */
  snapshot(key: string): Promise<unknown>;
  /** From now on calls of the acquirer wait until `release`; `arrived` resolves at the first one. */
  holdAcquirer(): Held;
  /** The same for the pauses of a twin. */
  holdPauses(): Held;
  close(): Promise<void>;
};

/** One call, and between which moments it ran; the moments of one API are times or counts, and only compared. */
export type StoreCall = { readonly name: string; readonly began: number; readonly ended: number };

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
      expectAtMost({ calls: 6, oneAfterAnother: 6 }, trips);
    });

    test("a replay makes two side by side, so it takes one, and writes nothing", async () => {
      const key = randomUUID();
      const first = await api.pay(key, payForm);
      const before = await api.snapshot(key);
      api.take();
      const reply = await api.pay(key, payForm);
      const trips = api.take();
      expect([reply.headers["Idempotent-Replayed"], reply.text]).toEqual(["true", first.text]);
      expectAtMost({ calls: 2, oneAfterAnother: 1 }, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });

    test("a mismatch makes two side by side, so it takes one, and writes nothing", async () => {
      const key = randomUUID();
      await api.pay(key, payForm);
      const before = await api.snapshot(key);
      api.take();
      const reply = await api.pay(key, payForm.replace("2000", "2100"));
      const trips = api.take();
      expect([reply.status, reply.json.error.type]).toEqual([400, "idempotency_error"]);
      expectAtMost({ calls: 2, oneAfterAnother: 1 }, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });

    test("a twin that waits once makes three, two of them side by side, and writes nothing", async () => {
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
      expectAtMost({ calls: 3, oneAfterAnother: 2 }, trips);
      expect(await api.snapshot(key)).toEqual(before);
    });
  });
}

/** None at all means that the counting is broken; the messages show which calls were made. */
function expectAtMost(budget: { calls: number; oneAfterAnother: number }, calls: readonly StoreCall[]): void {
  expect(calls).not.toEqual([]);
  expect(calls.slice(budget.calls)).toEqual([]);
  expect(oneAfterAnother(calls).slice(budget.oneAfterAnother)).toEqual([]);
}

/** The longest chain of calls each of which began when the one before had ended: those that a client waits for in turn. */
function oneAfterAnother(calls: readonly StoreCall[]): readonly StoreCall[] {
  const chain: StoreCall[] = [];
  for (const call of calls.toSorted((one, other) => one.ended - other.ended))
    if (call.began > (chain.at(-1)?.ended ?? Number.NEGATIVE_INFINITY)) chain.push(call);
  return chain;
}
