// Runs the endpoints' contract on the real client library against Google's Firestore emulator, and counts its calls.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreWebhookEndpoints } from "../../functions/adapters/firestore-webhook-endpoints.ts";
import { type EmulatedFirestore, openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { anEndpoint, webhookEndpointsContract } from "./webhook-endpoints-contract.ts";

webhookEndpointsContract(async () => {
  const firestore = await openEmulatedFirestore();
  return { store: storeOver(firestore), close: firestore.close };
});

test("a read costs one call, or two where there are endpoints, and a commit one", async () => {
  const firestore = await openEmulatedFirestore();
  const store = storeOver(firestore);
  const endpoint = anEndpoint({});
  const { accountId } = endpoint;
  const change = { id: "wc_1", outcome: { status: 200, body: new Uint8Array(3) }, createdAtMs: 1 };

  await store.read(accountId, "wc_1");
  await store.commit({ accountId, version: null, write: { op: "create", endpoint }, change });
  await store.read(accountId, "wc_1");

  expect(firestore.proxy.sequence()).toEqual(["BatchGetDocuments", "Commit", "BatchGetDocuments", "BatchGetDocuments"]);
  await firestore.close();
});

function storeOver({ database, collection }: EmulatedFirestore) {
  const names = {
    webhookAccounts: `${collection}-accounts`,
    webhookEndpoints: `${collection}-endpoints`,
    webhookChanges: `${collection}-changes`,
    deleteAfter: "deleteAfter",
  };
  return firestoreWebhookEndpoints({ database, names });
}
