// What the laptop says when it is up: one line for machines, a few commands and a shop for people.
// It must never print a command that does not work when it is pasted as it is.

import type { FunctionName } from "../functions/config.ts";
import { laptopKey } from "./laptop-key.ts";

/** The lines, in order. */
export function welcome(baseUrl: string, effectsUrl: string, addresses: ReadonlyMap<FunctionName, string>): string[] {
  const [shopUrl, dashboardUrl] = [addresses.get("sample-shop"), addresses.get("dashboard")];
  const pay = (amount: number) =>
    `curl -i ${baseUrl}/v1/payment_intents -u ${laptopKey}: -H 'Idempotency-Key: order-1001' ` +
    `-d amount=${amount} -d currency=usd -d payment_method=pm_card_visa -d confirm=true`;
  const crashing = `-H 'Idempotency-Key: order-1002' -H 'Crash-Tour: crash-after-t1'`;
  return [
    "",
    "# a payment, created and confirmed in one call:",
    pay(AMOUNT),
    "# the same again, as a client does that got no answer: the same bytes, and Idempotent-Replayed: true",
    pay(AMOUNT),
    "# the same key for another amount is refused:",
    pay(AMOUNT + 1),
    "# a crash on purpose: no answer comes, and without the last header it is finished, once (docs/crash-tour.md):",
    pay(AMOUNT).replace("curl -i", "curl -sS -i").replace("-H 'Idempotency-Key: order-1001'", crashing),
    `# what follows from a payment (mails, invoices, flags; -d receipt_email=you@example.com gets you a mail): ${effectsUrl}`,
    `# its trace through all functions, retries of webhooks and log lines included: ${effectsUrl}/traces`,
    ...(shopUrl === undefined
      ? []
      : ["# a shop that pays through it, for a browser; press its button twice:", shopUrl]),
    ...(dashboardUrl === undefined
      ? []
      : [`# the dashboard of a merchant; sign in with the key ${laptopKey}:`, dashboardUrl]),
    "",
    `ready ${baseUrl} ${laptopKey}`,
  ];
}

/** 20 dollars, in cents. */
const AMOUNT = 2000;
