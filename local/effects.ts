// What a laptop has beside its functions for what consumers do: an inbox, and a way to put dead letters on the topic again.
// It must never be there for a plan that does not ask for it: without the secret of a mail server there is no inbox.

import type { Publisher } from "../functions/flows/bus-ports.ts";
import { type Inbox, openInbox } from "./inbox.ts";
import { type Plan, plannedFunction, topicOf } from "./plan.ts";
import type { Platform } from "./platform.ts";

/** The inbox, and the secrets that lead `notification` to it: full resource name to value. */
export async function openInboxFor(plan: Plan): Promise<{ inbox: Inbox | undefined; secrets: Map<string, string> }> {
  const names = plan.functions.flatMap(({ secrets }) => Object.values(secrets));
  const ofServer = names.find((name) => name.endsWith("/secrets/smtp-url"));
  if (ofServer === undefined) return { inbox: undefined, secrets: new Map() };
  const inbox = await openInbox();
  return { inbox, secrets: new Map([[ofServer, inbox.smtpUrl]]) };
}

/** Publishes to the topic of events as a person does who may: no function's grants are asked. */
export function publisherOf(plan: Plan, { bus }: Platform): Publisher {
  const topic = topicOf(plannedFunction(plan, "payments-api"));
  return { publish: async (messages) => void bus.publish(topic, messages) };
}
