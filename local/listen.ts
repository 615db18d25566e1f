// Ports of loopback for the functions.
// It must never listen on an address that another machine can reach.

import { createServer, type Server } from "node:net";

/** Listens on the wanted port, or the next free one after it, or any when none is wanted; returns the port. */
export async function listenFrom(server: Server, wanted: number | undefined): Promise<number> {
  const candidates = wanted === undefined ? [] : Array.from({ length: TRIES }, (_unused, step) => wanted + step);
  for (const port of [...candidates.filter((candidate) => candidate <= LAST_PORT), 0]) {
    const listening = await listen(server, port);
    if (listening !== undefined) return listening;
  }
  throw new Error("there is no free port on 127.0.0.1");
}

/** A port that was free a moment ago, for a process that opens it itself. */
export async function freePortFrom(wanted: number | undefined): Promise<number> {
  const server = createServer();
  const port = await listenFrom(server, wanted);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Far enough for several laptops on one machine; after that any free port is as good. */
const TRIES = 20;

const LAST_PORT = 65_535;

function listen(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off("listening", onListening);
      // Taken, or reserved for the system: the next one may do.
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(undefined);
      else reject(error);
    };
    const onListening = () => {
      server.off("error", onError);
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : undefined);
    };
    server.once("error", onError).once("listening", onListening);
    server.listen(port, "127.0.0.1");
  });
}
