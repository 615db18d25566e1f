// Shows what reaches a mail server, what its refusals mean, and that a silent one is given up in time.
// It must never reach a server beyond this machine.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { smtpMailer } from "../../functions/adapters/smtp-mailer.ts";
import { receiptMail } from "../../functions/domain/receipt.ts";

const mailTo = (to: string, description = "Zwölf Bücher <b>") =>
  receiptMail(
    {
      ...{
        chargeId: "ch_1",
        intentId: "pi_1",
        amountMinor: 1099n,
        currency: "eur",
        statementDescriptor: null,
        card: null,
      },
      ...{ description, paidAtMs: Date.UTC(2026, 2, 1, 12, 0, 0) },
    },
    { from: "receipts@shop.example", to },
  );

/** A server that keeps what it takes, and refuses receivers with the given answer. */
function openServer(refusal?: { responseCode: number; message: string }) {
  const taken: { receivers: string[]; source: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo: (_address, _session, answer) =>
      answer(refusal === undefined ? null : Object.assign(new Error(refusal.message), refusal)),
    onData: (stream, session, answer) => {
      void text(stream).then((source) => {
        taken.push({ receivers: session.envelope.rcptTo.map(({ address }) => address), source });
        answer(null);
      });
    },
  });
  const listening = once(server.listen(0, "127.0.0.1"), "listening");
  return {
    taken,
    url: async () => {
      await listening;
      return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});
function serverThat(refusal?: { responseCode: number; message: string }) {
  const server = openServer(refusal);
  closing.push(server.close);
  return server;
}

describe("a mail server", () => {
  test("gets text and HTML under the mail's own Message-ID and date, for the one receiver", async () => {
    const server = serverThat();
    const mail = mailTo("jane@customer.example");

    expect(await smtpMailer({ url: await server.url() }).send(mail)).toBe("handed_over");

    const [{ receivers, source } = { receivers: [], source: "" }] = server.taken;
    expect(receivers).toEqual(["jane@customer.example"]);
    expect(source).toContain(`Message-ID: ${mail.messageId}`);
    expect(source).toContain("Date: Sun, 01 Mar 2026 12:00:00 +0000");
    expect(source).toContain("Auto-Submitted: auto-generated");
    expect(source).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
  });

  test("gets no second receiver out of an address that is a list", async () => {
    const server = serverThat();
    const outcome = await smtpMailer({ url: await server.url() })
      .send(mailTo("jane@customer.example, all@customer.example"))
      .catch((error: Error) => error.message);

    expect(server.taken.flatMap(({ receivers }) => receivers)).not.toContain("all@customer.example");
    expect(String(outcome)).not.toContain("customer.example");
  });

  test("gets no header out of a line break", async () => {
    const server = serverThat();
    await smtpMailer({ url: await server.url() }).send({
      ...mailTo("jane@customer.example"),
      subject: "Receipt\r\nBcc: all@customer.example",
    });

    expect(server.taken[0]?.source).not.toMatch(/^Bcc:/m);
  });

  test.each([
    [550, "5.1.1 No such user jane@customer.example"],
    [553, "5.1.3 Bad address"],
  ])("that knows no such receiver (%i) has refused for good", async (responseCode, message) => {
    const server = serverThat({ responseCode, message });

    expect(await smtpMailer({ url: await server.url() }).send(mailTo("jane@customer.example"))).toBe("refused");
  });

  test.each([
    [550, "5.7.1 Relaying denied for jane@customer.example"],
    [450, "4.2.1 Mailbox busy: jane@customer.example"],
    [554, "5.7.1 You are on a list"],
  ])(
    "that refuses us (%i %s) is to be asked again, and its words stay out of the error",
    async (responseCode, message) => {
      const server = serverThat({ responseCode, message });

      await expect(smtpMailer({ url: await server.url() }).send(mailTo("jane@customer.example"))).rejects.toMatchObject(
        {
          code: "store_unavailable",
          message: expect.not.stringContaining("jane"),
        },
      );
    },
  );

  test("that never speaks is given up in time, and the connection is closed", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    closing.push(() => new Promise((resolve) => silent.close(() => resolve())));
    const { port } = silent.address() as AddressInfo;

    await expect(
      smtpMailer({ url: `smtp://127.0.0.1:${port}`, timeoutMs: 50 }).send(mailTo("jane@customer.example")),
    ).rejects.toMatchObject({ code: "store_unavailable" });
    await Promise.all(sockets.map((socket) => socket.closed || once(socket.resume(), "close")));
  });

  test("that is not there is to be asked again", async () => {
    await expect(smtpMailer({ url: "smtp://127.0.0.1:1" }).send(mailTo("jane@customer.example"))).rejects.toMatchObject(
      {
        code: "store_unavailable",
      },
    );
  });
});

test.each([
  "",
  "secret",
  "http://user:hunter2@mail.example",
  "smtps://",
  "smtp://user:hunter2@mail.example?ignoreTLS=true",
])("the URL %j is refused at the start, and not shown", (url) => {
  expect(() => smtpMailer({ url })).toThrow(/^The SMTP URL must be smtp:\/\/host:port(?!.*hunter2)/);
});
