/**
 * Reads the URL of a webhook endpoint: the one parser for registering it and for dialling it.
 * It never repairs: what a lenient parser would quietly change (spaces, backslashes, a missing slash) is refused.
 */
import { isAddress, isLoopback, refusalOfAddress } from "./addresses.ts";

/**
 * The target that a URL names, or why it is refused, as a sentence for the merchant that does not repeat the URL.
 *
 * Accepted: `https://` with a public name or address, port 443 or one from 1024, any path and query, names in any script.
 * Refused: other schemes, credentials, fragments, control characters, spaces, backslashes, more than 2,048 characters,
 * names without a dot or with one at the end, names and addresses of private networks in any spelling. The policy can add
 * plain http (then port 80 too) and listed origins of the own machine.
 */
export function parseWebhookUrl(text: string, policy: UrlPolicy = strictUrls): WebhookTarget | UrlRefusal {
  const shape = refusalOfShape(text);
  if (shape !== null) return { kind: "refused", reason: shape };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { kind: "refused", reason: "The URL cannot be read." };
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = url.protocol === "https:";
  const target = {
    kind: "target",
    secure,
    host,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
  } as const;
  if (policy.loopback.some((origin) => isOrigin(origin, target))) return { ...target, loopbackOnly: true };
  const reason = refusalOfTarget(target, policy);
  return reason === null ? { ...target, loopbackOnly: false } : { kind: "refused", reason };
}

/** What is dialled. */
export interface WebhookTarget {
  readonly kind: "target";
  /** https, or plain http where the policy allows it. */
  readonly secure: boolean;
  /** A name in lower-case ASCII, or an address without brackets, as the URL parser normalized it. */
  readonly host: string;
  readonly port: number;
  /** Path and query as they are sent; printable ASCII. */
  readonly path: string;
  /** True for a listed origin: only addresses of this machine may be dialled, and no others. */
  readonly loopbackOnly: boolean;
}

/** Why a URL is no webhook endpoint. */
export interface UrlRefusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** What a stage allows beyond https to public hosts. */
export interface UrlPolicy {
  /** Plain http too, for a stage where no real event is sent. */
  readonly httpAllowed: boolean;
  /** Origins of this machine that may be dialled all the same; empty everywhere but on a laptop. */
  readonly loopback: readonly LoopbackOrigin[];
}

/** What holds in production. */
export const strictUrls: UrlPolicy = { httpAllowed: false, loopback: [] };

/** One listed origin. */
export interface LoopbackOrigin {
  readonly secure: boolean;
  readonly host: string;
  /** Null for every port. */
  readonly port: number | null;
}

/**
 * Reads a comma-separated list of origins such as `http://127.0.0.1:*, https://localhost:8443`; empty text is no origin.
 * @throws Error for anything that is not an origin of this machine with its port, so that no setting opens a network
 */
export function parseLoopbackOrigins(text: string): readonly LoopbackOrigin[] {
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map(loopbackOriginOf);
}

/** The longest URL: what browsers and proxies pass on without trouble. */
export const urlLengthMax = 2048;

function loopbackOriginOf(item: string): LoopbackOrigin {
  const [, scheme, host = "", port] = /^(https?):\/\/([a-z0-9.]+|\[[0-9a-f:]+\]):(\*|[1-9]\d{0,4})$/.exec(item) ?? [];
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (scheme === undefined || !(bare === "localhost" || isLoopback(bare)) || Number(port) > 65_535) {
    throw new Error(`Not an origin of this machine with a port: ${item}`);
  }
  return { secure: scheme === "https", host: bare, port: port === "*" ? null : Number(port) };
}

function isOrigin(origin: LoopbackOrigin, target: Pick<WebhookTarget, "secure" | "host" | "port">): boolean {
  const samePort = origin.port === null || origin.port === target.port;
  return origin.secure === target.secure && origin.host === target.host && samePort && target.port !== 0;
}

/** Judges the text itself, before a parser sees it. */
function refusalOfShape(text: string): string | null {
  if (text.length > urlLengthMax) return `The URL must have at most ${urlLengthMax} characters.`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are refused
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/.test(text)) {
    return "The URL must not contain spaces, control characters or backslashes.";
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return "The URL must start with https:// and a host.";
  if (authority.includes("@")) return "The URL must not contain a user name or a password.";
  if (text.includes("#")) return "The URL must not contain a fragment (#).";
  return null;
}

function refusalOfTarget(target: Pick<WebhookTarget, "secure" | "host" | "port">, policy: UrlPolicy): string | null {
  const { secure, host, port } = target;
  if (!secure && !policy.httpAllowed) return "The URL must start with https://.";
  // The ports below belong to other protocols: mail, remote shells, name servers.
  if (port !== (secure ? 443 : 80) && port < 1024) {
    return `The URL's port must be ${secure ? 443 : 80}, or 1024 and higher.`;
  }
  if (isAddress(host))
    return refusalOfAddress(host) === null ? null : "The URL must not name an address that is not public.";
  if (host.endsWith(".")) return "The URL's host must not end with a dot.";
  if (host.length > 253 || host.split(".").some(({ length }) => length < 1 || length > 63)) {
    return "The URL's host is no name that the DNS can hold.";
  }
  if (!host.includes(".") || localSuffixes.some((suffix) => host.endsWith(suffix))) {
    return "The URL must name a public host.";
  }
  return null;
}

/** Names that mean this machine or a private network (RFC 6761, RFC 6762, RFC 8375; `internal` by ICANN's decision of 2024). */
const localSuffixes: readonly string[] = [".localhost", ".localdomain", ".local", ".internal", ".home.arpa", ".lan"];
