/**
 * A mailbox in memory, for the laptop and for tests: Firestore's twin.
 * It must never replace a mail that stands.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { digestOf } from "../../domain/consumption.ts";
import { mailLifeMs } from "../../domain/receipt.ts";
import type { Mailer } from "../../flows/mail-ports.ts";
import type { MemoryDocuments } from "./documents.ts";

/** A mailbox in a collection of documents. */
export function memoryMailbox(documents: MemoryDocuments, collection: string): Mailer {
  return {
    send: async (mail) => {
      await nextTurn();
      const id = digestOf(mail.messageId);
      if (!documents.has(collection, id)) {
        documents.put({ collection, id, fields: { ...mail, deleteAfter: new Date(mail.dateMs + mailLifeMs) } });
      }
      return "recorded";
    },
  };
}
