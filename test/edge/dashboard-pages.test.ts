// Shows what the dashboard's pages find and what their forms do: searches, resends, and redrives of exactly one plan.
// It must never ask the API's stores for what a page should say, only for what a form has changed.

import { planIn, planOf, planText } from "../../functions/domain/redrive-plan.ts";
import { carryOutRedrive } from "../../functions/flows/carry-out-redrive.ts";
import { searchPayments } from "../../functions/flows/search-payments.ts";
import { type DashboardWorld, openDashboard } from "../support/dashboard.ts";
import { deadDelivery, deadEndpoint } from "../support/dead-deliveries.ts";
import { beginMs } from "../support/world.ts";

let dash: DashboardWorld;
let visitor: ReturnType<DashboardWorld["visitor"]>;
beforeEach(async () => {
  dash = await openDashboard();
  visitor = dash.visitor();
  await visitor.signIn();
});

const pay = async (amount: number, currency = "usd", method = "pm_card_visa") => {
  await dash.world.clock.advance(1_000);
  const form = `amount=${amount}&currency=${currency}&confirm=true&payment_method=${method}`;
  const { json } = await dash.world.post("/v1/payment_intents", form);
  return (json.id ?? json.error.payment_intent.id) as string;
};
const idsOn = (text: string) => [...text.matchAll(/href="\/payments\/(pi_\w+)"/g)].map(([, id]) => id);
const searching = async (query: string) => idsOn((await visitor.get(`/payments?${query}`)).text);

describe("the payments", () => {
  test("are found by id, status, amount with its currency, and day", async () => {
    const [small, large, yen, declined] = [
      await pay(2_000),
      await pay(5_000),
      await pay(2_000, "jpy"),
      await pay(2_000, "usd", "pm_card_chargeDeclined"),
    ];

    expect((await visitor.get(`/payments?id=+${small}+&status=canceled`)).location).toBe(`/payments/${small}`);
    expect(await searching("")).toEqual([declined, yen, large, small]);
    expect(await searching("status=requires_payment_method")).toEqual([declined]);
    expect(await searching("currency=usd&amount_from=50&amount_to=50.00")).toEqual([large]);
    expect(await searching("currency=jpy&amount_to=2000")).toEqual([yen]);
    expect(await searching("from=2026-01-15&to=2026-01-15&status=succeeded")).toEqual([yen, large, small]);
    expect(await searching("to=2026-01-14")).toEqual([]);
    expect((await visitor.get("/payments?amount_from=20")).text).toContain("Choose a currency for the amount.");
  });

  test("come in pages, and the way to the next one keeps the search", async () => {
    const intent = () => dash.world.post("/v1/payment_intents", "amount=2000&currency=usd");
    await Promise.all(Array.from({ length: 26 }, intent));

    const first = await visitor.get("/payments?status=requires_payment_method");
    const [, next = ""] = /href="(\/payments\?[^"]*after=[^"]*)"/.exec(first.text) ?? [];
    const second = await visitor.get(next.replaceAll("&#38;", "&"));

    expect([idsOn(first.text).length, idsOn(second.text).length]).toEqual([25, 1]);
    expect(next).toContain("status=requires_payment_method");
    expect(second.text).not.toContain("Older");
  });

  test("that a search finds are looked for among five hundred at most, and it says where it goes on", async () => {
    const asked: (string | null)[] = [];
    const search = { status: "canceled", currency: null, fromMinor: null, toMinor: null } as const;

    const result = await searchPayments(
      async (after, limit) => {
        asked.push(after);
        const page = asked.length;
        const lines = Array.from({ length: limit }, (_, index) => ({
          ...{ id: `pi_${page}_${index}`, status: "succeeded", amountMinor: 1, currency: "usd" },
        }));
        return { lines, hasMore: true };
      },
      { ...search, createdFromMs: null, createdBeforeMs: null },
      "pi_0",
    );

    expect(asked).toEqual(["pi_0", "pi_1_99", "pi_2_99", "pi_3_99", "pi_4_99"]);
    expect(result).toEqual({ found: [], lookedAt: 500, goesOnAfter: "pi_5_99", fault: null });
  });

  test("of an empty account, or of an API that is silent, are a page that says so", async () => {
    expect((await visitor.get("/payments")).text).toContain("There are no payments yet.");
    const silent = await openDashboard({
      api: {
        call: async (request) =>
          request.path === "/v1/account" ? dash.ports.api.call(request) : { kind: "silent", reason: "slow" },
      },
    });
    const other = silent.visitor();
    await other.signIn();

    for (const path of [
      "/payments",
      "/payments/pi_1",
      "/webhooks",
      "/webhooks/we_1",
      "/deliveries/wd_1",
      "/dead-letters",
    ]) {
      const { status, text } = await other.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain("The payments API did not answer in time.");
    }
  });
});

describe("a resend", () => {
  test("is one request however often its form is sent, and another form is another one", async () => {
    const delivery = await deadDelivery(dash.world, await deadEndpoint(dash.world));
    const page = await visitor.get(`/deliveries/${delivery}`);
    const [, once = ""] = /name="once" value="([\w-]{24})"/.exec(page.text) ?? [];
    const form = { form_token: await visitor.formToken(), once };

    const [sent, again] = [
      await visitor.post(`/deliveries/${delivery}/resend`, form),
      await visitor.post(`/deliveries/${delivery}/resend`, form),
    ];
    const other = await visitor.post(`/deliveries/${delivery}/resend`, { ...form, once: "B".repeat(24) });

    expect([sent.location, again.location]).toEqual(Array(2).fill(`/deliveries/${delivery}?done=resent`));
    // The first one waits to be sent, so a second resend has to wait too: its page says so, and offers the same again.
    expect([other.status, other.text.includes(`name="once" value="${"B".repeat(24)}"`)]).toEqual([502, true]);
    expect(dash.world.wakeUps.waiting()).toHaveLength(1);
  });
});

describe("a redrive", () => {
  const planOn = async () => {
    const { text } = await visitor.get("/dead-letters/plan");
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    return { text, form: { form_token: field("form_token"), plan: field("plan"), hash: field("hash") } };
  };
  const stateOf = async (id: string) => (await dash.world.deliveries.read(id))?.delivery.state;
  let ids: string[];
  beforeEach(async () => {
    const endpoint = await deadEndpoint(dash.world);
    ids = [];
    for (const eventId of ["evt_1", "evt_2", "evt_3"]) ids.push(await deadDelivery(dash.world, endpoint, { eventId }));
  });

  test("begins with a dry run, which names its plan and changes nothing", async () => {
    const { text, form } = await planOn();

    expect(form.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(form.plan).toBe(
      [...ids]
        .sort()
        .map((id) => `${id}/`)
        .join(" "),
    );
    expect(text).toContain("Redrive 3 deliveries");
    expect(await Promise.all(ids.map(stateOf))).toEqual(["dead", "dead", "dead"]);
    expect((await planOn()).form.hash).toBe(form.hash);
  });

  test("carries out exactly the plan that was shown, once, and leaves what died since to another plan", async () => {
    const { form } = await planOn();
    const later = await deadDelivery(dash.world, await deadEndpoint(dash.world), { eventId: "evt_4" });

    const done = await visitor.post("/dead-letters/redrive", form);
    const again = await visitor.post("/dead-letters/redrive", form);

    expect([done.location, again.location]).toEqual([
      "/dead-letters?redriven=3&changed=0&failed=0",
      "/dead-letters?redriven=0&changed=3&failed=0",
    ]);
    expect(await Promise.all([...ids, later].map(stateOf))).toEqual(["pending", "pending", "pending", "dead"]);
    expect((await visitor.get(done.location)).text).toContain("3 deliveries on the way again.");
  });

  test("leaves out a delivery that died again: that is another state, so another plan", async () => {
    const { form } = await planOn();
    await visitor.post("/dead-letters/redrive", form);
    const found = await dash.world.deliveries.read(ids[0] ?? "");
    if (found === undefined) throw new Error("it is there");
    const dead = { reason: "window_over", atMs: beginMs } as const;
    await dash.world.deliveries.replace(found.version, { ...found.delivery, state: "dead", next: null, dead });

    const again = await visitor.post("/dead-letters/redrive", form);

    expect(again.location).toBe("/dead-letters?redriven=0&changed=3&failed=0");
    expect((await planOn()).form).not.toMatchObject({ hash: form.hash });
  });

  test("leaves out what cannot be sent, and says so", async () => {
    const [endpoint] = dash.world.webhookEndpoints === undefined ? [] : [await dash.world.get("/v1/webhook_endpoints")];
    await dash.world.post(`/v1/webhook_endpoints/${endpoint?.json.data[0].id}`, "disabled=true");

    const { text } = await visitor.get("/dead-letters/plan");

    expect(text).toContain("Would be left out");
    expect(text).not.toContain('name="hash"');
  });

  test.each([
    ["another delivery in it", (plan: string) => `${plan} wd_other/`],
    ["one fewer", (plan: string) => plan.split(" ").slice(1).join(" ")],
    ["one twice", (plan: string) => `${plan} ${plan.split(" ")[0]}`],
    ["nothing in it", () => ""],
    ["something else in it", () => "../../v1/account/"],
    ["fifty-one in it", () => Array.from({ length: 51 }, (_, number) => `wd_${number}/`).join(" ")],
  ])("of a plan with %s is refused whole", async (_title, change) => {
    const { form } = await planOn();
    const refused = await visitor.post("/dead-letters/redrive", { ...form, plan: change(form.plan) });

    expect(refused.status).toBe(400);
    expect(await Promise.all(ids.map(stateOf))).toEqual(["dead", "dead", "dead"]);
  });

  test("counts what nobody could say or do as failed, and what it did stays done", async () => {
    const plan = planOf(["wd_1", "wd_2", "wd_3"].map((deliveryId) => ({ deliveryId, redriveId: "rd_1" })));
    const keys: string[] = [];
    const end = await carryOutRedrive(
      {
        look: async (id) => (id === "wd_1" ? undefined : { isDead: true, redriveId: "rd_1" }),
        redrive: async (id, key) => {
          keys.push(key);
          return id === "wd_3";
        },
      },
      plan,
    );

    expect(end).toEqual({ redriven: 1, changed: 0, failed: 2 });
    expect(keys).toEqual([`redrive ${plan.hash} wd_2`, `redrive ${plan.hash} wd_3`]);
    expect(planIn(planText(plan.lines), plan.hash)).toEqual(plan);
  });
});
