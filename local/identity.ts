// Binds ports to a function's own service account: every call is checked against the grants of the synthesized plan.
// It must never let a call through whose grant is missing: it would be refused in the cloud, so it is refused here.

import type { CreateTaskRequest } from "../functions/adapters/cloud-tasks.ts";
import type { AcquirerJournal } from "../functions/flows/acquirer-ports.ts";
import type { Balances } from "../functions/flows/balance-ports.ts";
import type { Outbox, Publisher } from "../functions/flows/bus-ports.ts";
import type { ConsumerStore } from "../functions/flows/consumer-ports.ts";
import type { DeadLetters } from "../functions/flows/dead-letter-ports.ts";
import type { Mailer } from "../functions/flows/mail-ports.ts";
import type { OperatorStore } from "../functions/flows/operator-ports.ts";
import type { Accounts, IdempotencyCache, Ledger, LedgerTransactionScope } from "../functions/flows/ports.ts";
import type { ReconciliationStore } from "../functions/flows/reconciliation-ports.ts";
import type { Observations } from "../functions/flows/risk-ports.ts";
import type { LedgerSeals } from "../functions/flows/seal-ports.ts";
import type { Stories } from "../functions/flows/story-ports.ts";
import type { WebhookEndpoints } from "../functions/flows/webhook-endpoint-ports.ts";
import type { Bus } from "./bus.ts";
import { guarded, type Must } from "./guarded-call.ts";
import { type HistoryIdentity, historyIdentity } from "./history-identity.ts";
import { documentsOf, ledgerOf, type PlannedFunction, topicOf } from "./plan.ts";
import { reachedByConnector, usesRedis } from "./planned-redis.ts";
import type { Rights } from "./rights.ts";
import { type ShopIdentity, shopIdentity } from "./shop-identity.ts";
import { type TaskService, taskRefusal } from "./task-service.ts";

/** A function's rights. */
export type Identity = ShopIdentity &
  HistoryIdentity & {
    /** Takes a task for a queue and gives its full name; throws what Cloud Tasks' client throws. */
    tasks(service: TaskService): (request: CreateTaskRequest) => string;
    ledger(ledger: Ledger): Ledger;
    seals(seals: LedgerSeals): LedgerSeals;
    balances(balances: Balances): Balances;
    stories(stories: Stories): Stories;
    reconciliation(store: ReconciliationStore): ReconciliationStore;
    operators(operators: OperatorStore): OperatorStore;
    outbox(outbox: Outbox): Outbox;
    /** Publishes on the topic that the function's environment names. */
    publisher(bus: Bus): Publisher;
    /** Publishes on any topic (full name) that the function may publish on; gives the messages' ids. */
    publish(bus: Bus): Bus["publish"];
    accounts(accounts: Accounts): Accounts;
    cache(cache: IdempotencyCache): IdempotencyCache;
    journal(journal: AcquirerJournal): AcquirerJournal;
    consumers(store: ConsumerStore): ConsumerStore;
    mailbox(mailbox: Mailer): Mailer;
    observations(observations: Observations): Observations;
    webhookEndpoints(endpoints: WebhookEndpoints): WebhookEndpoints;
    deadLetters(letters: DeadLetters): DeadLetters;
    /** Throws unless the function may do all of that to documents; `guarded` puts it before a call. */
    inDocuments(...permissions: string[]): void;
    /** Throws unless the function may read every secret that it mounts: in the cloud its instances would not start. */
    mayMountSecrets(): void;
  };

/** The identity of a function. */
export function identityOf(rights: Rights, planned: PlannedFunction): Identity {
  const must = (resource: string, permissions: readonly string[]) => {
    for (const permission of permissions) rights.require({ member: planned.member, permission, resource });
  };
  const inLedger = (...permissions: string[]) =>
    must(
      ledgerOf(planned),
      permissions.map((name) => `spanner.${name}`),
    );
  const inDocuments = (...permissions: string[]) =>
    must(
      documentsOf(planned),
      permissions.map((name) => `datastore.entities.${name}`),
    );
  const publish = (bus: Bus) => (topic: string, messages: Parameters<Bus["publish"]>[1]) => {
    must(topic, ["pubsub.topics.publish"]);
    return bus.publish(topic, messages);
  };
  return {
    tasks: (service) => (request) => {
      refuseTask(rights, planned.member, request);
      return service.createTask(request);
    },
    ledger: (ledger) => guardedLedger(ledger, inLedger),
    seals: (seals) => guardedSeals(seals, inLedger),
    balances: (balances) => guardedBalances(balances, inLedger),
    stories: (stories) => guardedStories(stories, inLedger),
    reconciliation: (store) => guardedReconciliation(store, inLedger),
    operators: (operators) => guardedOperators(operators, inLedger),
    outbox: (outbox) => guardedOutbox(outbox, inLedger),
    publisher: (bus) => ({ publish: async (messages) => void publish(bus)(topicOf(planned), messages) }),
    publish,
    accounts: (accounts) => guardedAccounts(accounts, inLedger),
    cache: (cache) => (usesRedis(planned) ? reachedByConnector(planned, cache) : guardedCache(cache, inDocuments)),
    journal: (journal) => guardedJournal(journal, inDocuments),
    consumers: (store) => guardedConsumers(store, inDocuments),
    mailbox: (mailbox) => ({ send: guarded(() => inDocuments("create"), mailbox.send) }),
    ...shopIdentity(inDocuments),
    ...historyIdentity(planned, must),
    observations: (observations) => ({
      record: guarded(() => inDocuments("create", "update"), observations.record),
      between: guarded(() => inDocuments("get", "list"), observations.between),
    }),
    webhookEndpoints: (endpoints) => ({
      read: guarded(() => inDocuments("get"), endpoints.read),
      commit: guarded(() => inDocuments("create", "update", "delete"), endpoints.commit),
    }),
    // The recorder does no more; a redrive is a person's.
    deadLetters: (letters) => ({ ...letters, record: guarded(() => inDocuments("create", "get"), letters.record) }),
    inDocuments,
    mayMountSecrets: () => {
      for (const secret of Object.values(planned.secrets)) must(secret, ["secretmanager.versions.access"]);
    },
  };
}

/** What a client needs before it can do anything: a session, and it lets go of it. */
const SESSION = ["sessions.create", "sessions.delete"];
const READ = ["databases.read", "databases.select"];
const WRITE = ["databases.beginOrRollbackReadWriteTransaction", "databases.write"];

function guardedLedger(ledger: Ledger, must: Must): Ledger {
  return {
    insert: guarded(() => must(...SESSION, ...WRITE), ledger.insert),
    transact: async (tag, body) => {
      must(...SESSION, ...WRITE);
      return await ledger.transact(tag, (scope) => body(guardedScope(scope, must)));
    },
    read: guarded(() => must(...SESSION, ...READ), ledger.read),
    listIntents: guarded(() => must(...SESSION, ...READ), ledger.listIntents),
    listRefunds: guarded(() => must(...SESSION, ...READ), ledger.listRefunds),
    listEvents: guarded(() => must(...SESSION, ...READ), ledger.listEvents),
    overdueHolds: guarded(() => must(...SESSION, ...READ), ledger.overdueHolds),
    overdueAttempts: guarded(() => must(...SESSION, ...READ), ledger.overdueAttempts),
    abandonedIntentions: guarded(() => must(...SESSION, ...READ), ledger.abandonedIntentions),
    scan: async (tag, body) => {
      must(...SESSION, ...READ, "databases.beginReadOnlyTransaction");
      return await ledger.scan(tag, body);
    },
  };
}

function guardedBalances(balances: Balances, must: Must): Balances {
  return {
    list: guarded(() => must(...SESSION, ...READ), balances.list),
    moment: guarded(() => must(...SESSION, ...READ, "databases.beginReadOnlyTransaction"), balances.moment),
    behind: guarded(() => must(...SESSION, ...READ), balances.behind),
    checkpoints: guarded(() => must(...SESSION, ...READ), balances.checkpoints),
    prune: guarded(() => must(...SESSION, ...READ, ...WRITE), balances.prune),
  };
}

function guardedStories(stories: Stories, must: Must): Stories {
  return {
    ofKey: guarded(() => must(...SESSION, ...READ, "databases.beginReadOnlyTransaction"), stories.ofKey),
    ofPayment: guarded(() => must(...SESSION, ...READ), stories.ofPayment),
    ofBooks: guarded(() => must(...SESSION, ...READ), stories.ofBooks),
  };
}

function guardedOutbox(outbox: Outbox, must: Must): Outbox {
  return {
    lease: guarded(() => must(...SESSION, ...READ, ...WRITE), outbox.lease),
    remove: guarded(() => must(...SESSION, ...WRITE), outbox.remove),
    backlog: guarded(() => must(...SESSION, ...READ), outbox.backlog),
  };
}

function guardedScope(scope: LedgerTransactionScope, must: Must): LedgerTransactionScope {
  return { read: guarded(() => must(...READ), scope.read), write: (changes) => scope.write(changes) };
}

function guardedSeals(seals: LedgerSeals, must: Must): LedgerSeals {
  return {
    atOneMoment: async (tag, body) => {
      must(...SESSION, ...READ, "databases.beginReadOnlyTransaction");
      return await seals.atOneMoment(tag, body);
    },
    append: guarded(() => must(...SESSION, ...READ, ...WRITE), seals.append),
  };
}

function guardedReconciliation(store: ReconciliationStore, must: Must): ReconciliationStore {
  return {
    attempts: guarded(() => must(...SESSION, ...READ), store.attempts),
    attempt: guarded(() => must(...SESSION, ...READ), store.attempt),
    openBreaks: guarded(() => must(...SESSION, ...READ), store.openBreaks),
    record: guarded(() => must(...SESSION, ...READ, ...WRITE), store.record),
    change: guarded(() => must(...SESSION, ...READ, ...WRITE), store.change),
  };
}

function guardedOperators(operators: OperatorStore, must: Must): OperatorStore {
  return {
    add: guarded(() => must(...SESSION, ...READ, ...WRITE), operators.add),
    read: guarded(() => must(...SESSION, ...READ), operators.read),
    about: guarded(() => must(...SESSION, ...READ), operators.about),
    confirmed: guarded(() => must(...SESSION, ...READ), operators.confirmed),
    advance: guarded(() => must(...SESSION, ...READ, ...WRITE), operators.advance),
  };
}

function guardedAccounts(accounts: Accounts, must: Must): Accounts {
  return {
    findKey: guarded(() => must(...SESSION, ...READ), accounts.findKey),
    ensureAccount: guarded(() => must(...SESSION, ...READ, ...WRITE), accounts.ensureAccount),
    addKey: guarded(() => must(...SESSION, ...WRITE), accounts.addKey),
    listKeys: guarded(() => must(...SESSION, ...READ), accounts.listKeys),
    revokeKeys: guarded(() => must(...SESSION, ...READ, ...WRITE), accounts.revokeKeys),
  };
}

function guardedCache(cache: IdempotencyCache, must: Must): IdempotencyCache {
  return {
    // A claim that meets a record reads it.
    claim: guarded(() => must("create", "get"), cache.claim),
    read: guarded(() => must("get"), cache.read),
    replace: guarded(() => must("update", "get"), cache.replace),
  };
}

function guardedJournal(journal: AcquirerJournal, must: Must): AcquirerJournal {
  return {
    record: guarded(() => must("create", "get"), journal.record),
    read: guarded(() => must("get"), journal.read),
    list: guarded(() => must("get", "list"), journal.list),
    between: guarded(() => must("get", "list"), journal.between),
  };
}

function guardedConsumers(store: ConsumerStore, must: Must): ConsumerStore {
  return {
    // What stands there is read, and taken over when its lease is over.
    put: guarded(() => must("create", "get", "update"), store.put),
    finish: guarded(() => must("update", "get"), store.finish),
    release: guarded(() => must("delete"), store.release),
  };
}

/** Two rights: to put a task into the queue, and to hand out the name of the account that the task will call as. */
function refuseTask(rights: Rights, member: string, { parent, task }: CreateTaskRequest): void {
  const project = parent.split("/").slice(0, 2).join("/");
  const account = `${project}/serviceAccounts/${task.httpRequest.oidcToken.serviceAccountEmail}`;
  const refusal =
    rights.refusalOf({ member, permission: "cloudtasks.tasks.create", resource: parent }) ??
    rights.refusalOf({ member, permission: "iam.serviceAccounts.actAs", resource: account });
  if (refusal !== undefined) throw taskRefusal("permissionDenied", refusal);
}
