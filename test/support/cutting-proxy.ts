// A proxy on loopback that cuts a connection in the middle of an answer, as a lost network does.
// It must never change a byte that it passes on, nor cut without being told.
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";

/** A proxy before a server on loopback. */
export interface CuttingProxy {
  readonly port: number;
  /** Lets the next answer's first `bytes` bytes through and then resets the client's connection; once. */
  cutNextAnswerAfter(bytes: number): void;
  /** Ends the proxy and all its connections. */
  close(): void;
}

/** Opens a proxy before the server at `upstreamPort`. */
export async function openCuttingProxy(upstreamPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let bytesLeft: number | undefined;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = net.createServer((client) => {
    const upstream = net.connect(upstreamPort, "127.0.0.1");
    keep(client);
    keep(upstream);
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      if (bytesLeft === undefined) return void client.write(chunk);
      if (chunk.length <= bytesLeft) {
        bytesLeft -= chunk.length;
        return void client.write(chunk);
      }
      const last = chunk.subarray(0, bytesLeft);
      bytesLeft = undefined;
      // The server has answered and knows nothing of it; the client has at most the beginning.
      if (last.length === 0) client.resetAndDestroy();
      else client.write(last, () => client.resetAndDestroy());
      upstream.destroy();
    });
    upstream.on("close", () => client.end());
    client.on("close", () => upstream.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cutNextAnswerAfter: (bytes) => {
      bytesLeft = bytes;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
