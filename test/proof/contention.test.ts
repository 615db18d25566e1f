// Payments of one merchant never meet in a row: not two hundred of them at once, and not beside a checkpoint of their balance.
// It must never take the absence of errors for it: what each payment read and wrote is compared.
import { systemRandom } from "../../functions/adapters/system.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { checkpointBalances } from "../../functions/flows/checkpoint-balances.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import { chargeRow, insertOf } from "../support/ledger-rows.ts";
import { sharedRows, touching } from "../support/touched-rows.ts";
import { clientOf, openWorld, payForm, webhookPorts } from "../support/world.ts";

/** Pays so many times at once, each by a server of its own, and gives part of every fourth back; the rows that each touched. */
async function payAtOnce(count: number, bend: (ledger: Ledger) => Ledger = (ledger) => ledger) {
  const world = await openWorld();
  const { accounts, balances, stories, cache, clock, ledger, ports } = world;
  await ledger.insert("row of the merchant", [insertOf("charges", chargeRow({ id: "ch_merchant" }))]);
  const machine = { clock, random: systemRandom, log: () => {} };
  const outside = { acquirer: ports.acquirer.port, webhooks: webhookPorts() };
  const shared = { ...machine, accounts, balances, stories, cache, ...outside };
  const payments = Array.from({ length: count }, async (_, index) => {
    const noting = touching(ledger);
    const { post } = clientOf(paymentsApi({ ...shared, ledger: bend(noting.ledger) }));
    const paid = await post("/v1/payment_intents", payForm, { key: `pay ${index}` });
    const statuses = [paid.status];
    if (index % 4 === 0) {
      const form = `payment_intent=${paid.json.id}&amount=500`;
      statuses.push((await post("/v1/refunds", form, { key: `refund ${index}` })).status);
    }
    return { statuses, touched: noting.touched };
  });
  const summing = checkpointBalances({ ...machine, ledger, balances });
  const done = await Promise.all(payments);
  await summing;
  const { pending } = (await world.get("/v1/balance")).json;
  return { done, pending, conflicts: ledger.conflicts(), shared: sharedRows(done.map(({ touched }) => touched)) };
}

test("200 payments of one merchant at once, some with a refund, touch no row together and none has to run again", async () => {
  const { done, pending, conflicts, shared } = await payAtOnce(200);
  expect(new Set(done.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
  expect({ conflicts, shared }).toEqual({ conflicts: 0, shared: [] });
  expect(Math.min(...done.map(({ touched }) => touched.size))).toBeGreaterThan(10);
  expect(pending).toMatchObject([{ amount: 200 * 1_912 - 50 * 500, currency: "usd" }]);
});

test("a row of the merchant that each booking reads and writes is noticed in both ways", async () => {
  const { conflicts, shared } = await payAtOnce(4, (ledger) => ({
    ...ledger,
    transact: async (tag, body) =>
      await ledger.transact(tag, async (scope) => {
        const { charges: row } = await scope.read({ charges: "ch_merchant" });
        if (row !== undefined)
          scope.write([{ op: "update", table: "charges", row: { ...row, version: row.version + 1 } }]);
        return await body(scope);
      }),
  }));
  expect(conflicts).toBeGreaterThan(0);
  expect(shared).toEqual(["charges/ch_merchant"]);
});
