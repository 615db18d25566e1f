/**
 * What everything else stands on: APIs, accounts, the account that builds, and the places for code and images.
 * It must never be deployed after another stack: each of its waits is there for them.
 */
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import type { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { TimeProvider } from "@cdktf/provider-time/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { memoryStoreApis, requiredApis } from "./apis.ts";
import { BuildAccount } from "./constructs/build-account.ts";
import { ImageRepository } from "./constructs/image-repository.ts";
import { ProjectApis } from "./constructs/project-apis.ts";
import { ServiceAccounts } from "./constructs/service-accounts.ts";
import { SourceBucket } from "./constructs/source-bucket.ts";
import type { Settings } from "./settings.ts";
import { stateBackend } from "./state-backend.ts";

/** The foundation. */
export class FoundationStack extends TerraformStack {
  readonly images: ImageRepository;
  readonly sources: SourceBucket;
  readonly build: BuildAccount;
  /** One account per function, and one for each caller that is not a function. */
  readonly accounts: {
    readonly paymentsApi: ServiceAccount;
    readonly ledgerWriter: ServiceAccount;
    /** Undefined where the test acquirer is not deployed. */
    readonly testAcquirer: ServiceAccount | undefined;
    /** Undefined where the sample shop is not deployed. */
    readonly sampleShop: ServiceAccount | undefined;
    /** As which Cloud Scheduler calls ledger-writer. */
    readonly ledgerSchedule: ServiceAccount;
    /** As which Cloud Tasks calls ledger-writer; whoever enqueues settlements may act as it, so it is not the schedule's. */
    readonly ledgerTasks: ServiceAccount;
    readonly notification: ConsumerAccounts;
    readonly invoice: ConsumerAccounts;
    readonly risk: ConsumerAccounts;
    readonly deadLetterRecorder: ConsumerAccounts;
    readonly dashboard: ServiceAccount;
    readonly webhookDispatcher: ServiceAccount;
    /** As which Pub/Sub, Cloud Tasks and Cloud Scheduler call webhook-dispatcher. */
    readonly webhookCaller: ServiceAccount;
  };

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    stateBackend(this, id, settings);
    new GoogleProvider(this, "google", { project: settings.projectId, region: settings.region });
    new TimeProvider(this, "time");

    const apis = new ProjectApis(this, "apis", settings, apisOf(settings));
    const after = [apis.areReady];

    this.images = new ImageRepository(this, "images", settings, after);
    this.sources = new SourceBucket(this, "sources", settings, after);

    const accounts = new ServiceAccounts(this, "accounts", settings, after);
    const builder = accounts.account("function-build", "Builds the functions");
    this.accounts = {
      paymentsApi: accounts.account("payments-api", "Runs payments-api"),
      ledgerWriter: accounts.account("ledger-writer", "Runs ledger-writer"),
      testAcquirer: settings.hasTestAcquirer ? accounts.account("test-acquirer", "Runs test-acquirer") : undefined,
      sampleShop: settings.hasSampleShop ? accounts.account("sample-shop", "Runs sample-shop") : undefined,
      ledgerSchedule: accounts.account("ledger-schedule", "Calls ledger-writer each minute"),
      ledgerTasks: accounts.account("ledger-tasks", "Calls ledger-writer when a settlement is due"),
      notification: consumerAccounts(accounts, "notification"),
      invoice: consumerAccounts(accounts, "invoice"),
      risk: consumerAccounts(accounts, "risk"),
      deadLetterRecorder: {
        runs: accounts.account("dead-letter-recorder", "Runs dead-letter-recorder"),
        calls: accounts.account("dead-letter-push", "Pushes dead letters to their recorder"),
      },
      dashboard: accounts.account("dashboard", "Runs dashboard"),
      webhookDispatcher: accounts.account("webhook-dispatcher", "Runs webhook-dispatcher"),
      webhookCaller: accounts.account("webhook-caller", "Calls webhook-dispatcher"),
    };

    this.build = new BuildAccount(this, "build", {
      settings,
      account: builder,
      images: this.images,
      after: [accounts.areKnown()],
    });
  }
}

/** Every API that the stage uses. */
function apisOf({ idempotencyCache }: Settings): readonly string[] {
  return idempotencyCache === "memorystore" ? [...requiredApis, ...memoryStoreApis] : requiredApis;
}

/** The two accounts of a function that Pub/Sub pushes to. */
export interface ConsumerAccounts {
  /** As which it runs. */
  readonly runs: ServiceAccount;
  /** As which Pub/Sub calls it. */
  readonly calls: ServiceAccount;
}

function consumerAccounts(accounts: ServiceAccounts, name: string): ConsumerAccounts {
  return {
    runs: accounts.account(name, `Runs ${name}`),
    calls: accounts.account(`${name}-push`, `Pushes events to ${name}`),
  };
}
