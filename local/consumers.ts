// How the consumers of events are put together on the laptop, and the stores that they share.
// It must never give a consumer a way to send that the plan does not give it: without the secret, mails are recorded.

import { memoryConsumerStore } from "../functions/adapters/memory/consumer-store.ts";
import { memoryDeadLetters } from "../functions/adapters/memory/dead-letters.ts";
import { memoryDocuments } from "../functions/adapters/memory/documents.ts";
import { memoryMailbox } from "../functions/adapters/memory/mailbox.ts";
import { memoryObservations } from "../functions/adapters/memory/observations.ts";
import { smtpMailer } from "../functions/adapters/smtp-mailer.ts";
import { environmentNames, firestoreNames, requiredVariable } from "../functions/config.ts";
import { deadLetterRecorder } from "../functions/edge/dead-letter-recorder.ts";
import { invoice } from "../functions/edge/invoice.ts";
import { notification } from "../functions/edge/notification.ts";
import { risk } from "../functions/edge/risk.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { ConsumerStore } from "../functions/flows/consumer-ports.ts";
import type { DeadLetters } from "../functions/flows/dead-letter-ports.ts";
import type { DocumentReader } from "../functions/flows/document-ports.ts";
import type { Mailer } from "../functions/flows/mail-ports.ts";
import type { Clock, Log, Random } from "../functions/flows/ports.ts";
import type { Observations } from "../functions/flows/risk-ports.ts";
import type { Identity } from "./identity.ts";

/** What consumers keep. */
export type ConsumerStores = {
  consumers: ConsumerStore;
  mailbox: Mailer;
  observations: Observations;
  deadLetters: DeadLetters;
  /** What they wrote, for people to read. */
  documents: DocumentReader;
};

/** Empty ones in memory. */
export function memoryConsumerStores(): ConsumerStores {
  const documents = memoryDocuments();
  return {
    consumers: memoryConsumerStore(documents),
    mailbox: memoryMailbox(documents, firestoreNames.mails),
    observations: memoryObservations(),
    deadLetters: memoryDeadLetters(),
    documents,
  };
}

type Making = {
  identity: Identity;
  environment: Record<string, string>;
  stores: ConsumerStores;
  machine: { clock: Clock; random: Random; log: Log };
};

/** How each consumer is put together, as its entry does it with the real adapters. */
export const consumerMakers = {
  notification: ({ identity, environment, stores, machine }: Making): WireHandler => {
    const smtpUrl = environment[environmentNames.smtpUrl];
    return notification({
      ...machine,
      store: identity.consumers(stores.consumers),
      mailer: smtpUrl === undefined ? identity.mailbox(stores.mailbox) : smtpMailer({ url: smtpUrl }),
      mailFrom: requiredVariable(environment, environmentNames.mailFrom),
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
    });
  },
  invoice: ({ identity, environment, stores, machine }: Making): WireHandler =>
    invoice({
      ...machine,
      store: identity.consumers(stores.consumers),
      invoices: firestoreNames.invoices,
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
    }),
  risk: ({ identity, environment, stores, machine }: Making): WireHandler =>
    risk({
      ...machine,
      store: identity.consumers(stores.consumers),
      observations: identity.observations(stores.observations),
      riskFlags: firestoreNames.riskFlags,
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
    }),
  "dead-letter-recorder": ({ identity, environment, stores, machine }: Making): WireHandler =>
    deadLetterRecorder({
      ...machine,
      deadLetters: identity.deadLetters(stores.deadLetters),
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
    }),
} as const;
