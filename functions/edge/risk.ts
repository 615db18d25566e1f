/**
 * The consumer `risk`: reads tries to pay out of events and lets the velocity rule look at them.
 * It must never stop a payment: by the time it hears of one, the money has moved.
 */
import type { ConsumedEvent } from "../domain/consumption.ts";
import { type Try, type VelocityDependencies, watchVelocity } from "../flows/watch-velocity.ts";
import { read } from "./consumed-event.ts";
import { type ConsumerPorts, eventConsumer } from "./event-consumer.ts";
import type { WireHandler } from "./wire.ts";

/** The handler of `risk`. */
export function risk(ports: ConsumerPorts & VelocityDependencies): WireHandler {
  return eventConsumer(ports, {
    name: "risk",
    actionOf: (event) => (triedTypes.has(event.type) ? watchVelocity(ports, tryIn(event)) : null),
  });
}

/** A try ends in one of the two; a capture later on is no new try. */
const triedTypes: ReadonlySet<string> = new Set(["charge.succeeded", "charge.failed"]);

function tryIn({ object, accountId }: ConsumedEvent): Try {
  const fingerprint = read.cardOf(object)?.["fingerprint"];
  return {
    chargeId: read.id(object, "id"),
    accountId,
    atMs: read.wholeNumber(object, "created") * 1000,
    cardFingerprint: typeof fingerprint === "string" ? fingerprint : null,
    customer: read.textOrNull(object, "customer"),
  };
}
