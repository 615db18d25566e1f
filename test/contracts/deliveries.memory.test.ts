// Runs the contract of deliveries on the memory twins.
// It must never need anything but this process.
import { memoryDeliveries, memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { deliveriesContract } from "./deliveries-contract.ts";

deliveriesContract(async () => ({
  ...{ deliveries: memoryDeliveries(), health: memoryEndpointHealth() },
  close: async () => {},
}));
