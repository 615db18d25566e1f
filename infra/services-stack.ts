/**
 * What runs: one function per line of the design's table (design section 2), and what each of them may touch.
 * It must never hold state: everything in it can be destroyed and built again.
 */
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { environmentNames } from "../functions/config.ts";
import { cacheAccess } from "./cache-access.ts";
import { publishTo } from "./constructs/event-topic.ts";
import { FunctionCaller } from "./constructs/function-caller.ts";
import { readSecret, useDocuments, useLedger } from "./constructs/grants.ts";
import { invoke, PaymentFunction } from "./constructs/payment-function.ts";
import { Schedule } from "./constructs/schedule.ts";
import { consumerServices } from "./consumer-services.ts";
import type { DataStack } from "./data-stack.ts";
import type { FoundationStack } from "./foundation-stack.ts";
import { ledgerJobs } from "./ledger-jobs.ts";
import { merchantDashboard } from "./merchant-dashboard.ts";
import type { MessagingStack } from "./messaging-stack.ts";
import { sampleShop } from "./sample-shop.ts";
import type { Settings } from "./settings.ts";
import { settlementsOf } from "./settlements.ts";
import { stateBackend } from "./state-backend.ts";
import { webhookServices } from "./webhook-services.ts";

/** The functions, and what calls them. */
export class ServicesStack extends TerraformStack {
  constructor(scope: Construct, id: string, settings: Settings, stacks: Below) {
    super(scope, id);
    stateBackend(this, id, settings);
    new GoogleProvider(this, "google", { project: settings.projectId, region: settings.region });

    const { foundation, data, messaging } = stacks;
    const { accounts } = foundation;
    const shared = { settings, foundation, secrets: { [environmentNames.acquirerSecret]: data.acquirerSecret } };
    const project = { [environmentNames.project]: settings.projectId };
    const documents = { [environmentNames.firestoreDatabase]: data.documents.database.name };
    const ledger = {
      [environmentNames.spannerInstance]: data.ledger.database.instance,
      [environmentNames.spannerDatabase]: data.ledger.database.name,
    };
    const events = { [environmentNames.eventsTopic]: messaging.events.topic.id };

    const testAcquirer =
      accounts.testAcquirer &&
      new PaymentFunction(this, "test-acquirer", {
        ...shared,
        account: accounts.testAcquirer,
        description: "A card network for tests, with a journal of every call.",
        ...LIGHT,
        instances: { min: 0, max: 5 },
        // A function of the same project does not count as internal, so it stands open to whoever may invoke it.
        reachedFrom: "anywhere",
        isPublic: settings.isPublic,
        environment: { ...project, ...documents },
        may: [useDocuments(data.documents), readSecret(data.acquirerSecret)],
      });
    const acquirer = acquirerOf(settings, testAcquirer);
    const settlements = settlementsOf(stacks);
    const webhooks = webhookServices(this, settings, stacks);

    const ledgerWriter = new PaymentFunction(this, "ledger-writer", {
      ...shared,
      account: accounts.ledgerWriter,
      description: "Completes what a worker of payments-api left unfinished.",
      ...SWEEPING,
      reachedFrom: "platform",
      isPublic: false,
      environment: {
        ...project,
        ...ledger,
        ...events,
        ...acquirer.environment,
        ...settings.ledgerTerms,
        ...settlements.environment,
        ...webhooks.asking.environment,
        [environmentNames.callerAccount]: accounts.ledgerSchedule.email,
      },
      may: [
        useLedger(data.ledger),
        publishTo(messaging.events),
        readSecret(data.acquirerSecret),
        ...acquirer.mayBeCalled,
        settlements.mayBeEnqueued,
        ...webhooks.asking.may,
      ],
    });
    new FunctionCaller(this, "ledger-tasks", {
      settings,
      account: accounts.ledgerTasks,
      service: ledgerWriter.service,
      products: ["cloudtasks"],
    });
    const cache = cacheAccess(data.memoryStore);

    const paymentsApi = new PaymentFunction(this, "payments-api", {
      ...shared,
      account: accounts.paymentsApi,
      description: "The payments API: idempotency, payment intents, charges.",
      secrets: { ...shared.secrets, [environmentNames.endpointSecretKey]: data.endpointSecretKey, ...cache.secrets },
      connector: data.memoryStore?.connector,
      ...WAITING,
      instances: settings.instances,
      reachedFrom: "anywhere",
      isPublic: settings.isPublic,
      environment: {
        ...project,
        ...documents,
        ...cache.environment,
        ...ledger,
        ...events,
        ...acquirer.environment,
        ...settings.ledgerTerms,
        // Plain http only where no real event is sent.
        [environmentNames.webhookHttpAllowed]: String(settings.stage === "dev"),
        ...(settings.stage === "prod" ? {} : { [environmentNames.crashTour]: settings.stage }),
        ...settlements.environment,
        [environmentNames.settlementsTarget]: ledgerWriter.url,
        ...webhooks.waking.environment,
        [environmentNames.rateLimitPerSecond]: String(settings.rateLimit.perSecond),
        [environmentNames.rateLimitBurst]: String(settings.rateLimit.burst),
      },
      may: [
        useLedger(data.ledger),
        useDocuments(data.documents),
        publishTo(messaging.events),
        readSecret(data.acquirerSecret),
        readSecret(data.endpointSecretKey),
        ...cache.may,
        ...acquirer.mayBeCalled,
        settlements.mayBeEnqueued,
        ...webhooks.waking.may,
      ],
    });

    const schedule = {
      settings,
      calls: ledgerWriter,
      as: new FunctionCaller(this, "ledger-schedule", {
        settings,
        account: accounts.ledgerSchedule,
        service: ledgerWriter.service,
        products: ["cloudscheduler"],
      }),
      deadlineSeconds: SWEEPING.timeoutSeconds,
    };
    new Schedule(this, "complete-attempts", {
      ...schedule,
      description: "Settles payments whose worker died.",
      // An attempt is overdue 40 s after it began, so a client that died is answered for within two minutes.
      every: "* * * * *",
      path: "/complete",
    });
    new Schedule(this, "relay-outbox", {
      ...schedule,
      description: "Publishes events that their worker did not.",
      // It takes what is older than a minute, so an event that was left behind is two minutes late at most.
      every: "* * * * *",
      path: "/relay",
    });
    new Schedule(this, "expire-holds", {
      ...schedule,
      description: "Cancels what was authorized seven days ago and never captured.",
      every: "*/15 * * * *",
      path: "/expire",
    });
    new Schedule(this, "seal-ledger", {
      ...schedule,
      description: "Seals the bookings since the last seal, and tells the root to the logs.",
      // Until it is sealed a booking could be changed unseen; five minutes cost a few cents a month.
      every: "*/5 * * * *",
      path: "/seal",
    });
    new Schedule(this, "move-checkpoints", {
      ...schedule,
      description: "Sums up what was booked, so that a balance is quick to read.",
      // A balance adds up the bookings since: five minutes of them, not those of a year. Not in the sealing's minute.
      every: "2-59/5 * * * *",
      path: "/checkpoint",
    });
    new Schedule(this, "verify-ledger", {
      ...schedule,
      description: "Verifies that the books balance, agree with payments and balances, and are what was sealed.",
      // Once a day, between the busy hours of most of the world; it reads a snapshot and holds nothing up.
      every: "23 3 * * *",
      path: "/verify",
    });
    ledgerJobs(this, schedule);

    consumerServices(this, settings, stacks);
    sampleShop(this, { settings, ...stacks, paymentsApi });
    merchantDashboard(this, { settings, ...stacks, paymentsApi });

    new TerraformOutput(this, "payments-api-url", { value: paymentsApi.url });
  }
}

/** The stacks that this one is deployed after. */
export interface Below {
  readonly foundation: FoundationStack;
  readonly data: DataStack;
  readonly messaging: MessagingStack;
}

/**
 * Where the acquirer is. A test acquirer that is closed to the world asks its callers for an identity token beside the
 * secret: the variable makes them send one, the grant makes it count.
 */
function acquirerOf(settings: Settings, testAcquirer: PaymentFunction | undefined) {
  const { acquirerUrl, acquirerAudience } = environmentNames;
  if (testAcquirer === undefined) return { environment: { [acquirerUrl]: settings.acquirerUrl }, mayBeCalled: [] };
  const { url } = testAcquirer;
  if (settings.isPublic) return { environment: { [acquirerUrl]: url }, mayBeCalled: [] };
  return {
    environment: { [acquirerUrl]: url, [acquirerAudience]: url },
    mayBeCalled: [invoke(testAcquirer, settings)],
  };
}

/**
 * For a function whose requests mostly wait for stores. One CPU carries 32 of them; the Spanner and Firestore clients
 * take 150 MB before the first request, so 256 MiB is too tight. The longest request waits 10 s for a twin and then for
 * the acquirer, well inside 60 s.
 */
const WAITING = { cpu: 1, memoryMiB: 512, concurrency: 32, timeoutSeconds: 60 };

/** For a function with one store and little to do. */
const LIGHT = { cpu: 1, memoryMiB: 512, concurrency: 16, timeoutSeconds: 60 };

/**
 * For a function that sweeps: 20 attempts of at most 10 s are 200 s, and 240 leave room for the commits. One sweep begins
 * each minute and takes attempts of its own, so at most four run at once; the relay ends before its next run, and the queue of
 * settlements has 20 calls in flight. Three instances with ten each hold them all.
 */
const SWEEPING = { cpu: 1, memoryMiB: 512, concurrency: 10, timeoutSeconds: 240, instances: { min: 0, max: 3 } };
