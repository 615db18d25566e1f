/**
 * A mailbox in memory, for the laptop and for tests: Firestore's twin.
 * It must never replace a mail that stands.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Mail } from "../../domain/receipt.ts";
import type { Mailer } from "../../flows/mail-ports.ts";

/** An empty mailbox. */
export function memoryMailbox(): Mailer & { mails(): readonly Mail[] } {
  const mails = new Map<string, Mail>();
  return {
    send: async (mail) => {
      await nextTurn();
      if (!mails.has(mail.messageId)) mails.set(mail.messageId, structuredClone(mail));
      return "recorded";
    },
    mails: () => structuredClone([...mails.values()]),
  };
}
