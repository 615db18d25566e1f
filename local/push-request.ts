// One push of Pub/Sub over HTTP: the envelope, the headers and the signed token that a function gets in the cloud.
// It must never take an answer for success that Pub/Sub would not, nor follow a redirect.

import type { PlannedSubscription } from "./plan-bus.ts";
import type { Delivery } from "./subscription.ts";

/** Sends it; undefined when it was taken, else why not. Its deadline is real time, as the clock does not jump meanwhile. */
export async function push(
  options: { url: string; authorization: string | undefined; ending: AbortSignal },
  planned: PlannedSubscription,
  delivery: Delivery,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(options.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "CloudPubSub-Google",
        ...(options.authorization === undefined ? {} : { Authorization: options.authorization }),
      },
      body: JSON.stringify(envelope(planned, delivery)),
      redirect: "manual",
      signal: AbortSignal.any([options.ending, AbortSignal.timeout(planned.ackDeadlineMs)]),
    });
    const answer = await response.text();
    if (TAKEN.includes(response.status)) return undefined;
    return { status: response.status, answer: answer.slice(0, ANSWER_CHARACTERS_MAX) };
  } catch (error) {
    return { reason: (error as Error).name };
  }
}

/** The statuses that take a message off the subscription. */
const TAKEN: readonly number[] = [102, 200, 201, 202, 204];

/** Enough for the sentence that names a missing role. */
const ANSWER_CHARACTERS_MAX = 500;

/** Both spellings of id and time are there, empty members are not, and attempts are counted only for who buries. */
function envelope(planned: PlannedSubscription, { message, attempt }: Delivery) {
  const publishTime = new Date(message.publishedAtMs).toISOString();
  return {
    ...(planned.deadLetter === undefined ? {} : { deliveryAttempt: attempt }),
    message: {
      ...(Object.keys(message.attributes).length === 0 ? {} : { attributes: message.attributes }),
      ...(message.data.length === 0 ? {} : { data: message.data.toString("base64") }),
      messageId: message.id,
      message_id: message.id,
      publishTime,
      publish_time: publishTime,
    },
    subscription: planned.name,
  };
}
