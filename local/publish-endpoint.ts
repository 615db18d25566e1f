// The one call of Pub/Sub that function processes make, over gRPC: publish to a topic, as the account of the function.
// It must never listen beyond loopback, nor answer for an account other than the one that its port belongs to.

import { protos } from "@google-cloud/pubsub";
import { grpc } from "google-gax";
import { hasCode } from "../functions/domain/errors.ts";
import type { BusMessage } from "../functions/flows/bus-ports.ts";

/** Takes messages for a topic (full name) and gives their ids; throws `permission_denied`, or whatever else is wrong. */
export type PublishAs = (topic: string, messages: readonly BusMessage[]) => string[];

/** Opens a port on loopback; whoever sets PUBSUB_EMULATOR_HOST to `host` publishes there. */
export async function openPublishEndpoint(publish: PublishAs): Promise<{ host: string; close(): void }> {
  const server = new grpc.Server();
  server.addService(service, {
    publish: (call: { request: protos.google.pubsub.v1.PublishRequest }, answer: Answer) => {
      try {
        answer(null, { messageIds: publish(call.request.topic, call.request.messages.map(messageOf)) });
      } catch (error) {
        answer({ code: codeOf(error), details: (error as Error).message }, null);
      }
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { host: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

type Answer = (
  error: { code: number; details: string } | null,
  response: protos.google.pubsub.v1.IPublishResponse | null,
) => void;

const { PublishRequest, PublishResponse } = protos.google.pubsub.v1;

/** The method of `google.pubsub.v1.Publisher` that the adapter calls. */
const service: grpc.ServiceDefinition = {
  publish: {
    path: "/google.pubsub.v1.Publisher/Publish",
    requestStream: false,
    responseStream: false,
    requestSerialize: (request) => Buffer.from(PublishRequest.encode(request).finish()),
    requestDeserialize: (bytes) => PublishRequest.decode(bytes),
    responseSerialize: (response) => Buffer.from(PublishResponse.encode(response).finish()),
    responseDeserialize: (bytes) => PublishResponse.decode(bytes),
  },
};

function messageOf({ data, attributes }: protos.google.pubsub.v1.IPubsubMessage): BusMessage {
  return { data: Buffer.from(data ?? ""), attributes: attributes ?? {} };
}

function codeOf(error: unknown): number {
  return hasCode(error, "permission_denied") ? grpc.status.PERMISSION_DENIED : grpc.status.INVALID_ARGUMENT;
}
