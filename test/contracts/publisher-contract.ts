// What every way to the bus must do: whatever it says that it took comes out, byte for byte, and nothing that it refused.
// It must never ask for an order, or for once only: the bus promises neither.
import type { BusMessage, Publisher } from "../../functions/flows/bus-ports.ts";

/** A publisher, and the other end of its topic. */
export type PublisherUnderTest = {
  publisher: Publisher;
  /** Messages that came out since the last call; it waits until as many as are expected are there. */
  received(expected: number): Promise<readonly BusMessage[]>;
  close(): Promise<void>;
};

/** Text that breaks careless encodings, as an attribute and inside data. */
const awkward = 'Zoë 💶 "quoted" \\back =,;\n';

/** Declares the suite for one kind of publisher. */
export function describePublisher(name: string, open: () => Promise<PublisherUnderTest>): void {
  describe(`publishing to ${name}`, () => {
    let bus: PublisherUnderTest;
    beforeAll(async () => {
      bus = await open();
    });
    afterAll(async () => await bus?.close());

    const sorted = (messages: readonly BusMessage[]) =>
      messages.map(({ data, attributes }) => JSON.stringify([Buffer.from(data).toString("base64"), attributes])).sort();

    test("brings out the bytes and the attributes that went in", async () => {
      const given = [
        {
          data: Buffer.from(JSON.stringify({ text: awkward })),
          attributes: { event_type: "charge.succeeded", awkward },
        },
        { data: Uint8Array.from([0, 255, 123, 10]), attributes: {} },
        { data: new Uint8Array(), attributes: { only: "an attribute" } },
      ];

      await bus.publisher.publish(given);

      expect(sorted(await bus.received(3))).toEqual(sorted(given));
    });

    test("takes two hundred messages at once, a relay's whole batch", async () => {
      const given = Array.from({ length: 200 }, (_, index) => ({
        data: Buffer.alloc(4_000, index % 256),
        attributes: { event_id: `evt_${index}` },
      }));

      await bus.publisher.publish(given);

      expect(sorted(await bus.received(200))).toEqual(sorted(given));
    });

    test("has a message twice that was published twice, and nothing when there was nothing", async () => {
      const message = { data: Buffer.from("{}"), attributes: { event_id: "evt_twice" } };

      await bus.publisher.publish([]);
      await bus.publisher.publish([message]);
      await bus.publisher.publish([message]);

      expect(sorted(await bus.received(2))).toEqual(sorted([message, message]));
    });

    test("refuses a message without anything in it, and takes none of those beside it", async () => {
      const empty = { data: new Uint8Array(), attributes: {} };
      const message = { data: Buffer.from("{}"), attributes: { event_id: "evt_after" } };

      await expect(bus.publisher.publish([message, empty])).rejects.toMatchObject({ code: "internal" });
      await bus.publisher.publish([message]);

      expect(sorted(await bus.received(1))).toEqual(sorted([message]));
    });
  });
}
