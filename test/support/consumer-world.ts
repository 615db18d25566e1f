// Consumers of events on memory stores, with a clock in the test's hands and every port disturbable.
// It must never share state between two worlds; two processes of one world share the stores and nothing else.
import { memoryConsumerStore } from "../../functions/adapters/memory/consumer-store.ts";
import { memoryDocuments } from "../../functions/adapters/memory/documents.ts";
import { memoryMailbox } from "../../functions/adapters/memory/mailbox.ts";
import { memoryObservations } from "../../functions/adapters/memory/observations.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import type { Mail } from "../../functions/domain/receipt.ts";
import { invoice } from "../../functions/edge/invoice.ts";
import { notification } from "../../functions/edge/notification.ts";
import { risk } from "../../functions/edge/risk.ts";
import type { Mailer } from "../../functions/flows/mail-ports.ts";
import { intercept } from "./interception.ts";
import { manualClock } from "./manual-clock.ts";
import { pusher } from "./pushes.ts";

/** When every world begins: 2026-03-01 12:00:03 UTC. */
export const beginMs = Date.UTC(2026, 2, 1, 12, 0, 3);

/** One world; see the file's first line. */
export function openConsumerWorld() {
  const clock = manualClock(beginMs);
  const documents = memoryDocuments();
  const store = memoryConsumerStore(documents);
  const observations = memoryObservations();
  const mailbox = memoryMailbox(documents, "mails");
  /** What the mail server took, in order, repetitions too: the oracle. */
  const handedOver: Mail[] = [];
  const mailer: Mailer = {
    send: async (mail) => {
      handedOver.push(mail);
      return "handed_over";
    },
  };
  const logged: { severity: string; message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  /** One more process over the same stores, each of its ports disturbable on its own. */
  const startProcess = () => {
    const ports = {
      store: intercept(store),
      mailer: intercept(mailer),
      mailbox: intercept(mailbox),
      observations: intercept(observations),
    };
    const shared = {
      store: ports.store.port,
      clock,
      random: systemRandom,
      log: (severity: string, message: string, fields = {}) => void logged.push({ severity, message, fields }),
      callerAccount: pusher.account,
    };
    return {
      ports,
      notification: notification({ ...shared, mailer: ports.mailer.port, mailFrom: "receipts@shop.example" }),
      invoice: invoice({ ...shared, invoices: "invoices" }),
      risk: risk({
        ...shared,
        observations: ports.observations.port,
        riskFlags: "riskFlags",
        rule: { paymentsMax: 2, windowMs: 60_000 },
      }),
      recordingNotification: notification({
        ...shared,
        mailer: ports.mailbox.port,
        mailFrom: "receipts@shop.example",
      }),
    };
  };
  return { clock, documents, store, mailbox, handedOver, logged, startProcess, ...startProcess() };
}
