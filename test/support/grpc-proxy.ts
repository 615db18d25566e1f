// A plaintext HTTP/2 proxy between Google's real clients and an emulator: it counts calls, refuses them, loses their replies.
// It must never change a call or an answer that no rule names: with no rules set, the client cannot tell that it is there.

import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A place in a call's life: before the emulator sees it, or after it answered and before the client hears of it. */
export type Moment = "before" | "after";

/**
 * One call that is to fail once. `status` is the gRPC code (14 = UNAVAILABLE), or `reset` for the end of the client's whole
 * connection, as a dying server or network ends it; `hangMs` delays the failure.
 */
export type Fault = {
  /** Short name of the RPC, for example `Commit`. */
  method: string;
  /** Which call of that method from now on fails: 1 is the next one. */
  nth: number;
  /** `before`: the emulator never sees the call. `after`: it is applied, and its real answer is thrown away. */
  when: Moment;
  status: number | "reset";
  message?: string;
  hangMs?: number;
};

/** Calls of one method that a test keeps waiting. */
export type Hold = {
  /** Resolves once `count` calls (default 1) have come as far as this hold, since it was set. */
  arrived(count?: number): Promise<void>;
  /** Lets the waiting calls go on and holds no more. May be called twice. */
  release(): void;
};

/** One call: when it came and when its answer went out, in milliseconds of `performance.now()`; `Infinity` while it runs. */
export type ProxiedCall = { readonly method: string; readonly beganMs: number; endedMs: number };

/** What a test gets: where the clients must point, what they called, and the rules that disturb them. */
export type GrpcProxy = {
  /** `127.0.0.1:PORT`, for SPANNER_EMULATOR_HOST or FIRESTORE_EMULATOR_HOST. */
  host: string;
  /** Calls per short method name since the start or the last `reset`; a client's automatic retry counts as one more. */
  counts(): Record<string, number>;
  /** The same calls in order of arrival. */
  sequence(): string[];
  /** The same with the times between which a client waited for each. */
  calls(): readonly ProxiedCall[];
  /** Forgets the calls and the faults that have not struck, and releases every hold. */
  reset(): void;
  fault(fault: Fault): void;
  /** Faults that were set and have not struck. */
  waiting(): number;
  hold(method: string, when?: Moment): Hold;
  /** Cuts every connection and ends; clients that are still open see UNAVAILABLE. */
  close(): Promise<void>;
};

/** Starts a proxy on a free port of loopback that forwards to `target` (`host:port`, plaintext HTTP/2). */
export async function startGrpcProxy(options: { target: string }): Promise<GrpcProxy> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  const rules: Rules = { calls: [], faults: [], holds: new Set() };
  const upstream = reconnecting(options.target);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", ignore).on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", ignore);
    serveCall({ rules, upstream }, stream, headers).catch((error: unknown) =>
      refuse(stream, { status: UNAVAILABLE, message: `proxy: ${String(error)}` }),
    );
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${port}`,
    counts: () => countByMethod(rules),
    sequence: () => rules.calls.map(({ method }) => method),
    calls: () => [...rules.calls],
    reset: () => reset(rules),
    fault: (fault) => void rules.faults.push({ ...fault }),
    waiting: () => rules.faults.length,
    hold: (method, when = "before") => setHold(rules, method, when),
    close: async () => {
      reset(rules);
      for (const session of sessions) session.destroy();
      upstream.end();
      await new Promise((closed) => server.close(closed));
    },
  };
}

type Rules = { calls: ProxiedCall[]; faults: Fault[]; holds: Set<HoldRule> };
type HoldRule = Hold & { method: string; when: Moment; pass(): Promise<void> };
type Upstream = { session(): ClientHttp2Session; end(): void };
type Reply = {
  headers: OutgoingHttpHeaders;
  headersOnly: boolean;
  body: Readable;
  trailers: Promise<IncomingHttpHeaders>;
};

/** gRPC code 14: what a client sees, and retries, when a server is not there. */
const UNAVAILABLE = 14;

/** One call from its arrival to its answer. */
async function serveCall(
  proxy: { rules: Rules; upstream: Upstream },
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const { rules, upstream } = proxy;
  const method = (headers[":path"] ?? "").split("/").at(-1) ?? "";
  const call: ProxiedCall = { method, beganMs: performance.now(), endedMs: Number.POSITIVE_INFINITY };
  rules.calls.push(call);
  // Before the last frame goes out: whatever the client calls because of this answer begins later.
  const end = () => {
    call.endedMs = Math.min(call.endedMs, performance.now());
  };
  stream.once("wantTrailers", end).once("close", end);
  const fault = takeFault(rules, method);
  await passHolds(rules, method, "before");
  if (stream.destroyed) return;
  if (fault?.when === "before") return await refuse(stream, fault);

  let reply = await forward(upstream, stream, headers);
  if (fault?.when === "after" || hasHold(rules, method, "after")) {
    // The answer must be complete before it is lost or held: only then has the emulator surely applied the call.
    reply = await complete(reply);
    await passHolds(rules, method, "after");
  }
  if (stream.destroyed) return;
  if (fault?.when === "after") return await refuse(stream, fault);
  if (reply.headersOnly) end();
  answer(stream, reply);
}

/** Sends the call on, with its body as it comes, and resolves at the head of the real answer. */
async function forward(upstream: Upstream, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<Reply> {
  const request = upstream.session().request({ ...headers });
  const trailers = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    request.once("trailers", resolve);
    request.once("close", () => reject(new Error("the emulator ended the call without trailers")));
  });
  trailers.catch(ignore);
  const head = new Promise<{ headers: OutgoingHttpHeaders; headersOnly: boolean }>((resolve, reject) => {
    request.once("response", (received, flags) =>
      resolve({ headers: received, headersOnly: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 }),
    );
    request.once("error", reject);
    request.once("close", () => reject(new Error("the emulator ended the call without an answer")));
  });
  request.on("error", ignore);
  // A client that gives up (deadline, cancel, death) must free the emulator's side as well.
  stream.once("close", () => request.close(constants.NGHTTP2_CANCEL));
  stream.pipe(request);
  return { ...(await head), body: request, trailers };
}

/** The same reply, fully received. */
async function complete(reply: Reply): Promise<Reply> {
  if (reply.headersOnly) {
    reply.body.resume();
    return reply;
  }
  const [body, trailers] = await Promise.all([buffer(reply.body), reply.trailers]);
  return { ...reply, body: Readable.from([body]), trailers: Promise.resolve(trailers) };
}

/** Hands the answer to the client in the shape in which it came. */
function answer(stream: ServerHttp2Stream, reply: Reply): void {
  if (reply.headersOnly) {
    // An error without data is one header frame that ends the stream. Sent as headers and trailers it would lose its
    // status, and the client would report RST_STREAM with code 0.
    reply.body.resume();
    stream.respond(reply.headers, { endStream: true });
    return;
  }
  stream.respond(reply.headers, { waitForTrailers: true });
  stream.once("wantTrailers", () => {
    reply.trailers.then(
      (trailers) => stream.sendTrailers({ ...trailers }),
      () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    );
  });
  reply.body.once("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  reply.body.pipe(stream);
}

/** Answers with a gRPC status instead of the real answer. */
async function refuse(
  stream: ServerHttp2Stream,
  fault: { status: number | "reset"; message?: string; hangMs?: number },
): Promise<void> {
  if (fault.hangMs !== undefined) await delay(fault.hangMs, undefined, { ref: false });
  if (stream.destroyed) return;
  if (fault.status === "reset") return stream.session?.destroy();
  if (stream.headersSent) return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  stream.resume();
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(fault.status),
      "grpc-message": encodeURIComponent(fault.message ?? "injected by the test's proxy"),
    },
    { endStream: true },
  );
}

/** Counts the call against the rules of its method; the rule whose turn it is strikes once and is gone. */
function takeFault(rules: Rules, method: string): Fault | undefined {
  const ofMethod = rules.faults.filter((fault) => fault.method === method);
  for (const fault of ofMethod) fault.nth -= 1;
  const due = ofMethod.find((fault) => fault.nth <= 0);
  if (due !== undefined) rules.faults.splice(rules.faults.indexOf(due), 1);
  return due;
}

function setHold(rules: Rules, method: string, when: Moment): Hold {
  const gate = Promise.withResolvers<void>();
  const watchers: { count: number; resolve: () => void }[] = [];
  let arrivals = 0;
  const hold: HoldRule = {
    method,
    when,
    pass: async () => {
      arrivals += 1;
      for (const watcher of watchers) if (arrivals >= watcher.count) watcher.resolve();
      await gate.promise;
    },
    arrived: async (count = 1) => {
      if (arrivals >= count) return;
      await new Promise<void>((resolve) => watchers.push({ count, resolve }));
    },
    release: () => {
      rules.holds.delete(hold);
      gate.resolve();
    },
  };
  rules.holds.add(hold);
  return hold;
}

function hasHold(rules: Rules, method: string, when: Moment): boolean {
  return [...rules.holds].some((hold) => hold.method === method && hold.when === when);
}

async function passHolds(rules: Rules, method: string, when: Moment): Promise<void> {
  const holds = [...rules.holds].filter((hold) => hold.method === method && hold.when === when);
  await Promise.all(holds.map((hold) => hold.pass()));
}

function reset(rules: Rules): void {
  rules.calls.length = 0;
  rules.faults.length = 0;
  for (const hold of rules.holds) hold.release();
}

function countByMethod({ calls }: Rules): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

/** One shared connection to the emulator, made anew when the emulator dropped it. */
function reconnecting(target: string): Upstream {
  let current: ClientHttp2Session | undefined;
  const session = () => {
    if (current === undefined || current.closed || current.destroyed) {
      current = connect(`http://${target}`).on("error", ignore);
    }
    return current;
  };
  return { session, end: () => current?.destroy() };
}

async function listen(server: Http2Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** For errors of single streams and connections: the client and the awaiting code see them by themselves. */
function ignore(): void {}
