// F30: whatever is asked in whatever order, a request that is rejected leaves every row as it was, byte for byte.
// It must never let a rejection be judged by the answer alone: all tables are compared, the key's own row excepted.
import fc from "fast-check";
import { refuse } from "../../functions/domain/errors.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { rowsAsText, withoutKey } from "../support/rows-as-text.ts";
import { apiKeys, openWorld, type Reply, type World } from "../support/world.ts";

const creates = "/v1/payment_intents";
const tokens = ["pm_card_visa", "pm_card_chargeDeclined", "pm_card_nobody"] as const;

/** One request of a sequence; `intent` and `key` are small numbers, so that requests meet on the same ones. */
interface Step {
  readonly act: (typeof acts)[number];
  readonly intent: number;
  readonly key: number;
  readonly value: number;
}

const acts = [
  "create",
  "pay",
  "describe",
  "amount",
  "method",
  "confirm",
  "confirm with",
  "cancel",
  "steal",
  "lose the answer",
  "misspell",
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...acts),
  intent: fc.nat(3),
  key: fc.nat(40),
  value: fc.nat(3),
});

/** A sequence that meets every kind of rejection, so that the property is never true for want of one. */
const everyRejection: Step[] = (
  [
    ["create", 0, 0],
    ["pay", 1, 1],
    ["create", 2, 1], // mismatch
    ["misspell", 0, 2], // unknown parameter
    ["amount", 0, 3], // below the minimum of what is stored
    ["confirm", 0, 4], // no payment method
    ["confirm", 1, 5], // already succeeded
    ["cancel", 1, 6],
    ["steal", 1, 7], // not there, for this account
    ["describe", 3, 8], // not there at all
    ["method", 0, 9],
    ["lose the answer", 0, 10], // leaves its attempt open
    ["describe", 0, 11], // locked
    ["cancel", 0, 12],
    ["pay", 2, 13, 1], // declined
    ["pay", 3, 14, 2], // no such payment method
  ] as const
).map(([act, intent, key, value = 0]) => ({ act, intent, key, value }));

const kindsSeen = new Set<string>();

// 40 sequences take a second; the limit is for a machine that does much else at once.
test("F30 a rejected request changes no row but its key's own", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
      const world = await openWorld();
      const ids: string[] = [];
      let before = rowsAsText(world);
      for (const each of steps) {
        const reply = await run(world, ids, each);
        const after = rowsAsText(world);
        if (isRejection(reply)) {
          kindsSeen.add(kindOf(reply));
          const own = rememberedUnder(each, reply);
          expect(withoutKey(after, own)).toEqual(withoutKey(before, own));
        }
        before = after;
      }
    }),
    { numRuns: 40, examples: [[everyRejection]] },
  );
  expect([...kindsSeen]).toEqual(
    expect.arrayContaining([
      "400 idempotency_error",
      "400 amount_too_small",
      "400 parameter_unknown",
      "400 payment_intent_unexpected_state",
      "404 resource_missing intent",
      "404 resource_missing payment_method",
      "429 lock_timeout",
    ]),
  );
}, 30_000);

function kindOf({ status, json }: Reply): string {
  const { type, code, param } = json.error;
  return `${status} ${code ?? type}${code === "resource_missing" ? ` ${param}` : ""}`;
}

/** What was refused by looking at the intent is the key's outcome; a mismatch, a lock and bad input are not remembered. */
function rememberedUnder({ act, key }: Step, reply: Reply): string | undefined {
  const remembered = ["400 amount_too_small", "400 payment_intent_unexpected_state", "404 resource_missing intent"];
  if (!remembered.includes(kindOf(reply))) return undefined;
  return keyIdentity(act === "steal" ? "acct_second" : "acct_first", false, `key ${key}`);
}

/** Refused, as opposed to executed (a decline is executed) or unfinished (a lost answer). */
function isRejection({ status, headers }: Reply): boolean {
  return status >= 400 && status < 500 && status !== 402 && headers["Idempotent-Replayed"] === undefined;
}

async function run(world: World, ids: string[], { act, intent, key, value }: Step): Promise<Reply> {
  const sent = { key: `key ${key}` };
  const id = ids[intent] ?? "pi_none";
  const token = tokens[value] ?? "pm_card_visa";
  const post = (path: string, form: string, apiKey: string = apiKeys.first) =>
    world.post(`${creates}/${id}${path}`, form, { ...sent, apiKey });
  switch (act) {
    case "create":
    case "pay": {
      const how = act === "pay" ? `&confirm=true&payment_method=${token}` : "";
      const reply = await world.post(creates, `amount=${900 + value}&currency=usd${how}`, sent);
      const made = reply.json.id ?? reply.json.error?.payment_intent?.id;
      if (made !== undefined) ids[intent] = made;
      return reply;
    }
    case "describe":
      return await post("", `description=${value}&metadata[k${value}]=v`);
    case "amount":
      return await post("", `amount=${value === 0 ? 49 : 1_000 + value}`);
    case "method":
      return await post("", `payment_method=${token}`);
    case "confirm":
      return await post("/confirm", "");
    case "confirm with":
      return await post("/confirm", `payment_method=${token}`);
    case "cancel":
      return await post("/cancel", "");
    case "steal":
      return await post("/cancel", "", apiKeys.second);
    case "lose the answer": {
      const error = refuse("acquirer_unknown", "no answer");
      const heal = world.ports.acquirer.disturbAll({ at: "after", act: "throw", error });
      const reply = await post("/confirm", "payment_method=pm_card_visa");
      heal();
      return reply;
    }
    case "misspell":
      return await post("", `descripton=${value}`);
  }
}
