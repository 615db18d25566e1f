// Shows who gets into the dashboard and who does not: sessions, forms of other sites, hostile texts, other merchants' ids.
// It must never check a page's looks: browsers do that in test/local/dashboard.browser.test.ts.

import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { type DashboardWorld, openDashboard, sessionKey } from "../support/dashboard.ts";
import { deadDelivery, deadEndpoint } from "../support/dead-deliveries.ts";
import { apiKeys, beginMs, payForm } from "../support/world.ts";

let dash: DashboardWorld;
let visitor: ReturnType<DashboardWorld["visitor"]>;
beforeEach(async () => {
  dash = await openDashboard();
  visitor = dash.visitor();
});

const hourMs = 3_600_000;
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\``;

const pay = async (form = payForm, apiKey: string = apiKeys.first) =>
  (await dash.world.post("/v1/payment_intents", form, { apiKey })).json.id as string;

describe("signing in", () => {
  test("with a good key leads to the overview, under a sealed cookie that no script and no other site gets", async () => {
    const signedIn = await visitor.signIn();

    expect([signedIn.status, signedIn.location]).toEqual([303, "/"]);
    expect(signedIn.headers["Set-Cookie"]).toMatch(
      /^__Host-dashboard=sealed:[\w:-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
    );
    expect(signedIn.headers["Set-Cookie"]).not.toContain(apiKeys.first);
    expect((await visitor.get("/payments")).status).toBe(200);
    expect(dash.logged.join()).not.toContain(apiKeys.first);
  });

  test("on a laptop's plain http uses a name that a browser takes there", async () => {
    const signedIn = await dash.visitor("127.0.0.1:4244").signIn();

    expect(signedIn.headers["Set-Cookie"]).toMatch(
      /^dashboard=sealed:[\w:-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    );
  });

  test.each([
    ["nothing", ""],
    ["something that is no key", hostile],
    ["a key that nobody has", "sk_test_nobody_has_this_one"],
    ["a text of sixty thousand characters", "sk_test_".padEnd(60_000, "x")],
  ])("with %s is refused, and what was typed is not shown again", async (_title, apiKey) => {
    const { status, text, headers } = await visitor.signIn(apiKey);

    expect([status, headers["Set-Cookie"]]).toEqual([400, undefined]);
    expect(text).toContain("This is not a valid API key.");
    if (apiKey !== "") expect(text).not.toContain(apiKey.slice(0, 30));
  });

  test("is held back after ten tries from one address, and free again for another", async () => {
    const tryFrom = (address: string) =>
      visitor.post("/sign-in", { api_key: "sk_test_a_wrong_key" }, { "x-forwarded-for": `203.0.113.9, ${address}` });
    const statuses: number[] = [];
    for (let number = 1; number <= 11; number += 1) statuses.push((await tryFrom("198.51.100.1")).status);

    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    expect((await tryFrom("198.51.100.2")).status).toBe(400);
    await dash.world.clock.advance(1_000);
    expect((await tryFrom("198.51.100.1")).status).toBe(400);
  });

  test("says so when the API is down, and signs nobody in", async () => {
    const down = await openDashboard({ api: { call: async () => ({ kind: "silent", reason: "slow" }) } });

    const { status, headers, text } = await down.visitor().signIn();

    expect([status, headers["Set-Cookie"]]).toEqual([503, undefined]);
    expect(text).toContain("did not say whether the key is good");
  });
});

describe("a session", () => {
  test("ends after eight hours, to the millisecond, whatever was done with it", async () => {
    await visitor.signIn();
    await dash.world.clock.advance(8 * hourMs - 1);
    expect((await visitor.get("/payments")).status).toBe(200);
    await dash.world.clock.advance(1);

    expect((await visitor.get("/payments")).location).toBe("/sign-in?ended=over");
  });

  test("ends when the key is revoked, at the next page after the API has forgotten it", async () => {
    await visitor.signIn();
    await dash.world.accounts.revokeKeys("first", null, beginMs);
    await dash.world.clock.advance(60_000);

    const next = await visitor.get("/webhooks");

    expect([next.location, visitor.cookie()]).toEqual(["/sign-in?ended=key_refused", undefined]);
  });

  test("ends with the sign-out, which is a form of its own", async () => {
    await visitor.signIn();
    const kept = visitor.cookie();
    expect((await visitor.get("/sign-out")).status).toBe(404);
    const out = await visitor.post("/sign-out", { form_token: await visitor.formToken() });

    expect([out.location, visitor.cookie()]).toEqual(["/sign-in?ended=signed_out", undefined]);
    expect(kept).toBeDefined();
  });

  test("lives on under a new key as long as the old one stands behind it, and no longer", async () => {
    await visitor.signIn();
    const cookie = visitor.cookie();
    const openedBy = async (setting: string) => {
      const other = (await openDashboard({ sessions: aesSecretBox(setting), api: dash.ports.api })).visitor();
      other.keepCookie(cookie);
      return (await other.get("/payments")).status;
    };

    expect(await openedBy(`another key of at least thirty-two characters,${sessionKey}`)).toBe(200);
    expect(await openedBy("another key of at least thirty-two characters")).toBe(303);
    expect(await openedBy(sessionKey)).toBe(200);
  });

  test.each([
    ["changed by one character", (value: string) => `${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`],
    ["empty", (value: string) => `${value.split("=")[0]}=`],
    ["not sealed at all", (value: string) => `${value.split("=")[0]}={"apiKey":"${apiKeys.second}"}`],
    ["there twice", (value: string) => `${value}; ${value}`],
    ["under the laptop's name", (value: string) => value.replace("__Host-", "")],
    [
      "sealed here for something else",
      (value: string) => {
        const box = aesSecretBox(sessionKey);
        return `${value.split("=")[0]}=${box.seal(Buffer.from("{}"), "we_1")}`;
      },
    ],
  ])("is none when its cookie is %s", async (_title, change) => {
    await visitor.signIn();
    visitor.keepCookie(change(visitor.cookie() ?? ""));

    const { status, location } = await visitor.get("/payments");

    expect([status, location.replace("?ended=over", "")]).toEqual([303, "/sign-in"]);
  });

  test("is needed for every path alike, known or not", async () => {
    const paths = ["/", "/payments", "/payments/pi_1", "/webhooks", "/dead-letters", "/nothing", "/sign-out"];

    for (const path of paths) expect((await visitor.get(path)).location).toBe("/sign-in");
    for (const path of ["/dead-letters/redrive", "/sign-out"])
      expect((await visitor.post(path, { form_token: "x" })).location).toBe("/sign-in");
  });
});

describe("every answer", () => {
  test("is fenced in: no foreign script, no frame, no copy, no referrer for others", async () => {
    await visitor.signIn();
    const answers = await Promise.all(
      ["/payments", "/webhooks", "/nothing", "/sign-in", "/"].map((path) => visitor.get(path)),
    );

    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        "Content-Security-Policy":
          "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
      });
    }
    for (const { text } of answers)
      expect(text).not.toMatch(/<script(?! src="\/dashboard\.js")|<style|\sstyle=|\son\w+=/);
  });
});

describe("a form of another site", () => {
  const forms = ["/sign-out", "/webhooks/we_1/test", "/deliveries/wd_1/resend", "/dead-letters/redrive"] as const;

  test.each(forms)("changes nothing at %s, with the cookie and without its token", async (path) => {
    await visitor.signIn();
    const token = await visitor.formToken();
    const before = dash.api.calls.length;

    const attempts = [
      await visitor.post(path, { form_token: token }, { "sec-fetch-site": "cross-site" }),
      await visitor.post(path, { form_token: token }, { "sec-fetch-site": "same-site" }),
      await visitor.post(path, {}),
      await visitor.post(path, { form_token: `${token.slice(0, -1)}_` }),
      await visitor.post(path, { "form_token[]": token }),
    ];

    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403, 400]);
    expect(dash.api.calls.length).toBe(before);
    expect(visitor.cookie()).toBeDefined();
  });

  test("signs nobody in to somebody else's account", async () => {
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const { status, headers } = await visitor.post("/sign-in", { api_key: apiKeys.second }, foreign);

    expect([status, headers["Set-Cookie"]]).toEqual([403, undefined]);
  });

  test("is told from one of this site by its origin where the browser says no more", async () => {
    const host = dash.visitor("127.0.0.1:4244");
    const from = async (origin: string) => {
      const answer = await host.send("POST", "/sign-in", `api_key=${apiKeys.first}`, {
        ...{ origin, "sec-fetch-site": "" },
      });
      return answer.status;
    };

    expect([await from("http://127.0.0.1:4244"), await from("https://evil.example"), await from("null")]).toEqual([
      303, 403, 403,
    ]);
  });

  test.each([
    ["a body that is no form", "{}", "application/json", 415],
    ["a body of 65 KiB", `api_key=${"a".repeat(65 * 1024)}`, "application/x-www-form-urlencoded", 413],
    ["a thousand and one fields", "a=1&".repeat(1001), "application/x-www-form-urlencoded", 400],
    ["broken escapes", "api_key=%E0%A4%A", "application/x-www-form-urlencoded", 400],
  ])("or %s is refused", async (_title, body, type, status) => {
    expect((await visitor.send("POST", "/sign-in", body, { "content-type": type })).status).toBe(status);
  });
});

describe("what a customer or another merchant wrote", () => {
  test("stands on the pages as text", async () => {
    const words = new URLSearchParams({
      ...{ amount: "2000", currency: "usd", confirm: "true", payment_method: "pm_card_visa" },
      ...{ description: hostile, "metadata[note]": hostile },
    });
    const id = await pay(words.toString());
    await visitor.signIn();

    for (const path of ["/payments", `/payments/${id}`]) {
      const { text } = await visitor.get(path);
      expect(text).not.toMatch(/<script>alert|<img/);
      expect(text).toContain("&#60;script&#62;alert(1)");
    }
  });

  test.each([
    ["status", hostile],
    ["currency", hostile],
    ["amount_from", hostile],
    ["amount_from", "1e9"],
    ["to", "2026-13-45"],
    ["from", hostile],
  ])("in the search's %s is refused, and stands in the form as text", async (name, value) => {
    await visitor.signIn();
    const { status, text } = await visitor.get(`/payments?${new URLSearchParams({ currency: "usd", [name]: value })}`);

    expect(status).toBe(400);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain('aria-invalid="true"');
  });

  test("of an endpoint or a delivery stands on the pages as text", async () => {
    const endpoint = await deadEndpoint(dash.world, { description: hostile });
    const delivery = await deadDelivery(dash.world, endpoint, { excerpt: hostile });
    await visitor.signIn();

    for (const path of ["/webhooks", `/webhooks/${endpoint}`, `/deliveries/${delivery}`]) {
      expect((await visitor.get(path)).text).not.toMatch(/<script>alert|<img/);
    }
  });
});

describe("another merchant's objects", () => {
  test("do not exist, by whatever address, cursor or form they are asked for", async () => {
    const payment = await pay(payForm, apiKeys.second);
    const endpoint = await deadEndpoint(dash.world, { apiKey: apiKeys.second });
    const delivery = await deadDelivery(dash.world, endpoint, { accountId: "acct_second" });
    await visitor.signIn();
    const token = await visitor.formToken();
    const once = "A".repeat(24);

    const asked = [
      await visitor.get(`/payments/${payment}`),
      await visitor.get(`/webhooks/${endpoint}`),
      await visitor.get(`/deliveries/${delivery}`),
      await visitor.post(`/deliveries/${delivery}/resend`, { form_token: token, once }),
      await visitor.post(`/webhooks/${endpoint}/test`, { form_token: token, once }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await visitor.get(`/payments?after=${payment}`)).text).toContain("There is no such payment");
    for (const path of [
      "/payments",
      "/webhooks",
      "/dead-letters",
      "/dead-letters/plan",
      "/payments?account=acct_second",
    ]) {
      const { text } = await visitor.get(path);
      for (const id of [payment, endpoint, delivery]) expect(text).not.toContain(id);
    }
    expect((await dash.world.deliveries.read(delivery))?.delivery.state).toBe("dead");
  });
});
