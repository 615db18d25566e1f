// Runs the contract of the shop's orders on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreShopOrders } from "../../functions/adapters/firestore-shop-orders.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { shopOrdersContract } from "./shop-orders-contract.ts";

shopOrdersContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return { orders: firestoreShopOrders({ database, collection, deleteAfterField: "deleteAfter" }), close };
});
