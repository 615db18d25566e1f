// The acquirer's contract on the test network over HTTP, with its journal in memory.
// It must never count an effect but in that journal.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpAcquirer } from "../../functions/adapters/acquirer.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { systemClock } from "../../functions/adapters/system.ts";
import { frontDoor } from "../../functions/edge/front-door.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import { acquirerContract } from "./acquirer-contract.ts";

acquirerContract("the test network", { approved: "pm_card_visa", declined: "pm_card_chargeDeclined" }, async () => {
  const journal = memoryAcquirerJournal();
  const handler = testAcquirer({
    journal,
    secret: "s3cret",
    clock: systemClock,
    log: () => {},
  });
  let isLost = false;
  const server = createServer(
    frontDoor(async (request) => {
      const answer = await handler(request);
      return isLost ? { ...answer, status: 504 } : answer;
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    acquirer: httpAcquirer({ baseUrl, secret: "s3cret", timeoutMs: 60_000 }),
    authorizations: async () => {
      const lines = await journal.list(100);
      return lines.filter(({ kind, result }) => kind === "authorize" && result.kind === "approved").length;
    },
    loseAnswers: (lost) => {
      isLost = lost;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
});
