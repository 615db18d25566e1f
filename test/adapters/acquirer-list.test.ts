// Shows what the HTTP acquirer makes of the list of orders: every page as the acquirer gave it, and nothing from a bad answer.
// It must never reach beyond loopback, and every server that it starts is ended.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { httpAcquirer } from "../../functions/adapters/acquirer.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { frontDoor } from "../../functions/edge/front-door.ts";
import { testAcquirer } from "../../functions/edge/test-acquirer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { ListedLine } from "../../functions/flows/reconciliation-ports.ts";
import { manualClock } from "../support/manual-clock.ts";

const beginMs = Date.UTC(2026, 0, 15, 12);
const window = { fromMs: beginMs, beforeMs: beginMs + 1_000 };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

async function acquirerOver(listener: RequestListener) {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return httpAcquirer({ baseUrl: `http://127.0.0.1:${port}`, secret: "s3cret", timeoutMs: 60_000 });
}

test("orders of every kind and end arrive as the acquirer knows them, over all pages", async () => {
  const [journal, clock] = [memoryAcquirerJournal(), manualClock(beginMs)];
  const ports = { journal, clock, log: () => {} };
  const network = networkOver(ports);
  const money = { amountMinor: 900_719_925_474_099n, currency: "jpy" } as const;
  const more = { captureLater: true, challengeReturnUrl: null, authentication: null };
  for (const [key, paymentMethodToken] of [
    ["att_held", "pm_card_visa"],
    ["att_declined", "pm_card_chargeDeclined"],
    ["att_asked", "pm_card_authenticationRequired"],
    ["att_debit", "pm_usBankAccount_success"],
  ] as const) {
    const challengeReturnUrl = "https://payments-api.example/back";
    await network.authorize({ key, ...money, paymentMethodToken, ...more, challengeReturnUrl });
    await clock.advance(1);
  }
  await network.void({ key: "att_void", reference: "auth_att_held", ...money });
  const acquirer = await acquirerOver(frontDoor(testAcquirer({ ...ports, secret: "s3cret" })));

  const seen: ListedLine[] = [];
  let cursor: string | null = null;
  do {
    const page = await acquirer.list(window, cursor, 2);
    seen.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);

  const expected = await network.list(window, null, 100);
  expect(seen).toStrictEqual(expected.rows);
  expect(seen.map(({ order }) => order.key)).toEqual([
    "att_held",
    "att_declined",
    "att_asked",
    "att_debit",
    "att_void",
  ]);
});

describe("an answer that cannot be read is silence, not an empty list", () => {
  const row = { key: "att_1", kind: "authorize", amount_minor: "1", currency: "usd", created_at_ms: 1, state: "none" };
  test.each<[string, unknown]>([
    ["no list", { next: null }],
    ["no end", { data: [] }],
    ["an end of another type", { data: [], next: 7 }],
    ["a row that is none", { data: [null], next: null }],
    ["an unknown kind", { data: [{ ...row, kind: "payout" }], next: null }],
    ["an amount that is a number", { data: [{ ...row, amount_minor: 1 }], next: null }],
    ["a currency that nobody knows", { data: [{ ...row, currency: "xxx" }], next: null }],
    ["a time that is none", { data: [{ ...row, created_at_ms: "1" }], next: null }],
    ["an unknown state", { data: [{ ...row, state: "lost" }], next: null }],
  ])("%s", async (_what, body) => {
    const acquirer = await acquirerOver((_request, response) => void response.end(JSON.stringify(body)));
    await expect(acquirer.list(window, null, 100)).rejects.toMatchObject({ code: "acquirer_unknown" });
  });
});
