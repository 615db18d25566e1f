// Shows that every port call stands on a grant: with all grants it passes, without one it is refused by name.
// It must never take a grant away from a hand-made plan: it is deleted from synthesized stacks.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memorySeenEvents } from "../../functions/adapters/memory/seen-events.ts";
import { memoryShopEndpoints } from "../../functions/adapters/memory/shop-endpoints.ts";
import { memoryShopOrders } from "../../functions/adapters/memory/shop-orders.ts";
import { memoryWebhookEndpoints } from "../../functions/adapters/memory/webhook-endpoints.ts";
import type { FunctionName } from "../../functions/config.ts";
import { newOrder } from "../../functions/domain/order.ts";
import type { RefundQuery } from "../../functions/domain/pages.ts";
import type { JournalLine } from "../../functions/flows/acquirer-ports.ts";
import type { CacheRecord } from "../../functions/flows/ports.ts";
import { identityOf } from "../../local/identity.ts";
import { type Plan, plannedFunction } from "../../local/plan.ts";
import { rightsOf } from "../../local/rights.ts";
import { planned, withoutGrant } from "./planned.ts";

const record: CacheRecord = {
  state: "in_progress",
  fingerprint: "f",
  requestId: "req_1",
  owner: "o",
  generation: 1,
  leaseUntilMs: 2,
  createdAtMs: 1,
  expiresAtMs: null,
  outcome: null,
};
const line: JournalLine = {
  kind: "authorize",
  key: "att_1",
  amountMinor: 2000n,
  currency: "usd",
  paymentMethodToken: "pm_card_visa",
  reference: null,
  captureLater: false,
  challengeReturnUrl: null,
  authentication: null,
  result: { kind: "approved", reference: "r" },
  createdAtMs: 1,
};

const order = newOrder(
  "order_1",
  { itemId: "beans", quantity: 1, amountMinor: 1250n, currency: "usd", cardToken: "pm_card_visa" },
  1,
);

const refundsAsked: RefundQuery = {
  accountId: "acct_1",
  limit: 10,
  startingAfter: null,
  endingBefore: null,
  intentId: null,
  chargeId: null,
  createdFromMs: null,
  createdBeforeMs: null,
};

/** The ports of a function under a plan, and the refusals that the laptop heard of. */
function portsOf(plan: Plan, name: FunctionName) {
  const refusals: string[] = [];
  const rights = rightsOf(plan, (message) => refusals.push(message));
  const identity = identityOf(rights, plannedFunction(plan, name));
  return {
    ledger: identity.ledger(memoryLedger()),
    accounts: identity.accounts(memoryAccounts()),
    cache: identity.cache(memoryIdempotencyCache()),
    journal: identity.journal(memoryAcquirerJournal()),
    webhookEndpoints: identity.webhookEndpoints(memoryWebhookEndpoints()),
    shopOrders: identity.shopOrders(memoryShopOrders()),
    shopEndpoints: identity.shopEndpoints(memoryShopEndpoints()),
    seenEvents: identity.seenEvents(memorySeenEvents()),
    identity,
    refusals,
  };
}

type Ports = ReturnType<typeof portsOf>;

/** A call that each grant carries, and the permission that is missed first without it. */
const calls: [string, string, FunctionName, string, (ports: Ports) => Promise<unknown>][] = [
  [
    "a blind insert",
    "google_spanner_database_iam_member",
    "payments-api",
    "spanner.sessions.create",
    ({ ledger }) => ledger.insert("t", []),
  ],
  [
    "a transaction",
    "google_spanner_database_iam_member",
    "payments-api",
    "spanner.sessions.create",
    ({ ledger }) => ledger.transact("t", async (scope) => scope.read({})),
  ],
  [
    "a read",
    "google_spanner_database_iam_member",
    "payments-api",
    "spanner.sessions.create",
    ({ ledger }) => ledger.read({ attempts: "a" }),
  ],
  [
    "a page of refunds",
    "google_spanner_database_iam_member",
    "payments-api",
    "spanner.sessions.create",
    ({ ledger }) => ledger.listRefunds(refundsAsked),
  ],
  [
    "a look-up of a key",
    "google_spanner_database_iam_member",
    "payments-api",
    "spanner.sessions.create",
    ({ accounts }) => accounts.findKey("d"),
  ],
  [
    "a claim",
    "google_project_iam_member",
    "payments-api",
    "datastore.entities.create",
    ({ cache }) => cache.claim("k", record),
  ],
  [
    "a read of a claim",
    "google_project_iam_member",
    "payments-api",
    "datastore.entities.get",
    ({ cache }) => cache.read("k"),
  ],
  [
    "a replacement",
    "google_project_iam_member",
    "payments-api",
    "datastore.entities.update",
    ({ cache }) => cache.replace("k", "1", record),
  ],
  [
    "a line of the journal",
    "google_project_iam_member",
    "test-acquirer",
    "datastore.entities.create",
    ({ journal }) => journal.record(line),
  ],
  [
    "the journal's list",
    "google_project_iam_member",
    "test-acquirer",
    "datastore.entities.get",
    ({ journal }) => journal.list(1),
  ],
  [
    "a read of webhook endpoints",
    "google_project_iam_member",
    "payments-api",
    "datastore.entities.get",
    ({ webhookEndpoints }) => webhookEndpoints.read("acct_1", null),
  ],
  [
    "the shop's endpoint",
    "google_project_iam_member",
    "sample-shop",
    "datastore.entities.create",
    ({ shopEndpoints }) => shopEndpoints.keep({ url: "https://shop.example/webhooks", secret: "whsec_1" }),
  ],
  [
    "an event that the shop sees",
    "google_project_iam_member",
    "sample-shop",
    "datastore.entities.create",
    ({ seenEvents }) => seenEvents.begin("evt_1", { owner: "o", nowMs: 1, leaseUntilMs: 2 }),
  ],
  [
    "an order of the shop",
    "google_project_iam_member",
    "sample-shop",
    "datastore.entities.create",
    ({ shopOrders }) => shopOrders.create(order),
  ],
  [
    "a look at an order",
    "google_project_iam_member",
    "sample-shop",
    "datastore.entities.get",
    ({ shopOrders }) => shopOrders.read("order_1"),
  ],
  [
    "a change of an order",
    "google_project_iam_member",
    "sample-shop",
    "datastore.entities.get",
    ({ shopOrders }) => shopOrders.change("order_1", () => undefined),
  ],
  [
    "a mounted secret",
    "google_secret_manager_secret_iam_member",
    "test-acquirer",
    "secretmanager.versions.access",
    async ({ identity }) => identity.mayMountSecrets(),
  ],
];

describe("a port bound to a function's account", () => {
  test.each(calls)("lets %s through under the synthesized grants", async (_title, _type, name, _permission, call) => {
    const ports = portsOf(planned(), name);

    await expect(call(ports)).resolves.not.toThrow();
    expect(ports.refusals).toEqual([]);
  });

  test.each(calls)(
    "refuses %s when its grant is taken out of the stack",
    async (_title, type, name, permission, call) => {
      const ports = portsOf(planned(withoutGrant(type, name)), name);

      await expect(call(ports)).rejects.toMatchObject({
        code: "permission_denied",
        message: expect.stringMatching(
          new RegExp(
            `^PERMISSION_DENIED: serviceAccount:${name}@\\S+ lacks ${permission} on projects/local-project/\\S+; a grant of \\S+ would give it\\.$`,
          ),
        ),
      });
    },
  );

  test("may do what its role contains and no more: without the permission to write it still reads", async () => {
    const plan = planned((_services, { data }) => {
      const [role] = Object.values(data?.["google_project_iam_custom_role"] ?? {});
      role.permissions = role.permissions.filter((permission: string) => permission !== "spanner.databases.write");
    });
    const { ledger } = portsOf(plan, "payments-api");

    await expect(ledger.read({ attempts: "a" })).resolves.toEqual({});
    await expect(ledger.insert("t", [])).rejects.toThrow(
      /lacks spanner\.databases\.write on .*; no role in use holds it\.$/,
    );
  });

  test("does not borrow the grant of another function", async () => {
    const { ledger } = portsOf(planned(), "test-acquirer");

    await expect(ledger.read({})).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("is limited by the condition: another database of the same project is refused", async () => {
    const plan = planned();
    plannedFunction(plan, "payments-api").environment["FIRESTORE_DATABASE"] = "payments-of-others";

    await expect(portsOf(plan, "payments-api").cache.read("k")).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("tells of a refusal once, however often it is met", async () => {
    const ports = portsOf(planned(withoutGrant("google_project_iam_member", "payments-api")), "payments-api");

    await ports.cache.read("k").catch(() => {});
    await ports.cache.read("k").catch(() => {});

    expect(ports.refusals).toHaveLength(1);
  });
});

describe("a cache in Redis", () => {
  test("is reached by a function with a connector, and is silent, not forbidden, without one", async () => {
    const variables = { IDEMPOTENCY_CACHE: "memorystore" };
    const reached = portsOf(planned(undefined, variables), "payments-api");
    const unreached = planned((services) => {
      for (const one of Object.values(services["google_cloudfunctions2_function"] ?? {}))
        delete one.service_config.vpc_connector;
    }, variables);

    expect(await reached.cache.read("key")).toBeUndefined();
    await expect(portsOf(unreached, "payments-api").cache.read("key")).rejects.toMatchObject({
      code: "store_unavailable",
      message: "The plan gives payments-api no connector into the network of its cache.",
    });
  });
});
