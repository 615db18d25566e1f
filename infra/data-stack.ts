/**
 * What holds state: the ledger, the documents, the secrets, the history of events and logs.
 * It must never contain something that is deployed every day: a slip there must not be able to take a store along.
 */
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { firestoreNames } from "../functions/config.ts";
import { AdoptedSecret } from "./constructs/adopted-secret.ts";
import { DocumentDatabase } from "./constructs/document-database.ts";
import { HistoryWarehouse } from "./constructs/history-warehouse.ts";
import { LedgerDatabase } from "./constructs/ledger-database.ts";
import { MemoryStore } from "./constructs/memory-store.ts";
import { SmtpSecret } from "./constructs/smtp-secret.ts";
import { type Settings, storeNames } from "./settings.ts";
import { stateBackend } from "./state-backend.ts";

/** The stores. */
export class DataStack extends TerraformStack {
  readonly ledger: LedgerDatabase;
  readonly documents: DocumentDatabase;
  /** The idempotency cache where it is Memorystore; else it is a collection of the documents. */
  readonly memoryStore: MemoryStore | undefined;
  readonly acquirerSecret: AdoptedSecret;
  /** Under which the signing secrets of webhook endpoints are encrypted. */
  readonly endpointSecretKey: AdoptedSecret;
  /** Under which the dashboard seals the sessions of its readers. */
  readonly dashboardSessionKey: AdoptedSecret;
  /** Undefined where no mail server is named. */
  readonly smtpSecret: SmtpSecret | undefined;
  /** What the sample shop keeps, and what its API key is made from; undefined where it is not deployed. */
  readonly shop: { readonly documents: DocumentDatabase; readonly keySeed: AdoptedSecret } | undefined;
  /** Events and log lines in BigQuery. */
  readonly warehouse: HistoryWarehouse;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    stateBackend(this, id, settings);
    new GoogleProvider(this, "google", { project: settings.projectId, region: settings.region });

    this.ledger = new LedgerDatabase(this, "ledger", settings);

    this.documents = new DocumentDatabase(this, "documents", settings)
      .expires(firestoreNames.idempotencyKeys)
      .withoutIndexes(firestoreNames.idempotencyKeys)
      .expires(firestoreNames.consumerMarkers)
      .withoutIndexes(firestoreNames.consumerMarkers)
      .expires(firestoreNames.mails)
      // Read by their names only, and their times only rise.
      .expires(firestoreNames.riskObservations)
      .withoutIndexes(firestoreNames.riskObservations)
      .expires(firestoreNames.riskFlags)
      // The page is large, and nobody looks for one by its words.
      .withoutIndexes(firestoreNames.invoices)
      .expires(firestoreNames.webhookChanges)
      .expires(firestoreNames.deadLetters)
      // A redrive lists thousands of letters, and each would be an entry of an index.
      .expires(firestoreNames.redrives)
      .withoutIndexes(firestoreNames.redrives);

    indexDeliveries(this.documents);

    this.memoryStore =
      settings.idempotencyCache === "memorystore" ? new MemoryStore(this, "memory-store", settings) : undefined;

    this.acquirerSecret = new AdoptedSecret(this, "acquirer-secret", settings);
    this.endpointSecretKey = new AdoptedSecret(this, "endpoint-secret-key", settings);
    this.dashboardSessionKey = new AdoptedSecret(this, "dashboard-session-key", settings);
    this.smtpSecret = settings.mailFrom === null ? undefined : new SmtpSecret(this, "smtp-secret", settings);

    this.shop = settings.hasSampleShop
      ? {
          documents: new DocumentDatabase(this, "shop-documents", settings, storeNames(settings).shopDatabase)
            .expires(firestoreNames.shopOrders)
            .withoutIndexes(firestoreNames.shopOrders)
            .expires(firestoreNames.shopSeenEvents),
          keySeed: new AdoptedSecret(this, "shop-key-seed", settings),
        }
      : undefined;

    this.warehouse = new HistoryWarehouse(this, "warehouse", settings);
  }
}

/**
 * Deliveries are found by the sweep's time in each shard, and listed by account, alone or with endpoint, state or event,
 * newest first and back. Nothing else asks for them, and their times only rise.
 */
function indexDeliveries(documents: DocumentDatabase): void {
  const deliveries = firestoreNames.webhookDeliveries;
  documents.expires(deliveries).withoutIndexes(deliveries);
  const up = "ASCENDING";
  documents.composite(deliveries, [
    ["sweepShard", up],
    ["sweepAtMs", up],
  ]);
  const filters = [[], ["endpointId"], ["state"], ["endpointId", "state"], ["eventId"]];
  for (const filter of filters) {
    const equal = ["accountId", ...filter].map((field) => [field, up] as const);
    for (const order of ["DESCENDING", up] as const)
      documents.composite(deliveries, [...equal, ["createdAtMs", order]]);
  }
}
