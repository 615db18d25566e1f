// The budgets on the real clients and Google's emulators: every call that leaves the process is counted by a proxy.
// It must never count sessions or the look-up of an API key: those are not of every request.
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { openHeldApi } from "../support/held-api.ts";
import { openDisturbedSpanner } from "../support/spanner-through-proxy.ts";
import { describeRoundTrips } from "./round-trip-budgets.ts";

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
    const ledger = spanner.proxy.sequence().filter((method) => !/Session/.test(method));
    const trips = [
      ...ledger.map((method) => `ledger ${method}`),
      ...firestore.proxy.sequence().map((method) => `cache ${method}`),
    ];
    spanner.proxy.reset();
    firestore.proxy.reset();
    return trips;
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

const tables = [
  "idempotency_keys",
  "payment_intents",
  "attempts",
  "charges",
  "ledger_transactions",
  "events",
  "outbox",
] as const;
