// Speaks HTTP to a door on loopback, byte by byte where a client library would not let a test misbehave.
// It must never wait without end: a connection is given up after 15 seconds.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** What to send. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Far more than any answer takes, so that only a missing one ends here. */
const answerMsMax = 15_000;

/** One request with Node's client; rejects on a connection error such as EPIPE. */
export function exchange(
  port: number,
  { method = "POST", path = "/", headers = {}, body = "" }: Sent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timeout = AbortSignal.timeout(answerMsMax);
  const request = http.request({ host: "127.0.0.1", port, method, path, headers, agent: false, signal: timeout });
  request.on("error", reject);
  request.on("response", async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    });
  });
  request.end(body);
  return promise;
}

/** Sends bytes as they are and reads until the other side closes. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<Answer> {
  const socket = net.connect(port, "127.0.0.1");
  socket.setTimeout(answerMsMax, () => socket.destroy(new Error("no answer")));
  socket.write(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const [head = "", ...rest] = Buffer.concat(chunks).toString("utf8").split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

/** Opens a connection, sends bytes and leaves it open. */
export async function openConnection(port: number, bytes: string): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

/** The error of a JSON error answer; fails when the answer is anything else. */
export function errorOf(answer: Answer): { type: string; message: string } {
  expect(answer.headers["content-type"]).toBe("application/json");
  const { error, ...others } = JSON.parse(answer.body);
  expect(others).toEqual({});
  expect(answer.body).not.toMatch(/<|node_modules|\bat .*:\d+:\d+/);
  return error;
}
