// Runs the publisher's contract on the real client against Google's Pub/Sub emulator, and lets its calls fail on the wire.
// Where that emulator is not installed it must never pass for a run: one test says that nothing was shown.
import { openPubsub } from "../../functions/adapters/pubsub.ts";
import { startGrpcProxy } from "../support/grpc-proxy.ts";
import { openEmulatorTopic } from "../support/pubsub-topic.ts";
import { describePublisher } from "./publisher-contract.ts";

const UNAVAILABLE = 14;
const PERMISSION_DENIED = 7;
const message = { data: Buffer.from('{"id":"evt_1"}'), attributes: { event_id: "evt_1" } };

if (process.env["PUBSUB_EMULATOR_HOST"] === undefined) {
  test("Google's Pub/Sub emulator is not installed here: THE PUBLISHER WAS NOT TRIED ON IT", () => {});
} else {
  describePublisher("Pub/Sub", async () => {
    const topic = await openEmulatorTopic();
    const publisher = openPubsub(topic, { PUBSUB_EMULATOR_HOST: topic.host });
    const close = async () => void (await Promise.all([publisher.close(), topic.close()]));
    return { publisher, received: topic.received, close };
  });

  describe("publishing to Pub/Sub over a bad wire", () => {
    const open = async () => {
      const topic = await openEmulatorTopic();
      const proxy = await startGrpcProxy({ target: topic.host });
      const publisher = openPubsub(topic, { PUBSUB_EMULATOR_HOST: proxy.host });
      const close = async () => void (await Promise.all([publisher.close(), topic.close(), proxy.close()]));
      return { topic, proxy, publisher, close };
    };

    test("repeats by itself what never arrived, once", async () => {
      const { topic, proxy, publisher, close } = await open();
      proxy.fault({ method: "Publish", nth: 1, when: "before", status: UNAVAILABLE });

      await publisher.publish([message]);

      expect(await topic.received(1)).toHaveLength(1);
      expect(proxy.counts()["Publish"]).toBe(2);
      await close();
    });

    test("has the messages twice when the reply was lost, and says that they are taken", async () => {
      const { topic, proxy, publisher, close } = await open();
      proxy.fault({ method: "Publish", nth: 1, when: "after", status: UNAVAILABLE });

      await publisher.publish([message]);

      expect(await topic.received(2)).toHaveLength(2);
      await close();
    });

    test("says what a missing grant is, and repeats nothing", async () => {
      const { proxy, publisher, close } = await open();
      proxy.fault({ method: "Publish", nth: 1, when: "before", status: PERMISSION_DENIED });

      await expect(publisher.publish([message])).rejects.toMatchObject({ code: "permission_denied" });

      expect(proxy.counts()["Publish"]).toBe(1);
      await close();
    });

    test("gives up after ten seconds where nobody answers", async () => {
      const { proxy, publisher, close } = await open();
      await proxy.close();
      const startedMs = performance.now();

      await expect(publisher.publish([message])).rejects.toMatchObject({ code: "store_unavailable" });

      expect(performance.now() - startedMs).toBeLessThan(20_000);
      await close();
    });

    test("to a topic that is not there is a bug, and said at once", async () => {
      const { topic, publisher, close } = await open();
      const elsewhere = openPubsub(
        { projectId: topic.projectId, topic: `${topic.topic}-gone` },
        { PUBSUB_EMULATOR_HOST: topic.host },
      );

      await expect(elsewhere.publish([message])).rejects.toMatchObject({ code: "internal" });
      await Promise.all([elsewhere.close(), publisher.close(), close()]);
    });
  });
}
