// Runs the contract of deliveries on the real client library against Google's Firestore emulator, and loses replies.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreDeliveries, firestoreEndpointHealth } from "../../functions/adapters/firestore-deliveries.ts";
import { newDelivery, withResend } from "../../functions/domain/delivery-record.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { deliveriesContract } from "./deliveries-contract.ts";

deliveriesContract(async () => {
  const firestore = await openEmulatedFirestore();
  return {
    ...{ deliveries: firestoreDeliveries(over(firestore)), health: firestoreEndpointHealth(over(firestore)) },
    close: firestore.close,
  };
});

test("an attempt's calls are one each, and a replacement whose reply was lost is known again", async () => {
  const firestore = await openEmulatedFirestore();
  const store = firestoreDeliveries(over(firestore));
  const about = { accountId: "acct_1", endpointId: "we_1", eventId: "evt_1", eventType: "t", body: Buffer.from("{}") };
  const delivery = newDelivery(about, 1_768_478_400_000);
  await store.create(delivery);
  const found = await store.read(delivery.id);
  expect(firestore.proxy.sequence()).toEqual(["Commit", "BatchGetDocuments"]);

  firestore.proxy.fault({ method: "Commit", nth: 1, when: "after", status: UNAVAILABLE });
  const replaced = await store.replace(found?.version ?? "", withResend(delivery, "rs_1", 1));

  expect(replaced.kind).toBe("replaced");
  expect((await store.read(delivery.id))?.version).toBe(replaced.kind === "replaced" && replaced.version);
  await firestore.close();
});

/** The gRPC code that the client repeats by itself. */
const UNAVAILABLE = 14;

function over({ database, collection }: EmulatedFirestore) {
  const names = {
    webhookDeliveries: `${collection}-deliveries`,
    webhookHealth: `${collection}-health`,
    deleteAfter: "deleteAfter",
  };
  return { database, names };
}
