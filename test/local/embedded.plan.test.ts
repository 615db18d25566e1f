// Shows the planned functions running in one process: a payment over HTTP, and what a missing grant does to it.
// It must never leave a server listening.
import { createServer } from "node:net";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { startEmbedded } from "../../local/embedded.ts";
import type { Host } from "../../local/host.ts";
import { laptopKey, seedLaptopKey } from "../../local/laptop-key.ts";
import { freePortFrom, listenFrom } from "../../local/listen.ts";
import { type Plan, plannedFunction } from "../../local/plan.ts";
import { planned, withoutGrant } from "./planned.ts";

// Here and not in a test: the first synthesis of a process takes seconds; later ones of the same stage take none.
planned();
planned(undefined, { PUBLIC: "false" });

let host: Host | undefined;
let refusals: string[];
beforeEach(() => {
  refusals = [];
});
afterEach(async () => {
  await host?.stop();
  host = undefined;
});

async function start(plan: Plan): Promise<string> {
  host = await startEmbedded({
    plan,
    port: await freePortFrom(undefined),
    log: () => {},
    onRefusal: (message) => refusals.push(message),
  });
  await seedLaptopKey({ accounts: host.accounts, clock: systemClock, random: systemRandom });
  return host.addresses.get("payments-api") ?? "";
}

async function pay(
  baseUrl: string,
): Promise<{ status: number; replayed: string | null; body: Record<string, unknown> }> {
  const response = await fetch(`${baseUrl}/v1/payment_intents`, {
    method: "POST",
    headers: { Authorization: `Bearer ${laptopKey}`, "Idempotency-Key": "order-1" },
    body: new URLSearchParams({ amount: "2000", currency: "usd", payment_method: "pm_card_visa", confirm: "true" }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, replayed: response.headers.get("Idempotent-Replayed"), body };
}

describe("the embedded laptop", () => {
  test("takes a payment through the test acquirer, and replays it", async () => {
    const baseUrl = await start(planned());

    const [first, second] = [await pay(baseUrl), await pay(baseUrl)];

    expect(first).toMatchObject({ status: 200, replayed: null, body: { status: "succeeded", amount: 2000 } });
    expect(second).toEqual({ ...first, replayed: "true" });
    expect(refusals).toEqual([]);
    // The archive has both requests and the payment, by the plan's export, topics and views.
    const accountId = (await host?.accounts.findKey(apiKeyDigest(laptopKey)))?.accountId ?? "";
    const nowMs = systemClock.now();
    const asked = { accountId, range: { fromMs: nowMs - 86_400_000, untilMs: nowMs + 60_000 }, limit: 10 };
    const keyId = keyIdentity(accountId, false, "order-1");
    const page = await host?.history.keyLines({ ...asked, keyId, before: null });
    expect(page?.lines.filter(({ message }) => message === "request")).toMatchObject([
      { keyOutcome: "replayed", status: 200, service: "payments-api" },
      { keyOutcome: "executed", status: 200, generation: 1 },
    ]);
    const [day] = (await host?.history.paymentDays(asked)) ?? [];
    expect(day).toMatchObject({ currency: "usd", payments: 1, succeeded: 1, receivedMinor: 2000n });
  });

  test("answers an error without details, and tells people PERMISSION_DENIED, when the ledger's grant is missing", async () => {
    const baseUrl = await start(planned(withoutGrant("google_spanner_database_iam_member", "payments-api")));

    const answer = await pay(baseUrl);

    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/PERMISSION_DENIED|serviceAccount/);
    expect(refusals[0]).toMatch(/^PERMISSION_DENIED: serviceAccount:payments-api@\S+ lacks spanner\./);
  });

  test("takes a payment without its cache, but tells people, when the cache's grant is missing", async () => {
    const baseUrl = await start(planned(withoutGrant("google_project_iam_member", "payments-api")));

    const answer = await pay(baseUrl);

    expect(answer).toMatchObject({ status: 200, body: { status: "succeeded" } });
    expect(refusals[0]).toMatch(/lacks datastore\.entities\.create on projects\/local-project\/databases\/payments/);
  });

  test("does not start a function that may not read its secret", async () => {
    const plan = planned(withoutGrant("google_secret_manager_secret_iam_member", "test-acquirer"));

    await expect(start(plan)).rejects.toThrow(
      /^PERMISSION_DENIED: serviceAccount:test-acquirer@\S+ lacks secretmanager/,
    );
  });

  test("lets nobody in when the stacks do not say that everybody may invoke: an API key is no identity", async () => {
    const baseUrl = await start(planned(undefined, { PUBLIC: "false" }));

    const [withKey, without] = [await pay(baseUrl), await fetch(`${baseUrl}/health`)];

    const message = expect.stringMatching(
      /^PERMISSION_DENIED: allUsers .* a grant of roles\/run\.invoker would give it/,
    );
    expect(withKey).toMatchObject({ status: 403, body: { error: { type: "invalid_request_error", message } } });
    expect([without.status, await without.json()]).toEqual([
      403,
      { error: { type: "invalid_request_error", message } },
    ]);
  });

  test("holds an API key to the limit of the plan", async () => {
    const plan = planned();
    Object.assign(plannedFunction(plan, "payments-api").environment, {
      RATE_LIMIT_PER_SECOND: "1",
      RATE_LIMIT_BURST: "1",
    });
    const baseUrl = await start(plan);

    const statuses = [(await pay(baseUrl)).status, (await pay(baseUrl)).status];

    expect(statuses).toEqual([200, 429]);
  });
});

describe("a port", () => {
  test("that is taken gives way to the next free one", async () => {
    const [taken, server] = [createServer(), createServer()];
    const port = await listenFrom(taken, undefined);

    const next = await listenFrom(server, port);

    await Promise.all([taken, server].map((one) => new Promise((closed) => one.close(closed))));
    expect(next).toBeGreaterThan(port);
    expect(next).toBeLessThanOrEqual(port + 20);
  });
});
