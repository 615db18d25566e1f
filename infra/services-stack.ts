/**
 * What runs: one function per line of the design's table (design section 2), and what each of them may touch.
 * It must never hold state: everything in it can be destroyed and built again.
 */
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { environmentNames } from "../functions/config.ts";
import { readSecret, useDocuments, useLedger } from "./constructs/grants.ts";
import { PaymentFunction } from "./constructs/payment-function.ts";
import { SourceBucket } from "./constructs/source-bucket.ts";
import type { DataStack } from "./data-stack.ts";
import type { Settings } from "./settings.ts";
import { stateBackend } from "./state-backend.ts";

/** The functions. */
export class ServicesStack extends TerraformStack {
  constructor(scope: Construct, id: string, settings: Settings, data: DataStack) {
    super(scope, id);
    stateBackend(this, id);
    new GoogleProvider(this, "google", { project: settings.projectId, region: settings.region });

    const sources = new SourceBucket(this, "sources", settings);
    const shared = { settings, sources, secrets: { [environmentNames.acquirerSecret]: data.acquirerSecret } };
    const documents = {
      [environmentNames.project]: settings.projectId,
      [environmentNames.firestoreDatabase]: data.documents.database.name,
    };

    const acquirerUrl = settings.hasTestAcquirer
      ? new PaymentFunction(this, "test-acquirer", {
          ...shared,
          description: "A card network for tests, with a journal of every call.",
          ...LIGHT,
          instances: { min: 0, max: 5 },
          environment: documents,
          may: [useDocuments(data.documents), readSecret(data.acquirerSecret)],
        }).url
      : settings.acquirerUrl;

    new PaymentFunction(this, "payments-api", {
      ...shared,
      description: "The payments API: idempotency, payment intents, charges.",
      ...WAITING,
      instances: settings.instances,
      environment: {
        ...documents,
        [environmentNames.spannerInstance]: data.ledger.database.instance,
        [environmentNames.spannerDatabase]: data.ledger.database.name,
        [environmentNames.acquirerUrl]: acquirerUrl,
      },
      may: [useLedger(data.ledger), useDocuments(data.documents), readSecret(data.acquirerSecret)],
    });
  }
}

/**
 * For a function whose requests mostly wait for stores. One CPU carries 32 of them; the Spanner and Firestore clients
 * take 150 MB before the first request, so 256 MiB is too tight. The longest request waits 10 s for a twin and then for
 * the acquirer, well inside 60 s.
 */
const WAITING = { cpu: 1, memoryMiB: 512, concurrency: 32, timeoutSeconds: 60 };

/** For a function with one store and little to do. */
const LIGHT = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 60 };
