// What every store of deliveries and of endpoints' health must do: the memory twins and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import { newDelivery, redriven, sweptUp, withResend } from "../../functions/domain/delivery-record.ts";
import type { WebhookDelivery } from "../../functions/domain/webhook-delivery.ts";
import type { Deliveries, DeliveryQuery, EndpointHealthStore } from "../../functions/flows/delivery-ports.ts";

/** The stores for one suite. */
export type DeliveriesUnderTest = {
  readonly deliveries: Deliveries;
  readonly health: EndpointHealthStore;
  close(): Promise<void>;
};

const nowMs = 1_768_478_400_000;

/** Registers the suite. */
export function deliveriesContract(open: () => Promise<DeliveriesUnderTest>): void {
  let subject: DeliveriesUnderTest;
  let store: Deliveries;
  beforeAll(async () => {
    subject = await open();
    store = subject.deliveries;
  });
  afterAll(async () => await subject.close());

  test("a delivery comes back with each of its fields, and its bytes", async () => {
    const delivery = everyField(aDelivery());
    expect(await store.create(delivery)).toBe("created");

    expect((await store.read(delivery.id))?.delivery).toEqual(delivery);
  });

  test("one that was never created is not there", async () => {
    expect(await store.read(aDelivery().id)).toBeUndefined();
  });

  test("a second create touches nothing", async () => {
    const delivery = aDelivery();
    await store.create(delivery);

    expect(await store.create({ ...delivery, body: Buffer.from("other"), state: "dead" })).toBe("exists");
    expect((await store.read(delivery.id))?.delivery).toEqual(delivery);
  });

  test("of 10 creates at once one makes it", async () => {
    const delivery = aDelivery();

    const ends = await Promise.all(Array.from({ length: 10 }, () => store.create(delivery)));

    expect(ends.filter((end) => end === "created")).toHaveLength(1);
  });

  test("a replacement changes everything but the bytes, under a new version", async () => {
    const delivery = aDelivery();
    await store.create(delivery);
    const version = await versionOf(delivery);
    const changed = { ...everyField(delivery), body: new Uint8Array(1) };

    const replaced = await store.replace(version, changed);

    const found = await store.read(delivery.id);
    expect(replaced).toEqual({ kind: "replaced", version: found?.version });
    expect(found?.version).not.toBe(version);
    expect(found?.delivery).toEqual({ ...changed, body: delivery.body });
  });

  test("a replacement of another version touches nothing", async () => {
    const delivery = aDelivery();
    await store.create(delivery);
    const version = await versionOf(delivery);
    await store.replace(version, withResend(delivery, "rs_1", nowMs));

    expect(await store.replace(version, withResend(delivery, "rs_2", nowMs))).toEqual({ kind: "lost" });
    expect((await store.read(delivery.id))?.delivery.resend?.id).toBe("rs_1");
    const gone = aDelivery();
    expect(await store.replace(version, gone)).toEqual({ kind: "lost" });
    expect(await store.read(gone.id)).toBeUndefined();
  });

  test("of 10 replacements of one version one is made", async () => {
    const delivery = aDelivery();
    await store.create(delivery);
    const version = await versionOf(delivery);

    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.replace(version, withResend(delivery, `rs_${index}`, nowMs))),
    );

    expect(ends.filter(({ kind }) => kind === "replaced")).toHaveLength(1);
  });

  test("what is overdue is found, and nothing that is not, or has an end", async () => {
    // Long before all others, so that nothing else is overdue then.
    const at = 1_000_000_000_000 + randomBytes(4).readUInt32BE();
    const due = Array.from({ length: 5 }, () => ({ ...aDelivery(), sweepAtMs: at }));
    const later = { ...aDelivery(), sweepAtMs: at + 1 };
    const ended = { ...aDelivery(), sweepAtMs: null };
    for (const delivery of [...due, later, ended]) await store.create(delivery);
    const overdueIds = async () => {
      const found = await store.overdue(at, 1_000);
      return found.filter(({ delivery }) => delivery.sweepAtMs === at).map(({ delivery }) => delivery.id);
    };
    expect((await overdueIds()).sort()).toEqual(due.map(({ id }) => id).sort());

    const [first] = await store
      .overdue(at, 1_000)
      .then((found) => found.filter(({ delivery }) => delivery.id === due[0]?.id));
    if (first === undefined) throw new Error("the first one is not overdue");
    await store.replace(first.version, { ...first.delivery, sweepAtMs: null });
    const [second] = await store
      .overdue(at, 1_000)
      .then((found) => found.filter(({ delivery }) => delivery.id === due[1]?.id));
    if (second === undefined) throw new Error("the second one is not overdue");
    await store.replace(second.version, sweptUp(second.delivery, nowMs));

    expect((await overdueIds()).sort()).toEqual(
      due
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    );
    for (const found of await store.overdue(at, 1_000))
      await store.replace(found.version, { ...found.delivery, sweepAtMs: null });
    expect(await overdueIds()).toEqual([]);
  });

  describe("a list", () => {
    const accountId = newId("acct");
    const endpoints = [newId("we"), newId("we")] as const;
    const made: WebhookDelivery[] = [];
    const all: DeliveryQuery = {
      ...{ accountId, endpointId: null, eventId: null, state: null },
      ...{ limit: 3, startingAfter: null, endingBefore: null },
    };
    const ids = async (query: Partial<DeliveryQuery>) => {
      const { deliveries, hasMore } = await store.list({ ...all, ...query });
      return [deliveries.map(({ id }) => made.findIndex((each) => each.id === id)), hasMore];
    };
    beforeAll(async () => {
      for (let index = 0; index < 6; index += 1) {
        const base = aDelivery({ accountId, endpointId: endpoints[index % 2] ?? "", createdAtMs: nowMs - index });
        made.push(index < 4 ? base : { ...base, state: "dead", dead: { reason: "exhausted", atMs: nowMs } });
      }
      await Promise.all([...made, aDelivery()].map((delivery) => store.create(delivery)));
    });

    test("is newest first, of one account, in pages", async () => {
      expect(await ids({})).toEqual([[0, 1, 2], true]);
      expect(await ids({ startingAfter: made[2] ?? null })).toEqual([[3, 4, 5], false]);
      expect(await ids({ startingAfter: made[5] ?? null })).toEqual([[], false]);
      expect(await ids({ endingBefore: made[4] ?? null })).toEqual([[1, 2, 3], true]);
      expect(await ids({ endingBefore: made[2] ?? null })).toEqual([[0, 1], false]);
    });

    test("is narrowed by endpoint, event and state, alone and together", async () => {
      expect(await ids({ endpointId: endpoints[1] })).toEqual([[1, 3, 5], false]);
      expect(await ids({ state: "dead" })).toEqual([[4, 5], false]);
      expect(await ids({ endpointId: endpoints[0], state: "pending" })).toEqual([[0, 2], false]);
      expect(await ids({ eventId: made[3]?.eventId ?? "" })).toEqual([[3], false]);
      expect(await ids({ eventId: "evt_none" })).toEqual([[], false]);
    });
  });

  test("an endpoint's health comes back as it was written last", async () => {
    const id = newId("we");
    expect(await subject.health.read(id)).toBeUndefined();
    await subject.health.write(id, { succeededAtMs: null, failedAtMs: [1, 2] });
    await subject.health.write(id, { succeededAtMs: 3, failedAtMs: [] });

    expect(await subject.health.read(id)).toEqual({ succeededAtMs: 3, failedAtMs: [] });
  });

  async function versionOf({ id }: WebhookDelivery): Promise<string> {
    return (await store.read(id))?.version ?? "";
  }
}

function aDelivery(fields: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const about = {
    accountId: newId("acct"),
    endpointId: newId("we"),
    eventId: newId("evt"),
    eventType: "charge.succeeded",
  };
  return { ...newDelivery({ ...about, ...fields, body: new Uint8Array(Buffer.from(`{"a":"é"}`)) }, nowMs), ...fields };
}

/** The same with other values in every field that a life changes. */
function everyField(delivery: WebhookDelivery): WebhookDelivery {
  const trigger = { kind: "schedule", number: 3 } as const;
  return {
    ...redriven(withResend(delivery, "rs_1", nowMs), "rd_1", nowMs),
    state: "dead",
    dead: { reason: "endpoint_gone", atMs: nowMs },
    epoch: 7,
    traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
    inFlight: { id: "wa_1", trigger, startedAtMs: nowMs, leaseUntilMs: nowMs + 1 },
    attempts: [
      {
        ...{ id: "wa_0", trigger: { kind: "resend", resendId: "rs_0" }, redriveId: null, startedAtMs: nowMs },
        ...{ durationMs: 12, failure: "status", status: 500, excerpt: "é😀 <b>" },
      },
    ],
  };
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
