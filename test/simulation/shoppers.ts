// What merchants do in a simulation: orders of every kind, each with amounts that nobody else has.
// It must never use an amount twice: by its amount an effect at the acquirer is told apart from outside.
import { answerChallenge } from "../../functions/flows/look-up-order.ts";
import type { Answer, Asked, Client } from "./client.ts";
import type { Chance } from "./seeded-random.ts";
import type { Service } from "./service.ts";
import { outsideClock, type Stores } from "./stores.ts";
import type { Surroundings } from "./worker.ts";

/** What a shopper needs. */
export interface Shop extends Surroundings {
  readonly client: Client;
  readonly api: Service;
  readonly stores: Stores;
  readonly chance: Chance;
  readonly apiKey: string;
  readonly amounts: Amounts;
}

/** Amounts in minor units, each given out once. */
export interface Amounts {
  /** Of a payment. */
  whole(): number;
  /** Of a part of one. */
  part(): number;
}

/** Payments lie 10,000 apart from 100,000 on, and parts below, so that no sum of some parts is another payment. */
export function freshAmounts(): Amounts {
  let [payments, parts] = [0, 0];
  return {
    whole: () => {
      payments += 1;
      return 90_000 + payments * 10_000;
    },
    part: () => {
      parts += 1;
      return 500 + parts;
    },
  };
}

/** One order from its first request to whatever follows. */
export async function shop(at: Shop, name: string): Promise<void> {
  const act = at.chance.one(acts);
  at.tell(() => `order ${name} begins: ${act}`);
  await scripts[act](orderOf(at, name));
}

const acts = [
  ...(["pay", "pay", "pay", "pay and refund", "pay and refund", "hold", "hold", "open", "challenge", "debit"] as const),
  ...(["declined", "race", "send again"] as const),
];

type Order = ReturnType<typeof orderOf>;

function orderOf(at: Shop, name: string) {
  const { chance, client, time } = at;
  const currency = chance.one(["usd", "usd", "eur", "jpy"]);
  let keys = 0;
  const ask = async (path: string, form: string): Promise<Answer | undefined> => {
    keys += 1;
    const asked: Asked = { apiKey: at.apiKey, key: `${name} ${keys}`, path, form };
    if (chance.happens(0.04)) mixUp(at, asked);
    if (chance.happens(0.15)) time.at(time.now() + chance.whole(60_000, 5 * 3_600_000), () => void client.ask(asked));
    // Some clients give up, and their payments have to end without them; most of those who ask for a webhook look no further.
    const share = path.startsWith("/v1/webhook") ? 0.7 : 0.15;
    return await client.ask(asked, chance.happens(share) ? chance.whole(1, 2) : 12);
  };
  const email = chance.happens(0.6) ? `&receipt_email=${name}@customer.example` : "";
  return {
    ...at,
    name,
    ask,
    pause: () => time.sleep(chance.whole(1, 90_000)),
    create: (form: string) => {
      const amount = at.amounts.whole();
      return ask("/v1/payment_intents", `amount=${amount}&currency=${currency}&metadata[order]=${name}${email}${form}`);
    },
  };
}

/** Another body under the same key, a little before or after it. */
function mixUp({ client, time, chance }: Shop, asked: Asked): void {
  const other = { ...asked, form: `${asked.form}${asked.form === "" ? "" : "&"}metadata[mixed]=up` };
  time.at(time.now() + chance.whole(0, 2_000), () => void client.once(other));
}

const cards = [
  ...[
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_mastercard",
    "pm_card_refundFail",
    "pm_card_pendingRefund",
  ],
  ...["pm_card_acquirerReplyLost", "pm_card_acquirerSlow", "pm_card_acquirerLateLookup", "pm_card_acquirerUnknown"],
  ...["pm_card_followUpReplyLost", "pm_card_followUpUnknown"],
];

const scripts: Record<(typeof acts)[number], (order: Order) => Promise<void>> = {
  pay: async ({ create, chance }) => {
    await create(`&confirm=true&payment_method=${chance.one(cards)}`);
  },
  "pay and refund": async (order) => {
    const { create, chance, ask, amounts, pause } = order;
    const paid = await create(`&confirm=true&payment_method=${chance.one(cards)}`);
    if (paid?.json.status !== "succeeded") return;
    await pause();
    const refunds = Array.from({ length: chance.whole(1, 3) }, () =>
      ask("/v1/refunds", `payment_intent=${paid.json.id}&amount=${amounts.part()}`),
    );
    if (chance.happens(0.4)) refunds.push(ask("/v1/refunds", `payment_intent=${paid.json.id}`));
    await Promise.all(refunds);
    if (chance.happens(0.5)) await ask("/v1/refunds", `payment_intent=${paid.json.id}`);
  },
  hold: async (order) => {
    const { create, chance, ask, amounts, pause } = order;
    const held = await create(`&confirm=true&capture_method=manual&payment_method=${chance.one(cards)}`);
    if (held?.json.status !== "requires_capture") return;
    await pause();
    const path = `/v1/payment_intents/${held.json.id}`;
    const end = chance.one(["capture", "part", "cancel", "both", "nothing"]);
    const ends: Promise<unknown>[] = [];
    if (end === "capture" || end === "both") ends.push(ask(`${path}/capture`, ""));
    if (end === "part") ends.push(ask(`${path}/capture`, `amount_to_capture=${50_000 + amounts.part()}`));
    if (end === "cancel" || end === "both") ends.push(ask(`${path}/cancel`, ""));
    await Promise.all(ends);
    if (end !== "cancel" && chance.happens(0.4)) {
      await ask("/v1/refunds", `payment_intent=${held.json.id}&amount=${amounts.part()}`);
    }
  },
  open: async (order) => {
    const { create, chance, ask, name, pause } = order;
    const opened = await create("");
    if (opened?.json.object !== "payment_intent") return;
    const path = `/v1/payment_intents/${opened.json.id}`;
    if (chance.happens(0.5)) await ask(path, `metadata[described]=${name}`);
    await pause();
    if (chance.happens(0.2)) await ask(`${path}/cancel`, "");
    await ask(`${path}/confirm`, `payment_method=${chance.one(cards)}`);
  },
  race: async (order) => {
    const { create, chance, ask } = order;
    const opened = await create("");
    if (opened?.json.object !== "payment_intent") return;
    const path = `/v1/payment_intents/${opened.json.id}`;
    const confirm = () => ask(`${path}/confirm`, `payment_method=${chance.one(cards)}`);
    await Promise.all([confirm(), confirm(), ...(chance.happens(0.4) ? [ask(`${path}/cancel`, "")] : [])]);
  },
  "send again": async (order) => {
    const { client, apiKey, chance, ask, pause } = order;
    await pause();
    const found = await client.get(apiKey, "/v1/webhook_deliveries?limit=20");
    const sent: readonly { id: string }[] = found?.json.data ?? [];
    if (sent.length === 0) return;
    // A redrive is for what is dead; of anything else it is refused, and that answer stands.
    await ask(`/v1/webhook_deliveries/${chance.one(sent).id}/${chance.one(["resend", "resend", "redrive"])}`, "");
  },
  declined: async (order) => {
    const { create, chance, ask, pause } = order;
    const failed = await create("&confirm=true&payment_method=pm_card_chargeDeclined");
    const id = failed?.json.error?.payment_intent?.id;
    if (id === undefined || chance.happens(0.3)) return;
    await pause();
    await ask(`/v1/payment_intents/${id}/confirm`, `payment_method=${chance.one(cards)}`);
  },
  debit: async (order) => {
    const { create, chance, ask, pause } = order;
    const bank = chance.one(["success", "success", "insufficientFunds", "accountClosed"]);
    const form = `&confirm=true&payment_method_types[]=us_bank_account&payment_method=pm_usBankAccount_${bank}`;
    const begun = await create(form);
    await pause();
    if (begun?.json.id !== undefined && chance.happens(0.3)) {
      await ask("/v1/refunds", `payment_intent=${begun.json.id}`);
    }
  },
  challenge: async (order) => {
    const { create, chance, ask, pause, stores, time } = order;
    const card = chance.one(["pm_card_threeDSecure2Required", "pm_card_threeDSecureRequiredChargeDeclined"]);
    const asked = await create(`&confirm=true&return_url=https://shop.example/done&payment_method=${card}`);
    const attempt = /challenges\/(att_\w+)/.exec(asked?.json.next_action?.redirect_to_url?.url ?? "")?.[1];
    if (attempt === undefined) return;
    await pause();
    const does = chance.one(["passes", "passes", "passes", "refuses", "leaves", "pays otherwise", "canceled"]);
    if (does === "pays otherwise")
      return void (await ask(`/v1/payment_intents/${asked?.json.id}/confirm`, "payment_method=pm_card_visa"));
    if (does === "canceled") return void (await ask(`/v1/payment_intents/${asked?.json.id}/cancel`, ""));
    if (does === "leaves") return;
    await time.operate(() =>
      answerChallenge({ journal: stores.journal, clock: outsideClock(time) }, attempt, does === "passes"),
    );
    if (chance.happens(0.3)) return;
    await Promise.all(Array.from({ length: chance.whole(1, 2) }, () => comeBack(order, attempt)));
  },
};

/** The buyer's browser comes back from the bank. */
async function comeBack({ api }: Order, attempt: string): Promise<void> {
  const headers = new Map([["host", ["api.example"]]]);
  await api.call({ method: "GET", target: `/challenges/${attempt}/return`, headers, body: Buffer.alloc(0) }, 60_000);
}
