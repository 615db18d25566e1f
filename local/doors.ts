// One address on loopback per function, for whatever stands behind it.
// It must never answer for a function that is not there yet: such a request fails, and says so to people.

import type { Server } from "node:http";
import type { FunctionName } from "../functions/config.ts";
import { createFrontDoorServer } from "../functions/edge/install-front-door.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import { listenFrom } from "./listen.ts";
import type { Plan } from "./plan.ts";

/** Open doors. */
export type Doors = {
  /** Base URL of each function, without a trailing slash. */
  addresses: ReadonlyMap<FunctionName, string>;
  /** Puts a function behind its door. */
  lead(name: FunctionName, handler: WireHandler): void;
  /** Closes them with all their connections: nothing here outlives the process anyway. */
  close(): Promise<void>;
};

/** Opens them all; `port` is where payments-api should be, and right behind it the shop and the dashboard, which people open too. */
export async function openDoors(plan: Plan, port: number): Promise<Doors> {
  const handlers = new Map<FunctionName, WireHandler>();
  const servers: Server[] = [];
  const addresses = new Map<FunctionName, string>();
  for (const { name } of plan.functions) {
    const server = createFrontDoorServer(async (request) => await (handlers.get(name) ?? notYet)(request));
    servers.push(server);
    const wanted = { "payments-api": port, "sample-shop": port + 1, dashboard: port + 2 } as Partial<
      Record<FunctionName, number>
    >;
    const listening = await listenFrom(server, wanted[name]);
    addresses.set(name, `http://127.0.0.1:${listening}`);
  }
  return {
    addresses,
    lead: (name, handler) => void handlers.set(name, handler),
    close: async () => void (await Promise.all(servers.map(close))),
  };
}

const notYet: WireHandler = async () => {
  throw new Error("a request came before the functions were put together");
};

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
