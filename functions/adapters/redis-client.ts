/**
 * One connection to a Redis server, opened by the first command and opened anew by the first one after it was lost.
 * It must never queue a command while there is no connection, wait without a bound, or let a password into an error.
 */
import type { createClient } from "@redis/client";
import { type DomainError, refuse } from "../domain/errors.ts";
import type { Clock } from "../flows/ports.ts";

/** A server, as a function reaches it. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  /** Sent with AUTH; undefined for a server without. */
  readonly password?: string | undefined;
  /** PEM of the authorities that sign this instance's certificates; undefined for a connection in the clear. */
  readonly authorities?: string | undefined;
}

/**
 * The server's commands for one function. Nothing is opened, nor the client library loaded, before the first one.
 * A serverless instance has no background in which to reconnect, so each command finds or opens the connection itself.
 */
export function openRedis(server: RedisServer, deps: { readonly clock: Clock }): OpenRedis {
  const { clock } = deps;
  let current: Promise<Connection> | undefined;
  let retryAtMs = 0;

  const connection = (): Promise<Connection> => {
    if (current !== undefined) return current;
    if (clock.now() < retryAtMs) throw offline();
    const opening = connect(server);
    current = opening;
    opening.then(
      (opened) => opened.on("terminated", () => forget(opening)),
      () => {
        retryAtMs = clock.now() + retryAfterMs;
        forget(opening);
      },
    );
    return opening;
  };
  const forget = (lost: Promise<Connection>) => {
    if (current === lost) current = undefined;
  };

  return {
    command: async (parts) => {
      for (let round = 1; ; round += 1) {
        const opening = connection();
        const opened = await opening.catch(translate);
        try {
          return await answered(opened, parts, clock);
        } catch (error) {
          if (!isLost(error)) return translate(error);
          forget(opening);
          end(opened);
          if (round === roundsMax || error instanceof SilentServer) return translate(error);
        }
      }
    },
    close: async () => {
      const last = current;
      current = undefined;
      retryAtMs = Number.POSITIVE_INFINITY;
      await last?.then(end, () => {});
    },
  };
}

/** Commands to one server. */
export interface OpenRedis {
  /**
   * One round trip; a second one, on a new connection, when the first was lost on the way. So a command may be carried
   * out twice, and must be one that can be. A reply's text is bytes, numbers are numbers.
   * @throws DomainError `store_unavailable` or `permission_denied`, with the client's or the server's error as its cause;
   *   `NOSCRIPT` keeps that cause's `message` for whoever asked for a script by its digest
   */
  command(parts: readonly (string | Buffer)[]): Promise<unknown>;
  /** Ends the connection at once; every later command fails. It never rejects. */
  close(): Promise<void>;
}

/** True when the server does not know the script that a digest names: it was restarted, or took over. */
export function isUnknownScript(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message.startsWith("NOSCRIPT");
}

type Connection = ReturnType<typeof createClient>;

/** 1 s: a connection in one region stands in 5 ms, and a guard in front waits for none of this longer than 300 ms. */
const connectMsMax = 1_000;

/**
 * 1 s: a server that is silent for so long has lost us or itself. A frozen instance's connection is often dead without
 * knowing, and this is what finds out, where TCP would take a quarter of an hour.
 */
const answerMsMax = 1_000;

/** Two: one connection may have died unseen while its instance was frozen, and a fresh one that dies too is no chance. */
const roundsMax = 2;

/** 250 ms: after a refused connection the calls of a whole burst of requests fail at once instead of dialling each. */
const retryAfterMs = 250;

async function connect({ host, port, password, authorities }: RedisServer): Promise<Connection> {
  const { createClient, RESP_TYPES } = await import("@redis/client");
  const shared = { host, port, connectTimeout: connectMsMax, reconnectStrategy: false } as const;
  const client = createClient({
    // RESP 2 needs no greeting, and no name is told: the connection is ready after AUTH alone.
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    ...(password === undefined ? {} : { password }),
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    socket:
      authorities === undefined ? shared : { ...shared, tls: true, ca: authorities, checkServerIdentity: anyName },
  }) as unknown as Connection;
  // Without a listener Node ends the process; what is lost is told to the command that meets it.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/**
 * The authority signs certificates of this one instance alone and we dial an address, so a name in a certificate would
 * prove nothing that the signature does not.
 */
function anyName(): undefined {}

/** Sends a command and waits for its answer, `answerMsMax` at the longest. */
function answered(connection: Connection, parts: readonly (string | Buffer)[], clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(answerMsMax, () => reject(new SilentServer("The server did not answer in time.")));
    connection
      .sendCommand([...parts])
      .then(resolve, reject)
      .finally(cancel);
  });
}

function end(connection: Connection): void {
  // It throws when the connection is closed already.
  if (connection.isOpen) connection.destroy();
}

/** No answer came in time; asking again at once would hold the request as long once more. */
class SilentServer extends Error {}

/**
 * True when only a new connection can be better: this one is gone or silent, or it leads to a server that takes no writes
 * since a failover. Every other answer of a server begins with a word in capitals and leaves the connection as it was.
 */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  const [word = ""] = error.message.split(" ", 1);
  return !/^[A-Z]{2,}$/.test(word) || /^(?:READONLY|MASTERDOWN|LOADING)$/.test(word);
}

function offline(): DomainError {
  return refuse("store_unavailable", "The cache's server could not be reached a moment ago.");
}

/** The server's own word names what is wrong (`OOM`, `WRONGPASS`); the rest of its text may hold anything. */
function translate(error: unknown): never {
  const word = error instanceof Error ? (/^[A-Z]{2,}(?= )/.exec(error.message)?.[0] ?? error.name) : "unexpected";
  if (/^(?:NOAUTH|WRONGPASS|NOPERM)$/.test(word))
    throw refuse("permission_denied", "The cache's server refused the call: its password or rights are wrong.", {
      cause: error,
    });
  throw refuse("store_unavailable", `The cache's server did not do what was asked (${word}).`, { cause: error });
}
