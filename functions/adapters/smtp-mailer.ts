/**
 * Hands e-mails to a mail server by SMTP, one connection a mail, within a bound.
 * It must never send credentials or a mail over the network unencrypted, nor let the server's words, which may quote the
 * receiver, into an error's text.
 */
import type { createTransport } from "nodemailer";
import { outsideEffectMs } from "../domain/consumption.ts";
import { type DomainError, refuse } from "../domain/errors.ts";
import type { Mail } from "../domain/receipt.ts";
import type { Mailer } from "../flows/mail-ports.ts";

/**
 * A mailer for a server named by its URL: `smtps://user:password@host:465`, or `smtp://…:587`, which must offer STARTTLS
 * unless it is this machine. The library is loaded by the first mail, because it would lengthen every cold start.
 * @throws Error that shows nothing of the URL when it is none of these
 */
export function smtpMailer({ url, timeoutMs = outsideEffectMs }: { url: string; timeoutMs?: number }): Mailer {
  const server = serverIn(url);
  let loaded: Promise<{ createTransport: typeof createTransport }> | undefined;
  return {
    send: async (mail) => {
      loaded ??= import("nodemailer");
      const { createTransport } = await loaded;
      const transport = createTransport({
        url: server.href,
        requireTLS: server.protocol === "smtp:" && !isThisMachine(server),
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        dnsTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        await transport.sendMail(messageOf(mail, AbortSignal.timeout(timeoutMs)));
        return "handed_over";
      } catch (error) {
        if (isNoReceiver(error)) return "refused";
        throw translate(error);
      }
    },
  };
}

function serverIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer = url !== undefined && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "";
  // The library would read options out of a query, and one of them switches encryption off.
  if (!isServer || url.search !== "")
    throw new Error("The SMTP URL must be smtp://host:port or smtps://host:port, with user and password when needed.");
  return url;
}

function isThisMachine({ hostname }: URL): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

/** The signal ends the connection too. It is not in the published types yet. */
function messageOf(mail: Mail, signal: AbortSignal) {
  const { messageId, from, to, subject, text, html, dateMs } = mail;
  return {
    ...{ messageId, subject, text, html, signal },
    date: new Date(dateMs),
    // As objects: text would be parsed as a list, and one address could become several.
    from: { name: "", address: from },
    to: { name: "", address: to },
    // Tells holiday notices and other robots not to answer.
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/**
 * The server says for good that there is no such receiver, or the address cannot be said in its protocol. A refusal for
 * reasons of policy (enhanced status 5.7, for example "relaying denied") is about us, and may be repaired.
 */
function isNoReceiver(error: unknown): boolean {
  const { code, command, message, response, responseCode } = Object(error) as Record<string, unknown>;
  if (code !== "EENVELOPE") return false;
  if (command === "API") return /recipient/i.test(String(message));
  if (command !== "RCPT TO" || ![550, 551, 553].includes(Number(responseCode))) return false;
  return !/^\d{3}[ -]5\.7\./.test(String(response)) && !/relay/i.test(String(response));
}

function translate(error: unknown): DomainError {
  const { code, command, name, responseCode } = Object(error) as Record<string, unknown>;
  const words = [code ?? name, command, responseCode].filter((word) => word !== undefined).join(", ");
  return refuse("store_unavailable", `The mail server did not take the mail (${words}).`, { cause: error });
}
