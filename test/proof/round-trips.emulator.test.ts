// The budgets on the real clients and Google's emulators: every call that leaves the process is counted by a proxy.
// It must never count sessions or the look-up of an API key: those are not of every request.
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import type { GrpcProxy } from "../support/grpc-proxy.ts";
import { openHeldApi } from "../support/held-api.ts";
import { openDisturbedSpanner } from "../support/spanner-through-proxy.ts";
import { describeRoundTrips, type StoreCall } from "./round-trip-budgets.ts";

describeRoundTrips("counted on the wire", async () => {
  const [spanner, firestore] = await Promise.all([openDisturbedSpanner(), openEmulatedFirestore()]);
  const { database, collection } = firestore;
  const api = await openHeldApi({
    ledger: spannerLedger(spanner.spanner),
    cache: firestoreIdempotencyCache({ database, collection, deleteAfterField: "deleteAfter" }),
    // Past the proxy: nothing of it is counted.
    accounts: spannerAccounts(spanner.direct),
  });
  const take = () => {
    const calls = [...called("ledger", spanner.proxy), ...called("cache", firestore.proxy)];
    spanner.proxy.reset();
    firestore.proxy.reset();
    return calls.toSorted((one, other) => one.began - other.began);
  };
  const snapshot = async (key: string) => {
    const document = await database
      .collection(collection)
      .doc(keyIdentity(api.accountId, false, key))
      .get();
    const rows = await Promise.all(tables.map((table) => spanner.direct.rows(table)));
    return { fields: document.data(), updateTime: document.updateTime, rows };
  };
  const close = async () => {
    await api.close();
    await Promise.all([spanner.close(), firestore.close()]);
  };
  return { ...api, take, snapshot, close };
});

/** The calls of one store, without its sessions. */
function called(store: string, proxy: GrpcProxy): StoreCall[] {
  const calls = proxy.calls().filter(({ method }) => !/Session/.test(method));
  return calls.map(({ method, beganMs, endedMs }) => ({ name: `${store} ${method}`, began: beganMs, ended: endedMs }));
}

const tables = [
  "idempotency_keys",
  "payment_intents",
  "attempts",
  "charges",
  "ledger_transactions",
  "events",
  "outbox",
] as const;
