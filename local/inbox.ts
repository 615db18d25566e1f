// A mail server for this machine alone: it takes every mail and keeps it for people and tests to read.
// It must never pass a mail on, nor listen beyond loopback, nor load its library before the first mail comes.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";

/** A running inbox. */
export type Inbox = {
  /** What `notification` is given as its mail server. */
  smtpUrl: string;
  /** The mails so far, oldest first. */
  mails(): readonly ReceivedMail[];
  close(): void;
};

/** A mail as it came over the wire. */
export type ReceivedMail = { to: readonly string[]; source: string };

/** Listens on a free port. */
export async function openInbox(): Promise<Inbox> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let library: Promise<(socket: Socket) => void> | undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    library ??= smtp((mail) => {
      mails.push(mail);
      if (mails.length > MAILS_MAX) mails.shift();
    });
    void library.then((serve) => serve(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails: () => [...mails],
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Of a laptop that runs for days, the last ones are enough. */
const MAILS_MAX = 500;

/** Larger than any receipt; a mail is kept in memory. */
const MAIL_BYTES_MAX = 1_048_576;

/** The protocol on sockets that somebody else accepted; the library takes 0.2 s and 10 MB, so a laptop without mails has none. */
async function smtp(keep: (mail: ReceivedMail) => void): Promise<(socket: Socket) => void> {
  const { SMTPServer } = await import("smtp-server");
  const protocol = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    size: MAIL_BYTES_MAX,
    onData: (stream, session, answer) => {
      void text(stream).then(
        (source) => {
          keep({ to: session.envelope.rcptTo.map(({ address }) => address), source });
          answer(null);
        },
        (error: Error) => answer(error),
      );
    },
  });
  protocol.on("error", () => {});
  return (socket) => void protocol.server.emit("connection", socket);
}
