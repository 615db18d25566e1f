// Runs the contract of the shop's webhook endpoint on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreShopEndpoints } from "../../functions/adapters/firestore-shop-endpoints.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { shopEndpointsContract } from "./shop-endpoints-contract.ts";

let emulated: EmulatedFirestore;

shopEndpointsContract(async () => {
  emulated = await openEmulatedFirestore();
  const { database, collection, close } = emulated;
  const box = aesSecretBox("0123456789abcdef".repeat(4));
  return { endpoints: firestoreShopEndpoints({ database, collection, box }), close };
});

test("the secret stands in no document as it is", async () => {
  const { docs } = await emulated.database.collection(emulated.collection).get();

  expect(docs).toHaveLength(1);
  expect(JSON.stringify(docs[0]?.data())).not.toContain("whsec_");
});
