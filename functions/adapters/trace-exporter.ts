/**
 * Sends spans that have ended to Cloud Trace, or to a collector of this machine, by OTLP over HTTP.
 * It must never hold an answer up, keep the process alive, or grow without a bound; what cannot be sent is dropped.
 */
import type { Log } from "../flows/ports.ts";
import type { FinishedSpan, SpanFields, SpanSink } from "../flows/trace-ports.ts";
import { exportRequest } from "./trace-otlp.ts";

/** What exporting needs. */
export interface ExporterOptions {
  /** Full URL of the collector, for example `https://telemetry.googleapis.com/v1/traces`. */
  readonly url: string;
  /** The function and its project, as the collector files them. */
  readonly resource: SpanFields;
  /** True for Google's API, which wants a token of the function's account. */
  readonly isGoogle: boolean;
  readonly log: Log;
  /** Default: the metadata server of the platform. */
  readonly metadataUrl?: string;
}

/** A running exporter. */
export interface Exporter {
  readonly sink: SpanSink;
  /** Sends what waits, within its bound; it never rejects. */
  close(): Promise<void>;
}

/** Makes the exporter; nothing is sent, and nothing asked, before the first span. */
export function openExporter(options: ExporterOptions): Exporter {
  let waiting: FinishedSpan[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const token = accessTokens(options.metadataUrl ?? platformMetadataUrl);
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const spans = waiting;
    waiting = [];
    if (spans.length === 0) return;
    try {
      await send(options, token, spans);
      if (dropped > 0) options.log("WARNING", "spans dropped", { spans: dropped, reason: "too_many" });
      dropped = 0;
    } catch (error) {
      options.log("WARNING", "spans not exported", { spans: spans.length, reason: reasonOf(error) });
    }
  };
  return {
    sink: (span) => {
      if (waiting.length >= waitingMax) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      timer ??= setTimeout(() => void flush(), pauseMs).unref();
    },
    close: flush,
  };
}

/** A second after the first span the answer that it belongs to has left, and the spans of its neighbours go along. */
const pauseMs = 1_000;

/** 4,096 spans are about 2 MB: two hundred payments a second, all of them recorded. */
const waitingMax = 4_096;

/** Longest that one export may take, in milliseconds; at SIGTERM a function has ten seconds. */
const timeoutMs = 3_000;

async function send(
  { url, resource, isGoogle }: ExporterOptions,
  token: () => Promise<string>,
  spans: readonly FinishedSpan[],
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-protobuf",
      ...(isGoogle ? { Authorization: `Bearer ${await token()}` } : {}),
    },
    body: new Uint8Array(exportRequest(resource, spans)),
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Refused(response.status);
}

/** An answer that is none of 2xx. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The collector answered with status ${status}.`);
    this.status = status;
  }
}

/** A status or a name: the text of a foreign error may hold anything. */
function reasonOf(error: unknown): string {
  if (error instanceof Refused) return `status ${error.status}`;
  // `DOMException` of a deadline is no Error of this realm under every test runner.
  return (error as Partial<Error> | null)?.name ?? "unknown";
}

/** The name that every machine of Google's resolves to itself. */
const platformMetadataUrl = "http://metadata.google.internal";

/** Five minutes before its end a token is asked for anew. */
const marginMs = 5 * 60 * 1_000;

/** Access tokens of the function's own account, each asked for once in its life. */
function accessTokens(metadataUrl: string): () => Promise<string> {
  let held = { text: "", endsAtMs: 0 };
  return async () => {
    if (Date.now() < held.endsAtMs - marginMs) return held.text;
    const response = await fetch(`${metadataUrl}/computeMetadata/v1/instance/service-accounts/default/token`, {
      headers: { "Metadata-Flavor": "Google" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) throw new Refused(response.status);
    const { access_token: text, expires_in: seconds } = (await response.json()) as Record<string, unknown>;
    if (typeof text !== "string" || typeof seconds !== "number") throw new Error("no token");
    held = { text, endsAtMs: Date.now() + seconds * 1_000 };
    return text;
  };
}
