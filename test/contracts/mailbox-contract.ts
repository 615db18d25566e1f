// What every mailbox that only records must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { Mail } from "../../functions/domain/receipt.ts";
import type { DocumentReader } from "../../functions/flows/document-ports.ts";
import type { Mailer } from "../../functions/flows/mail-ports.ts";

/** A mailbox for one suite, with a reader of its collection. */
export type MailboxUnderTest = {
  readonly mailbox: Mailer;
  readonly documents: DocumentReader;
  readonly collection: string;
  close(): Promise<void>;
};

/** Registers the suite. */
export function mailboxContract(open: () => Promise<MailboxUnderTest>): void {
  let subject: MailboxUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  test("keeps a mail with all its parts, once, and the first one when its Message-ID comes again", async () => {
    const mail = aMail();

    expect(await subject.mailbox.send(mail)).toBe("recorded");
    expect(await subject.mailbox.send({ ...mail, text: "another" })).toBe("recorded");

    const kept = await subject.documents.list(subject.collection, 100);
    const mine = kept.filter(({ fields }) => fields["messageId"] === mail.messageId);
    expect(mine.map(({ fields }) => fields)).toEqual([
      { ...mail, deleteAfter: new Date(mail.dateMs + 30 * 24 * 3_600_000) },
    ]);
  });
}

function aMail(): Mail {
  return {
    messageId: `<receipt.${randomBytes(12).toString("hex")}@shop.example>`,
    from: "receipts@shop.example",
    to: "jane@customer.example",
    subject: "Your receipt for EUR 10.99",
    text: "Thank you.",
    html: "<p>Thank you.</p>",
    dateMs: 1_772_366_400_000,
  };
}
