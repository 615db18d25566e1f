// The endpoint that function processes publish to, tried with the real client, as they do.
// It is kept apart from the quick tests only because that client loads in a second.
import { openPubsub } from "../../functions/adapters/pubsub.ts";
import { refuse } from "../../functions/domain/errors.ts";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import { openPublishEndpoint, type PublishAs } from "../../local/publish-endpoint.ts";
import { describePublisher } from "../contracts/publisher-contract.ts";

const names = { projectId: "local-project", topic: "projects/local-project/topics/payment-events" };

async function open(publish: PublishAs) {
  const endpoint = await openPublishEndpoint(publish);
  const publisher = openPubsub(names, { PUBSUB_EMULATOR_HOST: endpoint.host });
  const close = async () => {
    await publisher.close();
    endpoint.close();
  };
  return { publisher, close };
}

describePublisher("the laptop's endpoint", async () => {
  let fresh: BusMessage[] = [];
  const { publisher, close } = await open((topic, messages) => {
    expect(topic).toBe(names.topic);
    if (messages.some(({ data, attributes }) => data.length === 0 && Object.keys(attributes).length === 0)) {
      throw new Error("a message needs data or an attribute");
    }
    fresh.push(...messages);
    return messages.map((_, index) => String(index));
  });
  const received = async () => {
    const taken = fresh;
    fresh = [];
    return taken;
  };
  return { publisher, received, close };
});

test("the laptop's endpoint refuses an account that lacks the grant, with the sentence that names it", async () => {
  const sentence = "PERMISSION_DENIED: serviceAccount:risk lacks pubsub.topics.publish";
  const { publisher, close } = await open(() => {
    throw refuse("permission_denied", sentence);
  });

  const refusal = publisher.publish([{ data: Buffer.from("{}"), attributes: {} }]);

  await expect(refusal).rejects.toMatchObject({ code: "permission_denied" });
  await expect(refusal).rejects.toMatchObject({ cause: { details: sentence } });
  await close();
});
