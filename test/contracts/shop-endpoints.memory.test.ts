// Runs the contract of the shop's webhook endpoint on the memory twin.
// It must never need anything but this process.
import { memoryShopEndpoints } from "../../functions/adapters/memory/shop-endpoints.ts";
import { shopEndpointsContract } from "./shop-endpoints-contract.ts";

shopEndpointsContract(async () => ({ endpoints: memoryShopEndpoints(), close: async () => {} }));
