// What every store of webhook endpoints must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import type { WebhookEndpoint } from "../../functions/domain/webhook-endpoint.ts";
import type { EndpointCommit, WebhookEndpoints } from "../../functions/flows/webhook-endpoint-ports.ts";

/** A store for one suite. */
export type EndpointsUnderTest = { readonly store: WebhookEndpoints; close(): Promise<void> };

/** Registers the suite. */
export function webhookEndpointsContract(open: () => Promise<EndpointsUnderTest>): void {
  let subject: EndpointsUnderTest;
  let store: WebhookEndpoints;
  beforeAll(async () => {
    subject = await open();
    store = subject.store;
  });
  afterAll(async () => await subject.close());

  test("an account that never had an endpoint has none, no version, and no change", async () => {
    expect(await store.read(newId("acct"), newId("wc"))).toEqual({ endpoints: [], version: null, done: undefined });
  });

  test("an endpoint comes back with each of its fields", async () => {
    const endpoint = anEndpoint({
      metadata: { __proto__x: "1", __name__: "2", "é.😀": "3" },
      description: "Orders of the shop",
      enabledEvents: ["charge.refunded", "*"],
      status: "disabled",
      disabledBecause: "gone",
      apiVersion: "2026-10-28.endive",
    });
    expect(await commit(store, endpoint)).toBe("committed");

    expect((await store.read(endpoint.accountId, null)).endpoints).toEqual([endpoint]);
  });

  test("endpoints come newest first, and another account's not at all", async () => {
    const accountId = newId("acct");
    const [first, third, second] = [1, 3, 2].map((at) => anEndpoint({ accountId, createdAtMs: at })) as [
      WebhookEndpoint,
      WebhookEndpoint,
      WebhookEndpoint,
    ];
    for (const endpoint of [first, third, second]) await commit(store, endpoint);
    await commit(store, anEndpoint({}));

    expect((await store.read(accountId, null)).endpoints).toEqual([third, second, first]);
  });

  test("an update replaces every field, and a delete leaves the others", async () => {
    const [endpoint, other] = twoOfOneAccount();
    await commit(store, endpoint);
    await commit(store, other);
    const changed = { ...endpoint, url: "https://new.example/", metadata: {}, description: null };
    expect(await write(store, endpoint.accountId, { op: "update", endpoint: changed })).toBe("committed");
    expect((await store.read(endpoint.accountId, null)).endpoints).toContainEqual(changed);

    expect(await write(store, endpoint.accountId, { op: "delete", endpointId: endpoint.id })).toBe("committed");

    expect((await store.read(endpoint.accountId, null)).endpoints).toEqual([other]);
  });

  test("an account without endpoints any more can have new ones", async () => {
    const [endpoint, other] = twoOfOneAccount();
    await commit(store, endpoint);
    await write(store, endpoint.accountId, { op: "delete", endpointId: endpoint.id });

    expect(await commit(store, other)).toBe("committed");

    expect((await store.read(endpoint.accountId, null)).endpoints).toEqual([other]);
  });

  test("each commit makes another version, even one that changes nothing", async () => {
    const endpoint = anEndpoint({});
    await commit(store, endpoint);
    const { version } = await store.read(endpoint.accountId, null);

    await write(store, endpoint.accountId, { op: "update", endpoint });

    expect((await store.read(endpoint.accountId, null)).version).not.toBe(version);
  });

  test("a commit that was decided on an older version touches nothing", async () => {
    const [endpoint, other] = twoOfOneAccount();
    const before = await store.read(endpoint.accountId, null);
    await commit(store, endpoint);
    const { version } = await store.read(endpoint.accountId, null);
    await write(store, endpoint.accountId, { op: "update", endpoint: { ...endpoint, url: "https://new.example/" } });
    const accountId = endpoint.accountId;
    const change = { id: newId("wc"), outcome: anOutcome("late"), createdAtMs: 1 };

    const late = [
      { accountId, version: before.version, write: { op: "create", endpoint: other }, change },
      { accountId, version, write: { op: "update", endpoint }, change },
      { accountId, version, write: { op: "delete", endpointId: endpoint.id }, change },
    ] as const;
    for (const one of late) expect(await store.commit(one)).toBe("conflict");

    const after = await store.read(accountId, change.id);
    expect(after.endpoints.map(({ url }) => url)).toEqual(["https://new.example/"]);
    expect(after.done).toBeUndefined();
  });

  test("a change is committed once: a second one of its id touches nothing, and its outcome is found", async () => {
    const endpoint = anEndpoint({});
    const { accountId } = endpoint;
    const change = { id: newId("wc"), outcome: anOutcome("first"), createdAtMs: 1_735_689_600_000 };
    await store.commit({ accountId, version: null, write: { op: "create", endpoint }, change });
    const { version, done } = await store.read(accountId, change.id);
    expect(done).toEqual(change.outcome);

    const second = { ...change, outcome: anOutcome("second") };
    const write = { op: "update", endpoint: { ...endpoint, url: "https://new.example/" } } as const;
    expect(await store.commit({ accountId, version, write, change: second })).toBe("conflict");

    const after = await store.read(accountId, change.id);
    expect(after).toEqual({ endpoints: [endpoint], version, done: change.outcome });
  });

  test("an endpoint is created once, and only one that stands is changed or deleted", async () => {
    const [endpoint, other] = twoOfOneAccount();
    const { accountId } = endpoint;
    await commit(store, endpoint);

    expect(await commit(store, { ...endpoint, url: "https://new.example/" })).toBe("conflict");
    expect(await write(store, accountId, { op: "update", endpoint: other })).toBe("conflict");
    expect(await write(store, accountId, { op: "delete", endpointId: other.id })).toBe("conflict");

    expect((await store.read(accountId, null)).endpoints).toEqual([endpoint]);
  });

  test("of 10 commits on one version one is made", async () => {
    const accountId = newId("acct");
    const racers = Array.from({ length: 10 }, () => anEndpoint({ accountId }));

    const ends = await Promise.all(
      racers.map((endpoint) =>
        store.commit({ accountId, version: null, write: { op: "create", endpoint }, change: null }),
      ),
    );

    expect(ends.filter((end) => end === "committed")).toHaveLength(1);
    expect((await store.read(accountId, null)).endpoints).toEqual([racers[ends.indexOf("committed")]]);
  });
}

/** Creates an endpoint on the present version. */
async function commit(store: WebhookEndpoints, endpoint: WebhookEndpoint) {
  return await write(store, endpoint.accountId, { op: "create", endpoint });
}

async function write(store: WebhookEndpoints, accountId: string, what: EndpointCommit["write"]) {
  const { version } = await store.read(accountId, null);
  return await store.commit({ accountId, version, write: what, change: null });
}

function twoOfOneAccount(): [WebhookEndpoint, WebhookEndpoint] {
  const accountId = newId("acct");
  return [anEndpoint({ accountId }), anEndpoint({ accountId })];
}

/** An endpoint with other fields than most. */
export function anEndpoint(fields: Partial<WebhookEndpoint>): WebhookEndpoint {
  return {
    id: newId("we"),
    accountId: newId("acct"),
    url: "https://shop.example/hooks?a=b",
    enabledEvents: ["*"],
    status: "enabled",
    disabledBecause: null,
    description: null,
    metadata: {},
    apiVersion: null,
    createdAtMs: 1_735_689_600_000,
    enabledAtMs: 1_735_689_700_000,
    sealedSecrets: "sealed:0a1b2c3d:AAAA",
    ...fields,
  };
}

function anOutcome(text: string) {
  return { status: 200, body: new Uint8Array(Buffer.from(text)) };
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
