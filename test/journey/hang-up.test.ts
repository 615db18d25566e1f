// F10: a client hangs up in the middle. The work goes on to its end, and the retry replays.
import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { door } from "../proof/crash-support.ts";
import { apiKeys, countRows, openWorld, payForm } from "../support/world.ts";

test("F10: a client that hangs up after the ledger's commit cancels neither the result nor the release", async () => {
  // given a server whose result write is held back, and a client that sends its order
  const world = await openWorld();
  const pause = door();
  world.ports.cache.disturb("replace", { at: "before", act: "wait", until: pause.opened });
  const server = createFrontDoorServer(world.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sent = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/v1/payment_intents",
    headers: {
      authorization: `Bearer ${apiKeys.first}`,
      "content-type": "application/x-www-form-urlencoded",
      "idempotency-key": "hang-up",
    },
  });
  sent.on("error", () => {});
  sent.end(payForm);
  // when the ledger has committed, and the client destroys its socket
  while (!world.ports.cache.calls.includes("replace")) await new Promise((resolve) => setImmediate(resolve));
  expect(countRows(world).charges).toBe(1);
  const closed = new Promise((resolve) => void sent.once("close", resolve));
  sent.destroy();
  await closed;
  pause.open();
  while (![...world.cache.records().values()].some((kept) => kept.record.state === "completed")) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  // then the retry gets the stored answer
  const retry = await world.post("/v1/payment_intents", payForm, { key: "hang-up" });
  expect([retry.status, retry.headers["Idempotent-Replayed"], retry.json.status]).toEqual([200, "true", "succeeded"]);
  expect(countRows(world).charges).toBe(1);
  server.close();
  server.closeAllConnections();
});
