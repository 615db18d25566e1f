/**
 * The egress guard: the only file that calls a URL which a customer chose.
 * It never dials an address that it did not check, never follows a redirect, and waits and reads only up to its limits.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import type { Socket, TcpNetConnectOpts } from "node:net";
import { isAddress } from "../domain/addresses.ts";
import { excerptOf } from "../domain/excerpt.ts";
import {
  type Exchange,
  type ExchangeLimits,
  exchangeLimits,
  type NotAnswered,
  type TransportFailure,
} from "../domain/exchange.ts";
import { parseWebhookUrl, type UrlPolicy, type WebhookTarget } from "../domain/webhook-url.ts";
import type { Egress, EgressRequest } from "../flows/egress-ports.ts";
import { Blocked, guardedLookup, nameServers, type Resolve } from "./egress-names.ts";

/** The guard. Everything has a default that is right for production. */
export function egressGuard(settings: EgressSettings = {}): Egress {
  return { post: (request) => post(request, settings) };
}

/** What a laptop and tests change. */
export interface EgressSettings {
  /** Which URLs may be dialled. Default: https to public hosts only. */
  readonly urls?: UrlPolicy;
  /** Who answers for names. Default: the machine's name servers. */
  readonly resolve?: Resolve;
  /** Certificates (PEM) that are trusted instead of the public ones. */
  readonly certificateAuthorities?: string;
  /** Default: `exchangeLimits`. */
  readonly limits?: Partial<ExchangeLimits>;
}

async function post(request: EgressRequest, settings: EgressSettings): Promise<Exchange> {
  const startedAt = performance.now();
  const result = await attempt(request, settings);
  return { ...result, durationMs: Math.round(performance.now() - startedAt) } as Exchange;
}

type Result = Omit<Extract<Exchange, { kind: "answered" }>, "durationMs"> | Omit<NotAnswered, "durationMs">;

async function attempt(request: EgressRequest, settings: EgressSettings): Promise<Result> {
  // The first gate: the URL itself, literal addresses included.
  const target = parseWebhookUrl(request.url, settings.urls);
  if (target.kind === "refused") return notAnswered("blocked_destination", target.reason);
  const limits = { ...exchangeLimits, ...settings.limits };
  const progress: Progress = { phase: isAddress(target.host) ? "connecting" : "looking up the name" };
  const call = open(target, request, settings, limits, progress);
  follow(call, target, progress);
  return await new Promise((resolve) => {
    let interim = 0;
    const finish = (result: Result) => {
      clearTimeout(deadline);
      resolve(result);
      // Whatever else the receiver sends is not read, and an error that comes now has nobody to tell.
      call.destroy();
    };
    const deadline = setTimeout(() => finish(notAnswered("timeout", whileIn(progress))), limits.deadlineMs);
    call.on("error", (error) => {
      // Behind the headers an error is about the body, and whoever reads that sees it too.
      if (progress.phase !== "reading the body") finish(failureOf(error, progress));
    });
    call.on("information", () => {
      interim += 1;
      if (interim > interimMax) finish(notAnswered("protocol_error", "too many interim answers"));
    });
    call.on("upgrade", () => finish(notAnswered("protocol_error", "the answer switches protocols")));
    call.on("response", (response) => {
      clearTimeout(deadline);
      progress.phase = "reading the body";
      void read(response, limits).then(finish);
    });
    call.end(request.body);
  });
}

/** Interim answers (1xx) that are read before a receiver counts as one that only pretends to work. */
const interimMax = 10;

/** How far a call has come; an error means another thing in each phase. */
interface Progress {
  phase: "looking up the name" | "connecting" | "agreeing on TLS" | "waiting for the answer" | "reading the body";
}

function open(
  target: WebhookTarget,
  request: EgressRequest,
  settings: EgressSettings,
  limits: ExchangeLimits,
  progress: Progress,
): ClientRequest {
  const lookup = guardedLookup(settings.resolve ?? nameServers, target.loopbackOnly);
  const options: https.RequestOptions & Pick<TcpNetConnectOpts, "autoSelectFamily" | "autoSelectFamilyAttemptTimeout"> =
    {
      method: "POST",
      host: target.host,
      port: target.port,
      path: target.path,
      headers: { ...request.headers, "Content-Length": request.body.length },
      // One connection for one attempt: it ends with the answer, so what was checked is what was dialled.
      agent: target.secure ? secureAgent : plainAgent,
      // The second gate: the socket asks this and nobody else for the addresses that it dials.
      lookup: (name, lookupOptions, callback) =>
        lookup(name, lookupOptions, (error, address, family) => {
          if (error === null) progress.phase = "connecting";
          callback(error, address, family);
        }),
      // A name with several addresses gets a second for each before the next one is tried.
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1_000,
      maxHeaderSize: limits.headerBytesMax,
      insecureHTTPParser: false,
      minVersion: "TLSv1.2",
      // Said here because an environment variable could switch the default off.
      rejectUnauthorized: true,
      ...(settings.certificateAuthorities === undefined ? {} : { ca: settings.certificateAuthorities }),
    };
  return target.secure ? https.request(options) : http.request(options);
}

const plainAgent = new http.Agent({ keepAlive: false });
// Without a cache of sessions each attempt checks the certificate anew.
const secureAgent = new https.Agent({ keepAlive: false, maxCachedSessions: 0 });

function follow(call: ClientRequest, target: WebhookTarget, progress: Progress): void {
  call.on("socket", (socket: Socket) => {
    socket.once("connect", () => {
      progress.phase = target.secure ? "agreeing on TLS" : "waiting for the answer";
    });
    socket.once("secureConnect", () => {
      progress.phase = "waiting for the answer";
    });
  });
}

/** Reads the beginning of the body; ends with what is there when it is too long, too slow or broken. */
async function read(response: IncomingMessage, limits: ExchangeLimits): Promise<Result> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 599) return notAnswered("protocol_error", "the status is none of HTTP");
  const chunks: Buffer[] = [];
  const bodyEnd = await new Promise<"complete" | "cut" | "broken">((resolve) => {
    const wait = setTimeout(() => resolve("cut"), limits.bodyWaitMs);
    const end = (how: "complete" | "cut" | "broken") => {
      clearTimeout(wait);
      resolve(how);
    };
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, limits.bodyBytesMax - bytes));
      bytes += chunk.length;
      if (bytes > limits.bodyBytesMax) end("cut");
    });
    response.on("end", () => end("complete"));
    response.on("error", () => end("broken"));
    response.on("close", () => end(response.complete ? "complete" : "broken"));
  });
  return {
    kind: "answered",
    status,
    retryAfter: retryAfterOf(response),
    // Whatever Content-Encoding says, bytes are shown as they came: nothing is ever unpacked.
    excerpt: excerptOf(Buffer.concat(chunks)),
    bodyEnd,
  };
}

function retryAfterOf(response: IncomingMessage): string | null {
  const values = response.headersDistinct["retry-after"] ?? [];
  const [value = ""] = values;
  return values.length === 1 && value.length <= 64 ? value : null;
}

/** Sorts an error by its code and by how far the call had come; nothing of its text goes on, it may quote the receiver. */
function failureOf(error: Error & { code?: unknown }, progress: Progress): Result {
  if (error instanceof Blocked) return notAnswered("blocked_destination", error.message);
  const code = typeof error.code === "string" && /^\w{1,60}$/.test(error.code) ? error.code : "no code";
  if (progress.phase === "looking up the name") return notAnswered("dns_error", code);
  if (code === "ETIMEDOUT") return notAnswered("timeout", whileIn(progress));
  if (progress.phase === "agreeing on TLS") return notAnswered("tls_error", code);
  return notAnswered(code.startsWith("HPE_") ? "protocol_error" : "connection_error", code);
}

function whileIn({ phase }: Progress): string {
  return `no answer while ${phase}`;
}

function notAnswered(failure: TransportFailure, reason: string): Omit<NotAnswered, "durationMs"> {
  return { kind: "not_answered", failure, reason };
}
