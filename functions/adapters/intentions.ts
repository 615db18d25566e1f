/**
 * The carrier of intentions over HTTP: the webhook dispatcher, which holds what webhooks are kept in.
 * It must never take silence for an outcome, follow a redirect, or let a word of a foreign body into an error.
 */
import { DomainError, refuse } from "../domain/errors.ts";
import { defaultTimings, type StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse, Intention } from "../domain/intention.ts";
import type { IntentionCarrier } from "../flows/intention-ports.ts";

/** Where the dispatcher is, and how its platform lets a caller in. */
export interface CarrierTarget {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Gives the token of the caller's account, which the platform and the dispatcher check; without one both refuse. */
  readonly identityToken: (() => Promise<string>) | undefined;
  /** Gives the place in the trace that the dispatcher's own spans go under. */
  readonly traceparent?: (() => string | undefined) | undefined;
  /** Longest call, body included; by default what a lease leaves for one call, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The carrier behind `target`; it rejects as its port says. */
export function httpIntentions(target: CarrierTarget): IntentionCarrier {
  return {
    carryOut: async (use, intention) => {
      // Runs from here, so that the token's time counts too.
      const signal = AbortSignal.timeout(target.timeoutMs ?? defaultTimings.callTimeoutMs);
      try {
        const response = await fetch(`${target.baseUrl}${carryOutPath}`, {
          method: "POST",
          headers: await headersFor(target),
          body: intendedText(use, intention),
          redirect: "manual",
          signal,
        });
        return outcomeIn(response.status, await readBounded(response));
      } catch (error) {
        if (error instanceof DomainError) throw error;
        throw silence("The dispatcher did not answer.", error);
      }
    },
  };
}

/** Where the dispatcher takes it. */
export const carryOutPath = "/carry-out";

/** The request's body: what identifies the use of the key, and what is wanted. */
export function intendedText({ keyHash, accountId, createdAtMs }: IntendedUse, intention: Intention): string {
  return JSON.stringify({ keyHash, accountId, createdAtMs, intention });
}

/**
 * What an answer says.
 * @throws DomainError as the port says
 */
export function outcomeIn(status: number, text: string): StoredOutcome | "busy" {
  // Except those that the platform itself answers for a moment.
  if (status >= 400 && status < 500 && ![401, 403, 404, 408, 425, 429].includes(status))
    throw refuse("internal", `The dispatcher refused the intention (status ${status}).`);
  if (status !== 200) throw silence(`The dispatcher answered with status ${status}.`);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // Not kept as a cause: the parser's error quotes the text.
  }
  const { busy, status: outcomeStatus, body } = Object(answer) as Readonly<Record<string, unknown>>;
  if (busy === true) return "busy";
  const isStatus = Number.isSafeInteger(outcomeStatus) && Number(outcomeStatus) >= 200 && Number(outcomeStatus) < 500;
  if (!isStatus || (body !== null && typeof body !== "string"))
    throw silence("The dispatcher's answer cannot be read.");
  return { status: Number(outcomeStatus), body: body === null ? null : new Uint8Array(Buffer.from(body, "base64")) };
}

/** The platform takes the token's signature off and hands the rest on, so the dispatcher sees whose it is. */
async function headersFor({ identityToken, traceparent }: CarrierTarget): Promise<Record<string, string>> {
  const trace = traceparent?.();
  return {
    "Content-Type": "application/json",
    ...(identityToken === undefined ? {} : { Authorization: `Bearer ${await identityToken()}` }),
    ...(trace === undefined ? {} : { traceparent: trace }),
  };
}

/** 2 MiB: an answer is some kilobytes; the largest that is kept is a document of 1 MiB, and base64 adds a third. */
const bytesMax = 2 * 1024 * 1024;

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop cancels the body and closes its connection.
    if (length > bytesMax) throw silence("The dispatcher's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** No usable answer: it may or may not have been done, and asking again gives the same outcome. */
function silence(message: string, cause?: unknown): DomainError {
  return refuse("store_unavailable", message, cause === undefined ? {} : { cause });
}
