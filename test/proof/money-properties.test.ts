// Random commands on several intents, with declines, retries, deaths at any call and sweeps: the money always adds up.
// It must never believe an answer: rows and the acquirer's journal are judged after every step.
import fc from "fast-check";
import { defaultTimings, keyIdentity } from "../../functions/domain/idempotency.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import { answerChallenge } from "../../functions/flows/look-up-order.ts";
import { completerOf, sweep } from "../support/completer.ts";
import { settled } from "../support/patience.ts";
import { rowsAsText, withoutKey } from "../support/rows-as-text.ts";
import { openWorld, type Reply, type World } from "../support/world.ts";
import { diedWhole } from "./crash-support.ts";
import { moneyProblems, restProblems } from "./money-oracles.ts";
import { acts, type Death, everyEnd, laterEnds, reservations, type Step } from "./money-sequences.ts";

const { leaseMs, callTimeoutMs } = defaultTimings;
const intents = "/v1/payment_intents";

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...acts),
  intent: fc.nat(2),
  amount: fc.integer({ min: 1, max: 1_400 }),
  key: fc.nat(200),
  death: fc.option(
    fc.record({
      port: fc.constantFrom("ledger", "ledger", "acquirer", "cache"),
      nth: fc.integer({ min: 1, max: 4 }),
      at: fc.constantFrom("before", "after"),
      heir: fc.constantFrom("retry", "completer", "nobody"),
    }),
    { freq: 3 },
  ),
});

const seen = new Set<string>();

test("money adds up at every moment, and every retry has the first answer", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24, size: "max" }), runAll), {
    numRuns: 18,
    examples: [[everyEnd], [reservations], [laterEnds]],
  });
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "200 payment_intent",
      "200 refund",
      "400 amount",
      "400 amount_to_capture amount_too_large",
      "400 charge_already_refunded",
      "400 idempotency_error",
      "400 payment_intent",
      "400 payment_intent_unexpected_state",
      "402 card_declined",
      "429 lock_timeout",
      "challenge passed",
      "challenge refused",
      "dead",
    ]),
  );
}, 60_000);

interface Request {
  readonly path: string;
  readonly form: string;
  readonly key: string;
}

/** What was asked and what came back; an answer of undefined was never heard. */
type Asked = Request & { readonly reply: Reply | undefined };

async function runAll(steps: readonly Step[]): Promise<void> {
  const world = await openWorld();
  const targets: (Target | undefined)[] = [];
  const history: Asked[] = [];
  for (const each of steps) {
    await runStep(world, targets, history, each);
    expect(await moneyProblems(world)).toEqual([]);
  }
  // Whoever was left behind is finished without a client, and every key then has an answer that stays.
  for (let round = 0; round < 2; round += 1) {
    await world.clock.advance(leaseMs + callTimeoutMs + testSettlementMs + 1);
    await sweep(world);
  }
  expect(await restProblems(world)).toEqual([]);
  expect(world.ledger.rows("attempts").filter(({ state }) => state === "pending")).toEqual([]);
  for (const asked of [...history]) await ask(world, history, asked, null);
  expect(await restProblems(world)).toEqual([]);
}

interface Target {
  readonly id: string;
  readonly charge: string;
}

async function runStep(world: World, targets: (Target | undefined)[], history: Asked[], each: Step): Promise<void> {
  if (each.act === "sweep") {
    await world.clock.advance(leaseMs + callTimeoutMs + 1);
    await sweep(world);
    return;
  }
  if (each.act === "answer" || each.act === "refuse") {
    await answerChallengeOf(world, targets[each.intent], each.act === "answer");
    return;
  }
  const repeated = history[each.key % Math.max(1, history.length)];
  if (each.act === "repeat" && repeated === undefined) return;
  const request = each.act === "repeat" && repeated !== undefined ? repeated : requestOf(targets, each);
  const reply = await ask(world, history, request, each.death);
  const made = reply?.json.error?.payment_intent ?? reply?.json;
  if (made?.object === "payment_intent") {
    const index = targets.findIndex((target) => target?.id === made.id);
    targets[index === -1 ? each.intent : index] = { id: made.id, charge: made.latest_charge ?? "ch_none" };
  }
}

/** The buyer answers at the network and comes back; an intent that waits for nobody is left alone. */
async function answerChallengeOf(world: World, target: Target | undefined, isPassed: boolean): Promise<void> {
  const intent = world.ledger.rows("payment_intents").find(({ id }) => id === target?.id);
  if (intent?.nextAction == null) return;
  await answerChallenge(world, intent.nextAction.attemptId, isPassed);
  seen.add(isPassed ? "challenge passed" : "challenge refused");
  await settled(world.clock, completerOf(world).finishChallenge(intent.nextAction.attemptId));
}

/** Sends a request, judges what its answer may have changed, and compares it with what the same request heard before. */
async function ask(world: World, history: Asked[], request: Request, death: Death | null): Promise<Reply | undefined> {
  const before = rowsAsText(world);
  const reply = await answerTo(world, request, death);
  seen.add(kindOf(reply));
  if (reply !== undefined && death === null) {
    const isRefused = reply.status >= 400 && reply.status !== 402 && reply.status < 500;
    const isReplayed = reply.headers["Idempotent-Replayed"] === "true";
    // An answer that stands under its key says so by this header; nothing else may leave even that row.
    const own = reply.headers["Original-Request"] === undefined || isReplayed ? undefined : keyHashOf(request);
    if (isRefused || (isReplayed && isHeard(history, request))) {
      expect(withoutKey(rowsAsText(world), own)).toEqual(withoutKey(before, own));
    }
  }
  for (const earlier of history) {
    if (!isSame(earlier, request) || !isFinal(earlier.reply) || reply === undefined) continue;
    expect([reply.status, reply.text]).toEqual([earlier.reply?.status, earlier.reply?.text]);
  }
  history.push({ ...request, reply });
  return reply;
}

/** The answer, or undefined when the worker died and nobody asked again. */
async function answerTo(world: World, { path, form, key }: Request, death: Death | null): Promise<Reply | undefined> {
  const post = (server: Pick<World, "post">) => server.post(path, form, { key, headers: { prefer: "wait=0" } });
  if (death === null) return await settled(world.clock, post(world.startServer()));
  const dying = world.startServer();
  dying.ports[death.port].disturbCall(death.nth, diedWhole(dying, death.at));
  let heard: Reply | undefined;
  void post(dying).then((reply) => {
    heard = reply;
  });
  await world.clock.advance(defaultTimings.pollMs);
  if (heard !== undefined) return heard;
  if (death.heir === "nobody") return undefined;
  await world.clock.advance(death.heir === "retry" ? leaseMs : leaseMs + callTimeoutMs + 1);
  if (death.heir === "completer") await sweep(world);
  return await settled(world.clock, post(world.startServer()));
}

function requestOf(targets: readonly (Target | undefined)[], { act, intent, amount, key }: Step): Request {
  const { id, charge } = targets[intent] ?? { id: "pi_none", charge: "ch_none" };
  const on = (path: string, form = "") => ({ path: `${intents}/${id}${path}`, form, key: `key ${key}` });
  const create = (form: string) => ({
    path: intents,
    form: `amount=${900 + intent}&currency=usd${form}`,
    key: `key ${key}`,
  });
  const refund = (form: string) => ({ path: "/v1/refunds", form, key: `key ${key}` });
  const visa = "payment_method=pm_card_visa";
  const bank = "payment_method_types[]=us_bank_account";
  const forms: Record<Exclude<Step["act"], "answer" | "refuse" | "repeat" | "sweep">, Request> = {
    open: create(""),
    pay: create(`&confirm=true&${visa}`),
    hold: create(`&confirm=true&capture_method=manual&${visa}`),
    "pay declined": create("&confirm=true&payment_method=pm_card_chargeDeclined"),
    "pay, refund fails": create("&confirm=true&payment_method=pm_card_refundFail"),
    "pay, refund later": create("&confirm=true&payment_method=pm_card_pendingRefund"),
    "pay later": create(`&confirm=true&${bank}&payment_method=pm_usBankAccount_success`),
    "pay later, declined": create(`&confirm=true&${bank}&payment_method=pm_usBankAccount_insufficientFunds`),
    "pay, challenged": create("&confirm=true&payment_method=pm_card_threeDSecure2Required"),
    describe: on("", `metadata[n]=${amount}`),
    confirm: on("/confirm", visa),
    "confirm to hold": on("/confirm", `${visa}&capture_method=manual`),
    "confirm declined": on("/confirm", "payment_method=pm_card_chargeDeclined"),
    capture: on("/capture"),
    "capture part": on("/capture", `amount_to_capture=${amount}`),
    cancel: on("/cancel"),
    refund: refund(`payment_intent=${id}`),
    "refund part": refund(`payment_intent=${id}&amount=${amount}`),
    "refund by charge": refund(`charge=${charge}&amount=${amount}`),
  };
  return forms[act as keyof typeof forms];
}

function isSame(one: Request, other: Request): boolean {
  return one.key === other.key && one.path === other.path && one.form === other.form;
}

function isHeard(history: readonly Asked[], request: Request): boolean {
  return history.some((earlier) => isSame(earlier, request) && isFinal(earlier.reply));
}

/** An answer that the key keeps. */
function isFinal(reply: Reply | undefined): boolean {
  return reply?.headers["Original-Request"] !== undefined;
}

function keyHashOf({ key }: Request): string {
  return keyIdentity("acct_first", false, key);
}

function kindOf(reply: Reply | undefined): string {
  if (reply === undefined) return "dead";
  const { object, error } = reply.json;
  if (error === undefined) return `${reply.status} ${object}`;
  const named = [error.param, error.code].filter((word) => word !== undefined);
  return `${reply.status} ${named.length === 0 ? error.type : named.join(" ")}`;
}
