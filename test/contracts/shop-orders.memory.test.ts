// Runs the contract of the shop's orders on the memory twin.
// It must never need anything but this process.
import { memoryShopOrders } from "../../functions/adapters/memory/shop-orders.ts";
import { shopOrdersContract } from "./shop-orders-contract.ts";

shopOrdersContract(async () => ({ orders: memoryShopOrders(), close: async () => {} }));
