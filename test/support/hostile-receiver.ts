// Receivers on loopback that behave as badly as a test wants, byte by byte.
// It must never listen on another address, and ends with every connection that it accepted.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Identity } from "./certificates.ts";

/** A running receiver. */
export type Receiver = {
  readonly port: number;
  /** Bytes that came in, of all connections together. */
  received(): string;
  /** Connections that are open now. */
  openConnections(): Promise<number>;
  close(): Promise<void>;
};

/** Calls back with each connection once the head of a request is there. */
export async function hostileReceiver(answer: (socket: Socket) => void, identity?: Identity): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let text = "";
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let head = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (head.includes("\r\n\r\n")) return;
      head += chunk.toString("latin1");
      if (head.includes("\r\n\r\n")) answer(socket);
    });
  };
  return await listening(
    identity === undefined
      ? createServer(accept)
      : createTlsServer({ key: identity.key, cert: identity.certificate }, accept),
    sockets,
    () => text,
  );
}

/** Calls back with each connection as soon as it is accepted, for those that never get as far as a request. */
export async function rudeReceiver(accept: (socket: Socket) => void): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.resume();
    accept(socket);
  });
  return await listening(server, sockets, () => "");
}

async function listening(server: Server, sockets: ReadonlySet<Socket>, received: () => string): Promise<Receiver> {
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    openConnections: async () =>
      await new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
