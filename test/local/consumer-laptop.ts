// A laptop whose consumers can be broken, in the bus's own time, for tests of what follows from a payment.
// It must never outlive its test: the test file ends it.
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { memoryStores, startEmbedded } from "../../local/embedded.ts";
import type { Host } from "../../local/host.ts";
import { laptopKey, seedLaptopKey } from "../../local/laptop-key.ts";
import { freePortFrom } from "../../local/listen.ts";
import { movableClock } from "../../local/movable-clock.ts";
import { intercept } from "../support/interception.ts";
import { planned } from "./planned.ts";

/** Without schedules: they would sweep a thousand times in a night, and nothing here is left to them. */
const plan = { ...planned(undefined, { MAIL_FROM: "receipts@laptop.example" }), jobs: [] };

let host: Host | undefined;
/** Ends the one that was started last. */
export async function endLaptop(): Promise<void> {
  await host?.stop();
  host = undefined;
}

/** Starts it; ended by `endLaptop`. */
export async function startLaptop() {
  const stores = memoryStores();
  const consumers = intercept(stores.consumers);
  const lines: { message: string; fields: object }[] = [];
  const clock = movableClock();
  const running = await startEmbedded({
    ...{ plan, clock, port: await freePortFrom(undefined), onRefusal: () => {} },
    log: (_severity, message, fields = {}) => void lines.push({ message, fields }),
    stores: { ...stores, consumers: consumers.port },
  });
  host = running;
  await seedLaptopKey({ accounts: running.accounts, clock: systemClock, random: systemRandom });
  return { ...stores, host: running, clock, consumers, lines };
}

/** Pays 10.99 EUR by Visa, with an address for the receipt; gives the payment's id. */
export async function pay({ addresses }: Host, fields: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${addresses.get("payments-api")}/v1/payment_intents`, {
    method: "POST",
    headers: { Authorization: `Bearer ${laptopKey}` },
    body: new URLSearchParams({
      ...{ amount: "1099", currency: "eur", confirm: "true", payment_method: "pm_card_visa" },
      ...{ receipt_email: "jane@customer.example", description: "Zwölf <b>Bücher</b>" },
      ...fields,
    }),
  });
  return ((await response.json()) as { id: string }).id;
}
