// A door before the test acquirer: it passes calls on, or keeps them waiting until the test lets them go.
// It must never answer by itself, nor change a byte of a call.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A door in front of an acquirer. */
export type AcquirerDoor = {
  readonly baseUrl: string;
  /** From now on calls wait; the acquirer has not seen them. */
  shut(): void;
  /** Resolves once `count` calls wait at the door together. */
  waiting(count: number): Promise<void>;
  /** Lets the first of the waiting calls through; the door stays shut. */
  passOne(): void;
  close(): Promise<void>;
};

/** Opens a door on a free port of loopback; calls go to `target`, a base URL. */
export async function openAcquirerDoor(target: string): Promise<AcquirerDoor> {
  const queue: (() => void)[] = [];
  const watchers: { count: number; resolve: () => void }[] = [];
  let isShut = false;
  const server = createServer((request, response) => {
    const waited = isShut ? new Promise<void>((resolve) => queue.push(resolve)) : Promise.resolve();
    for (const { count, resolve } of watchers) if (queue.length >= count) resolve();
    // A caller that died meanwhile has nobody left to answer.
    passOn(target, request, response, waited).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut: () => {
      isShut = true;
    },
    waiting: (count) =>
      queue.length >= count ? Promise.resolve() : new Promise((resolve) => watchers.push({ count, resolve })),
    passOne: () => queue.shift()?.(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function passOn(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  waited: Promise<void>,
): Promise<void> {
  const body = await buffer(request);
  await waited;
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? "GET",
    headers: {
      Authorization: request.headers.authorization ?? "",
      "Content-Type": request.headers["content-type"] ?? "",
    },
    body,
  });
  response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" });
  response.end(Buffer.from(await answer.arrayBuffer()));
}
