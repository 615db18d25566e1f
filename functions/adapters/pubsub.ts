/**
 * Publishes to one topic of Pub/Sub with the generated client alone; `PUBSUB_EMULATOR_HOST` in the environment sends it to
 * an emulator. It must never batch in the background: what is not awaited dies with the CPU after the answer.
 */
import { v1 } from "@google-cloud/pubsub";
import { grpc } from "google-gax";
import { type DomainError, refuse } from "../domain/errors.ts";
import type { Publisher } from "../flows/bus-ports.ts";

/**
 * Opens the topic, for the life of an instance; nothing is sent before the first publish. Of the environment only the
 * emulator's address (`host:port`) counts.
 */
export function openPubsub(
  names: PubsubNames,
  environment: Readonly<Record<string, string | undefined>> = {},
): OpenPubsub {
  const options = { ...emulatorIn(environment), projectId: names.projectId, clientConfig: boundedCalls };
  let opened: v1.PublisherClient | undefined;
  const ready = async (): Promise<v1.PublisherClient> => {
    opened ??= new v1.PublisherClient(options);
    const client = opened;
    try {
      await client.initialize();
    } catch (error) {
      // Without credentials the client is useless for good, and its own `publish` would end the process.
      opened = undefined;
      throw translate(error);
    }
    return client;
  };
  return {
    warmUp: async () => void (await ready()),
    publish: async (messages) => {
      if (messages.length === 0) return;
      const client = await ready();
      try {
        await client.publish({
          topic: names.topic,
          messages: messages.map(({ data, attributes }) => ({ data, attributes: { ...attributes } })),
        });
      } catch (error) {
        throw translate(error);
      }
    },
    close: async () => {
      await opened?.close().catch(() => {});
    },
  };
}

/** Where a topic is. */
export interface PubsubNames {
  readonly projectId: string;
  /** Full name, `projects/…/topics/…`. */
  readonly topic: string;
}

/** A publisher that can be closed. */
export interface OpenPubsub extends Publisher {
  /** Makes the client, 0.1 s of a CPU, and its credentials, so that the first publish need not; nothing is sent. */
  warmUp(): Promise<void>;
  /** Closes its channel; it never rejects. */
  close(): Promise<void>;
}

/** What the client is told of an emulator, which speaks without encryption; nothing where there is none. */
function emulatorIn(environment: Readonly<Record<string, string | undefined>>) {
  const [servicePath, port] = (environment["PUBSUB_EMULATOR_HOST"] ?? "").split(":");
  if (!servicePath || !port) return {};
  return { servicePath, port: Number(port), sslCreds: grpc.credentials.createInsecure() };
}

/** One try, in milliseconds: a healthy publish takes tens of them, and a cold connection a second. */
const tryMs = 3_000;

/**
 * All tries together, in milliseconds: a request waits for 500 ms at most whatever this says, and the relay's lease (30 s)
 * is longer. The client's own number is ten minutes.
 */
const totalMs = 10_000;

/**
 * A code that leaves open whether the messages were taken is retried too: a duplicate is normal, a loss is not. The first
 * pause doubles from 50 ms to 1 s.
 */
const boundedCalls = {
  interfaces: {
    "google.pubsub.v1.Publisher": {
      retry_codes: {
        passing: [
          "CANCELLED",
          "UNKNOWN",
          "DEADLINE_EXCEEDED",
          "RESOURCE_EXHAUSTED",
          "ABORTED",
          "INTERNAL",
          "UNAVAILABLE",
        ],
      },
      retry_params: {
        bounded: {
          initial_retry_delay_millis: 50,
          retry_delay_multiplier: 2,
          max_retry_delay_millis: 1_000,
          initial_rpc_timeout_millis: tryMs,
          rpc_timeout_multiplier: 1,
          max_rpc_timeout_millis: tryMs,
          total_timeout_millis: totalMs,
        },
      },
      methods: {
        Publish: { timeout_millis: tryMs, retry_codes_name: "passing", retry_params_name: "bounded" },
      },
    },
  },
};

/** PERMISSION_DENIED, UNAUTHENTICATED. */
const refusals: ReadonlySet<unknown> = new Set([7, 16]);

/** INVALID_ARGUMENT, NOT_FOUND (the topic), FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED: no repetition changes them. */
const bugs: ReadonlySet<unknown> = new Set([3, 5, 9, 11, 12]);

function translate(error: unknown): DomainError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const details = { cause: error };
  if (refusals.has(code)) {
    return refuse("permission_denied", "Pub/Sub refused the call: the function's account lacks a grant.", details);
  }
  if (bugs.has(code)) return refuse("internal", `Pub/Sub rejected what it was told (gRPC code ${code}).`, details);
  return refuse("store_unavailable", `Pub/Sub did not say that it has the messages (${code ?? "no code"}).`, details);
}
