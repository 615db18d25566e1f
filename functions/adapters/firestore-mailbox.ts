/**
 * A mailbox in Firestore for stages without a mail server: each mail is kept, once, where people can read it.
 * It must never replace a mail that stands, and never be taken for sending: nobody receives anything.
 */
import { type Firestore, Timestamp } from "@google-cloud/firestore";
import { digestOf } from "../domain/consumption.ts";
import { mailLifeMs } from "../domain/receipt.ts";
import type { Mailer, MailOutcome } from "../flows/mail-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The mailbox over one collection; `deleteAfterField` is the timestamp field that the TTL policy watches. */
export function firestoreMailbox(store: MailboxCollection): Mailer {
  return {
    send: (mail) =>
      translated<MailOutcome>(async () => {
        const id = digestOf(mail.messageId);
        const deleteAfter = Timestamp.fromMillis(mail.dateMs + mailLifeMs);
        try {
          await store.database
            .collection(store.collection)
            .doc(id)
            .create({ ...mail, [store.deleteAfterField]: deleteAfter });
        } catch (error) {
          if (!hasGrpcCode(error, grpcCodes.alreadyExists)) throw error;
        }
        return "recorded";
      }),
  };
}

/** Where the mailbox lives. */
export interface MailboxCollection {
  readonly database: Firestore;
  readonly collection: string;
  readonly deleteAfterField: string;
}
