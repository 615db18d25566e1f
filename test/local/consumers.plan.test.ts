// What follows from a payment on the laptop: mail, invoice and risk through the real bus and a real mail server.
// It must never wait: time is moved.
import { effectsPage } from "../../local/effects-page.ts";
import { listenFrom } from "../../local/listen.ts";
import { headerIn, partIn } from "../../local/mail-source.ts";
import { endLaptop, pay, startLaptop } from "./consumer-laptop.ts";

afterEach(endLaptop);

test("a payment gets its mail, its invoice and a look at its card, once each", async () => {
  const { host: running, clock, documents, lines } = await startLaptop();
  const intentId = await pay(running);
  await clock.advance(1_000);

  const mails = running.inbox?.mails() ?? [];
  expect(mails.map(({ to }) => to)).toEqual([["jane@customer.example"]]);
  expect(headerIn(mails[0]?.source ?? "", "subject")).toBe("Your receipt for EUR 10.99");
  expect(partIn(mails[0]?.source ?? "", "text/plain")).toContain("For: Zwölf <b>Bücher</b>");
  expect(partIn(mails[0]?.source ?? "", "text/html")).toContain("Zwölf &#60;b&#62;Bücher");
  expect(await documents.list("invoices", 10)).toMatchObject([{ id: intentId, fields: { amountMinor: "1099" } }]);
  const outcomes = lines.filter(({ message }) => message === "event consumed").map(({ fields }) => fields);
  expect(outcomes.map((one) => ("outcome" in one ? one.outcome : "")).sort()).toEqual([
    "clear",
    "handed_over",
    "issued",
  ]);
});

test("the sixth payment of a card in ten minutes is flagged, and goes through all the same", async () => {
  const { host: running, clock, documents } = await startLaptop();
  for (let count = 0; count < 6; count += 1) expect(await pay(running)).toMatch(/^pi_/);
  await clock.advance(1_000);

  expect(await documents.list("riskFlags", 10)).toMatchObject([{ fields: { rule: "card_velocity", paymentsMax: 5 } }]);
});

test("a page shows mails, invoices and flags, and lets nothing in them run", async () => {
  const { host: running, clock } = await startLaptop();
  const intentId = await pay(running, { description: "<script>alert(1)</script>" });
  await clock.advance(1_000);
  const server = effectsPage(running);
  const url = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
  try {
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return {
        status: response.status,
        policy: response.headers.get("content-security-policy"),
        text: await response.text(),
      };
    };
    const overview = await get("/");
    expect(overview.text).toContain("jane@customer.example");
    expect(overview.text).toContain(`/invoices/${intentId}`);
    expect(overview.text).toContain("<td>EUR 10.99</td>");
    for (const path of ["/", `/invoices/${intentId}`, "/mails/1"]) {
      const shown = await get(path);
      expect([path, shown.status, shown.policy]).toEqual([path, 200, expect.stringContaining("default-src 'none'")]);
      expect(shown.text).not.toContain("<script>");
    }
    expect((await get("/mails/1/text")).text).toContain("Thank you.");
    expect((await get("/mails/1/source")).text).toContain("Message-ID: <receipt.");
    expect((await get("/mails/2")).status).toBe(404);
    expect((await get("/invoices/pi_none")).status).toBe(404);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
