// Runs the endpoints' contract on the memory twin.
// It must never need anything but this process.
import { memoryWebhookEndpoints } from "../../functions/adapters/memory/webhook-endpoints.ts";
import { webhookEndpointsContract } from "./webhook-endpoints-contract.ts";

webhookEndpointsContract(async () => ({ store: memoryWebhookEndpoints(), close: async () => {} }));
