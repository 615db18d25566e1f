// A topic of its own on Google's Pub/Sub emulator with a subscription that is read to the end.
// It must never run against anything but the emulator that PUBSUB_EMULATOR_HOST names.
import { randomBytes } from "node:crypto";
import { v1 } from "@google-cloud/pubsub";
import { grpc } from "google-gax";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";

/** A topic that only the caller knows. */
export type EmulatorTopic = {
  projectId: string;
  /** Full name. */
  topic: string;
  /** `host:port` of the emulator. */
  host: string;
  /** Takes messages off the subscription until as many are there as are expected, or none come for a while. */
  received(expected: number): Promise<readonly BusMessage[]>;
  close(): Promise<void>;
};

/** Makes the topic and its subscription. */
export async function openEmulatorTopic(): Promise<EmulatorTopic> {
  const host = process.env["PUBSUB_EMULATOR_HOST"] ?? "";
  const [servicePath = "", port] = host.split(":");
  if (servicePath === "") throw new Error("PUBSUB_EMULATOR_HOST is not set");
  const options = { servicePath, port: Number(port), sslCreds: grpc.credentials.createInsecure(), projectId: PROJECT };
  const [publisher, subscriber] = [new v1.PublisherClient(options), new v1.SubscriberClient(options)];
  const name = `t-${randomBytes(8).toString("hex")}`;
  const topic = `projects/${PROJECT}/topics/${name}`;
  const subscription = `projects/${PROJECT}/subscriptions/${name}`;
  await publisher.createTopic({ name: topic });
  await subscriber.createSubscription({ name: subscription, topic });
  const pull = async (): Promise<BusMessage[]> => {
    const [{ receivedMessages = [] }] = await subscriber.pull(
      { subscription, maxMessages: 1_000 },
      { timeout: QUIET_MS },
    );
    const ackIds = (receivedMessages ?? []).map(({ ackId }) => ackId ?? "");
    if (ackIds.length > 0) await subscriber.acknowledge({ subscription, ackIds });
    return (receivedMessages ?? []).map(({ message }) => ({
      data: Buffer.from(message?.data ?? ""),
      attributes: { ...message?.attributes },
    }));
  };
  return {
    ...{ projectId: PROJECT, topic, host },
    received: async (expected) => {
      const all: BusMessage[] = [];
      while (all.length < expected) {
        const more = await pull();
        if (more.length === 0) break;
        all.push(...more);
      }
      return all;
    },
    close: async () => void (await Promise.all([publisher.close(), subscriber.close()])),
  };
}

const PROJECT = "local-project";

/** A pull waits on the server until something comes; after this there is nothing. */
const QUIET_MS = 10_000;
