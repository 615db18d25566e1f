// Lists of refunds and what they cost: a payment's rows are read once, however many refunds it has.
import { listRefunds } from "../../functions/flows/read-refunds.ts";
import { intercept } from "../support/interception.ts";
import { openWorld, payForm } from "../support/world.ts";

const everything = { limit: 100, intentId: null, chargeId: null, createdFromMs: null, createdBeforeMs: null };

test("a page of refunds reads each payment once", async () => {
  // given three refunds of one payment and one of another
  const world = await openWorld();
  const [first, second] = [
    await world.post("/v1/payment_intents", payForm),
    await world.post("/v1/payment_intents", payForm),
  ];
  for (const { json } of [first, first, first, second]) {
    await world.post("/v1/refunds", `payment_intent=${json.id}&amount=100`);
  }
  // when
  const ledger = intercept(world.ledger);
  const page = await listRefunds(
    { ledger: ledger.port, clock: world.clock },
    { ...everything, accountId: "acct_first", startingAfter: null, endingBefore: null, withBooks: false },
  );
  // then
  expect(page.views.map(({ intent }) => intent.id).sort()).toEqual(
    [first, first, first, second].map(({ json }) => json.id).sort(),
  );
  expect(ledger.calls.sort()).toEqual(["listRefunds", "read", "read"]);
});
