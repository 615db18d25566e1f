/**
 * The sample shop as a function: a merchant outside the platform, with a database and an API key of its own.
 * It must never be given a store or a secret of the platform's, nor be deployed where real money moves.
 */
import { TerraformOutput } from "cdktf";
import type { Construct } from "constructs";
import { environmentNames } from "../functions/config.ts";
import { readSecret, useDocuments } from "./constructs/grants.ts";
import { invoke, PaymentFunction } from "./constructs/payment-function.ts";
import type { DataStack } from "./data-stack.ts";
import type { FoundationStack } from "./foundation-stack.ts";
import type { Settings } from "./settings.ts";

/** What the shop stands on, and where it pays. */
export interface AroundTheShop {
  readonly settings: Settings;
  readonly foundation: FoundationStack;
  readonly data: DataStack;
  readonly paymentsApi: PaymentFunction;
}

/** Adds the function where the stage has one. A payments API that is closed to the world lets it in with a token. */
export function sampleShop(scope: Construct, { settings, foundation, data, paymentsApi }: AroundTheShop): void {
  const { sampleShop: account } = foundation.accounts;
  if (account === undefined || data.shop === undefined) return;
  const { documents, keySeed } = data.shop;
  const { project, firestoreDatabase, paymentsUrl, paymentsAudience, shopKeySeed } = environmentNames;
  const shop = new PaymentFunction(scope, "sample-shop", {
    settings,
    foundation,
    account,
    description: "A merchant for demonstrations: orders that are placed and paid once.",
    ...SHOP_SIZE,
    reachedFrom: "anywhere",
    isPublic: settings.isPublic,
    environment: {
      [project]: settings.projectId,
      [firestoreDatabase]: documents.database.name,
      [paymentsUrl]: paymentsApi.url,
      ...(settings.isPublic ? {} : { [paymentsAudience]: paymentsApi.url }),
    },
    secrets: { [shopKeySeed]: keySeed },
    may: [useDocuments(documents), readSecret(keySeed), ...(settings.isPublic ? [] : [invoke(paymentsApi, settings)])],
  });
  new TerraformOutput(scope, "sample-shop-url", { value: shop.url });
}

/** A request waits for the payments API, three times 15 s at most; few people buy from a demonstration at once. */
const SHOP_SIZE = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 60, instances: { min: 0, max: 3 } };
