// A key that belongs to another attempt by now: whoever settles the old one late leaves the new one's answer alone.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { sweep } from "../support/completer.ts";
import { openWorld, payForm } from "../support/world.ts";
import { died } from "./crash-support.ts";

test("F16: a completer that seals after the key was reused writes no outcome under it, and names no request in its events", async () => {
  // given an attempt whose worker died, and whose key row was given to a later payment
  const world = await openWorld();
  const dying = world.startServer();
  dying.ports.acquirer.disturb("authorize", died("after"));
  void dying.post("/v1/payment_intents", payForm, { key: "K" });
  await world.clock.advance(0);
  const [old] = world.ledger.rows("attempts");
  const later = await world.post("/v1/payment_intents", payForm.replace("2000", "3000"), { key: "later" });
  const rows = world.ledger.rows("idempotency_keys");
  const [first, second] = [
    rows.find((row) => row.attemptId === old?.id),
    rows.find((row) => row.attemptId !== old?.id),
  ];
  if (first === undefined || second === undefined) throw new Error("there are not two key rows");
  const reused = { ...second, keyHash: first.keyHash, idempotencyKey: "K" };
  await world.ledger.transact("reuse", async (scope) =>
    scope.write([{ op: "update", table: "idempotency_keys", row: reused }]),
  );
  // when the completer settles the old attempt
  await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
  expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
  // then the old payment is booked, and the key still has the later one's answer
  expect(world.ledger.rows("charges").map((charge) => charge.amountMinor)).toEqual([3000n, 2000n]);
  expect(world.ledger.rows("idempotency_keys").find((row) => row.keyHash === first.keyHash)).toEqual(reused);
  const events = world.ledger.rows("events").filter((event) => event.objectId === old?.chargeId);
  expect(events.map(({ requestId, idempotencyKey }) => [requestId, idempotencyKey])).toEqual([["", null]]);
  expect(later.status).toBe(200);
});
